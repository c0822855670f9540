import { describe, expect, test } from "bun:test"
import { decide } from "../../src/crawl/page/Encoding.ts"
import { file, isMissing, summary } from "./folder.ts"

const name = "html5lib-encoding"
const files = ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"]

/** The files mix encodings: they are cut as latin1, one character a byte. */
const casesOf = async (path: string) => {
  const text = Buffer.from(await file(`${name}/${path}`).bytes()).toString("latin1")
  return text
    .split(/(?:^|\n)#data\n/)
    .slice(1)
    .map((part) => {
      const cut = part.lastIndexOf("\n#encoding\n")
      const expected = part
        .slice(cut + "\n#encoding\n".length)
        .trim()
        .toLowerCase()
      return { bytes: Uint8Array.from(Buffer.from(part.slice(0, cut), "latin1")), expected: expected.split("\n")[0] }
    })
}

describe.skipIf(isMissing(name))("the html5lib encoding tests", () => {
  test("give every document its expected encoding", async () => {
    const cases = (await Promise.all(files.map(casesOf))).flat()
    const wrong = cases.filter(({ bytes, expected }) => decide(bytes, null).name !== expected)
    summary(name, cases.length - wrong.length, cases.length)
    expect(wrong.map(({ bytes, expected }) => [Buffer.from(bytes).toString("latin1"), expected])).toEqual([])
    expect(cases.length).toBeGreaterThan(80)
  })
})
