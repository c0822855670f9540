import { describe, expect, it } from "bun:test"
import { strayWords } from "../words.ts"

describe("the glossary", () => {
  it("finds a word with another term, in any case, as a plural and across lines", () => {
    expect(strayWords("Three Dead\nLinks")).toEqual(["dead link → broken link"])
    expect(strayWords("The newest run")).toEqual(["a run → crawl", "newest → latest"])
  })

  it("ignores names in code, URLs, paths, fields and options", () => {
    expect(
      strayWords("Send `run` to POST /api/v1/projects with project_id, see https://a.example/node, or --address")
    ).toEqual([])
  })

  it("allows a word in a phrase in which it is right", () => {
    expect(strayWords("An email address, and the runs of a prompt run: Lighthouse runs here")).toEqual([
      "a run → crawl"
    ])
    expect(strayWords("The run asked each engine", true)).toEqual([])
    expect(strayWords("The IP addresses of a robots.txt rule")).toEqual([])
  })
})
