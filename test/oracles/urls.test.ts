import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { parseUrl } from "../../src/crawl/page/UrlIdentity.ts"
import { file, isMissing, summary } from "./folder.ts"

const name = "wpt-urltestdata.json"

const parts = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash"
] as const

const Parts = Schema.Struct({
  href: Schema.String,
  origin: Schema.optional(Schema.String),
  protocol: Schema.String,
  username: Schema.String,
  password: Schema.String,
  host: Schema.String,
  hostname: Schema.String,
  port: Schema.String,
  pathname: Schema.String,
  search: Schema.String,
  hash: Schema.String
})
const Question = { input: Schema.String, base: Schema.NullOr(Schema.String) }
const Case = Schema.Union(
  Schema.Struct({ ...Question, failure: Schema.Literal(true) }),
  Schema.Struct({ ...Question, ...Parts.fields })
)
const Rows = Schema.Array(Schema.Union(Schema.String, Case))

/** Errors of the runtime's own URL: hosts with invalid Punycode, and origins of schemes without one. */
const knownFailures = new Set([
  "http://a.b.c.xn--pokxncvks",
  "http://10.0.0.xn--pokxncvks",
  "http://a.b.c.XN--pokxncvks",
  "http://a.b.c.Xn--pokxncvks",
  "http://10.0.0.XN--pokxncvks",
  "http://10.0.0.xN--pokxncvks",
  "file://xn--/p",
  "https://xn--/",
  "ftps:/example.com/",
  "ftps:example.com/",
  "blob:ftp://host/path",
  "blob:ws://example.org/",
  "blob:wss://example.org/"
])

const isRight = (row: typeof Case.Type): boolean => {
  const url = parseUrl(row.input, row.base)
  if ("failure" in row) return url === null
  return url !== null && parts.every((part) => row[part] === undefined || url[part] === row[part])
}

describe.skipIf(isMissing(name))("the web platform's URL cases", () => {
  test("resolve as expected, except for known failures of the runtime", async () => {
    const rows = Schema.decodeUnknownSync(Rows)(await file(name).json())
    const cases = rows.filter((row) => typeof row !== "string")
    const wrong = cases.filter((row) => !isRight(row))
    const known = wrong.filter(({ input }) => knownFailures.has(input))
    summary(
      `wpt-urls (${known.length} known failures of the runtime apart)`,
      cases.length - wrong.length,
      cases.length - known.length
    )
    expect(wrong.filter(({ input }) => !knownFailures.has(input))).toEqual([])
    expect(cases.length).toBeGreaterThan(800)
  })
})
