import { describe, expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { record } from "../../../src/foundation/text/Csv.ts"

const columns = ["text", "number", "maybe", "flag", "parts"] as const

const rows = fc.array(
  fc.record({
    flag: fc.boolean(),
    maybe: fc.option(fc.string({ unit: "grapheme" })),
    number: fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
    parts: fc.option(fc.array(fc.record({ a: fc.string({ unit: "binary" }), b: fc.option(fc.integer()) }))),
    text: fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r", 'a"b', "a,b", "a\r\nb", "", " ")
    )
  })
)

/** A cell as it was: the apostrophe goes where it was put. */
const shown = (text: string) => (/^'[=+\-@\p{Cc}]/u.test(text) ? text.slice(1) : text)

/** Reads with an independent reader; the empty text is quoted, so it is told from null. */
const read = (csv: string): ReadonlyArray<Record<string, string | null>> =>
  parse(csv, {
    cast: (value, { header, quoting }) => (header ? value : value === "" && !quoting ? null : value),
    columns: true
  })

describe("a record of CSV", () => {
  test("is read back by csv-parse as what was written", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const csv = [record(columns), ...all.map((row) => record(columns.map((name) => row[name])))].join("")
        const back = read(csv).map((row) => ({
          flag: row.flag === "true",
          maybe: row.maybe == null ? null : shown(row.maybe),
          number: Number(row.number),
          parts: row.parts == null ? null : JSON.parse(row.parts),
          text: shown(row.text ?? "")
        }))
        // A text that has an apostrophe before such a character already is indistinguishable from one that was given it.
        const kept = all.map((row) => ({
          ...row,
          maybe: row.maybe === null ? null : shown(row.maybe),
          number: row.number === 0 ? 0 : row.number,
          parts: row.parts === null ? null : JSON.parse(JSON.stringify(row.parts)),
          text: shown(row.text)
        }))
        expect(back).toEqual(kept)
      })
    )
  })

  test("never has a text begin as a formula does, and leaves numbers numbers", () => {
    expect(record(["=1+1", "+1", "-1", "@A1", "\tx", "\u0000", "a=1", -6.2, -0.5])).toBe(
      "'=1+1,'+1,'-1,'@A1,'\tx,'\u0000,a=1,-6.2,-0.5\r\n"
    )
    expect(record(["\r=1", null, "", ["=1"], { a: '"' }, true])).toBe(
      '"\'\r=1",,"","[""=1""]","{""a"":""\\""""}",true\r\n'
    )
  })
})
