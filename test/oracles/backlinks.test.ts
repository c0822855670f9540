import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { reader } from "../../src/features/backlinks/BacklinkFile.ts"
import { file, folder, isMissing, summary } from "./folder.ts"

const name = "gsc-links"

/** The content of each Search Console export for the site www.plumber.example, by the words in its name. */
const expected: ReadonlyArray<readonly [RegExp, object]> = [
  [/Latest links/, { links: [{}, {}], of: "links", source: "gsc-links" }],
  [/More sample links/, { links: [{}, {}], of: "links", source: "gsc-links" }],
  [/Top linking sites/, { domains: [{ reported_links: 3 }, { reported_links: 1240 }], of: "domains" }],
  [/Top target pages/, { line: 1, reason: expect.stringContaining("without linking pages") }],
  [/^de-sites/, { domains: [{ domain: "specimen-g.example", reported_links: 12 }] }],
  [/^he-sites/, { domains: [{ reported_links: 3 }] }]
]

describe.skipIf(isMissing(name))("the Links exports of Search Console", () => {
  test("are recognized in any language", async () => {
    const files = readdirSync(resolve(folder, name))
    for (const path of files) {
      const reading = reader("auto", "www.plumber.example")
      const problem = reading.push(await file(`${name}/${path}`).bytes(), true)
      const wanted = expected.find(([words]) => words.test(path))
      expect(problem ?? reading.take()).toMatchObject(wanted?.[1] ?? {})
    }
    summary(name, files.length, files.length)
    expect(files.length).toBeGreaterThan(5)
  })
})
