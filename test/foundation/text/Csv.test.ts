import { describe, expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import * as fc from "fast-check"
import * as Csv from "../../../src/foundation/text/Csv.ts"
import { record } from "../../../src/foundation/text/Csv.ts"

interface Line {
  readonly cells: ReadonlyArray<string>
  readonly line: number
}

/** All records of a text fed in chunks, or the error. */
const read = (text: string, delimiter = ",", piece = text.length + 1) => {
  const reader = Csv.reader(delimiter)
  const records: Array<Line> = []
  const onRecord: Csv.OnRecord = (cells, line) => {
    records.push({ cells: [...cells], line })
    return undefined
  }
  for (let at = 0; at < text.length; at += piece) {
    const problem = reader.push(text.slice(at, at + piece), false, onRecord)
    if (problem !== undefined) return problem
  }
  return reader.push("", true, onRecord) ?? records
}

const cellsOf = (result: ReturnType<typeof read>) => ("reason" in result ? result : result.map(({ cells }) => cells))

const cell = fc.string({
  unit: fc.constantFrom("a", "é", "語", " ", ",", ";", "\t", '"', "\n", "\r\n", "1"),
  maxLength: 8
})

const written = (delimiter: string) =>
  fc
    .record({
      rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 2, maxLength: 5 }), { maxLength: 8 }),
      end: fc.constantFrom("\n", "\r\n"),
      isEnded: fc.boolean()
    })
    .map(({ end, isEnded, rows }) => {
      const lines = rows.map((row) => row.map(([text, isQuoted]) => quote(text, isQuoted, delimiter)).join(delimiter))
      return lines.join(end) + (isEnded ? end : "")
    })

const quote = (text: string, isQuoted: boolean, delimiter: string) =>
  isQuoted || [delimiter, '"', "\n", "\r"].some((special) => text.includes(special))
    ? `"${text.replaceAll('"', '""')}"`
    : text

test.each([",", ";", "\t"])(
  "with %p between cells it reads what csv-parse reads, in pieces of any size",
  (delimiter) => {
    fc.assert(
      fc.property(written(delimiter), fc.integer({ min: 1, max: 20 }), (text, piece) => {
        const expected: unknown = parse(text, {
          delimiter,
          record_delimiter: ["\n", "\r\n"],
          skip_empty_lines: true,
          relax_column_count: true
        })
        expect<unknown>(cellsOf(read(text, delimiter, piece))).toEqual(expected)
      }),
      { numRuns: 400 }
    )
  }
)

test("records have the line number of their start, counting quoted line ends and empty lines", () => {
  const lines = read('a,b\n"1\n2",3\r\n\n4,"5\r\n6\n"\n7,8')
  expect("reason" in lines ? lines : lines.map(({ line }) => line)).toEqual([1, 2, 5, 8])
})

test("lines are the same, wherever the text is cut", () => {
  fc.assert(
    fc.property(written(","), fc.integer({ min: 1, max: 20 }), (text, piece) => {
      expect(read(text, ",", piece)).toEqual(read(text))
    })
  )
})

test("a quote inside an unquoted cell is a character", () => {
  expect(cellsOf(read('12" pizza,x\n'))).toEqual([['12" pizza', "x"]])
})

test("text after a closing quote is refused with its line", () => {
  expect(read('a,b\n"x"y,z\n')).toEqual({
    line: 2,
    reason: "text follows a closing quote: put the cell in quotes, or double the quotes in it"
  })
})

test("a quote that is never closed is refused with the line it opens on", () => {
  expect(read('a,b\n1,"x\ny\nz')).toEqual({ line: 2, reason: "a quote has no closing quote" })
})

test("an open quote does not read a whole file into memory", () => {
  const result = read(`a,b\n1,"${"x\n".repeat(600_000)}`, ",", 65536)
  expect(result).toMatchObject({ line: 2, reason: expect.stringContaining("too long") })
})

const columns = ["text", "number", "maybe", "flag", "parts"] as const

const rows = fc.array(
  fc.record({
    flag: fc.boolean(),
    maybe: fc.option(fc.string({ unit: "grapheme" })),
    number: fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
    parts: fc.option(fc.array(fc.constantFrom("=1+1", "a", "b c", 'd"e', "1"), { maxLength: 4 })),
    text: fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r", 'a"b', "a,b", "a\r\nb", "", " ")
    )
  })
)

/** The original value of a cell, without an added apostrophe. */
const shown = (text: string) => (/^'[=+\-@\p{Cc}]/u.test(text) ? text.slice(1) : text)

/** Parses with an independent parser; the empty text is quoted, which distinguishes it from null. */
const rowsOf = (csv: string): ReadonlyArray<Record<string, string | null>> =>
  parse(csv, {
    cast: (value, { header, quoting }) => (header ? value : value === "" && !quoting ? null : value),
    columns: true
  })

describe("a record of CSV", () => {
  test("is parsed by csv-parse to the same values", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const csv = [record(columns), ...all.map((row) => record(columns.map((name) => row[name])))].join("")
        const back = rowsOf(csv).map((row) => ({
          flag: row.flag === "true",
          maybe: row.maybe == null ? null : shown(row.maybe),
          number: Number(row.number),
          parts: row.parts == null ? null : row.parts.split("; ").map(shown),
          text: shown(row.text ?? "")
        }))
        // A text that already has an apostrophe before such a character looks like one that got it.
        const kept = all.map((row) => ({
          ...row,
          maybe: row.maybe === null ? null : shown(row.maybe),
          number: row.number === 0 ? 0 : row.number,
          parts: row.parts?.length === 0 ? [""] : row.parts,
          text: shown(row.text)
        }))
        expect(back).toEqual(kept)
      })
    )
  })

  test("never starts a text as a formula, and keeps numbers as numbers", () => {
    expect(record(["=1+1", "+1", "-1", "@A1", "\tx", "\u0000", "a=1", -6.2, -0.5])).toBe(
      "'=1+1,'+1,'-1,'@A1,'\tx,'\u0000,a=1,-6.2,-0.5\r\n"
    )
    expect(record(["\r=1", null, "", ["=1"], { a: '"' }, true])).toBe('"\'\r=1",,"",\'=1,"a: """,true\r\n')
  })

  test.each([
    [[], '""'],
    [{}, '""'],
    [["a", "b"], "a; b"],
    [["a", "=1", "@b"], "a; '=1; '@b"],
    [[-0.5, 2], "'-0.5; 2"],
    [{ end: "2026-10-07", start: "2026-10-01" }, '"end: 2026-10-07, start: 2026-10-01"'],
    [{ a: null, b: { c: 1, d: [true, false] } }, '"b: c: 1, d: true; false"'],
    [
      [
        { title: "=x", url: "https://a.example/" },
        { title: null, url: "b" }
      ],
      '"title: \'=x, url: https://a.example/; url: b"'
    ],
    [{ "=a": 1 }, "'=a: 1"]
  ])("shows the value %j as readable text", (value, expected) => {
    expect(record([value])).toBe(`${expected}\r\n`)
  })
})
