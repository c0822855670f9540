import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { match } from "../../src/crawl/robots/Match.ts"
import { parse } from "../../src/crawl/robots/Parse.ts"
import { file, isMissing, summary } from "./folder.ts"

const name = "robots-ctc.json"

const Cases = Schema.Array(
  Schema.Struct({
    file: Schema.String,
    robots: Schema.String,
    url: Schema.String,
    ua: Schema.String,
    exp: Schema.String
  })
)

describe.skipIf(isMissing(name))("the robots conformance cases", () => {
  test("are all decided as expected", async () => {
    const cases = Schema.decodeUnknownSync(Cases)(await file(name).json())
    const wrong = cases.filter(({ exp, robots, ua, url }) => {
      const { allowed } = match(parse(Uint8Array.fromHex(robots)), ua, url)
      return (allowed ? "ALLOWED" : "DISALLOWED") !== exp
    })
    summary("robots-ctc", cases.length - wrong.length, cases.length)
    expect(wrong).toEqual([])
    expect(cases.length).toBeGreaterThan(100)
  })
})
