import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeResult, encodeResult, StoredResult } from "../../../../src/features/sitehealth/results/Results.ts"
import { report } from "../../../crawl/site/Crawled.ts"
import { html } from "../../../crawl/site/Html.ts"
import { memoryOutbound } from "../../../crawl/site/MemoryOutbound.ts"
import { it } from "../../../harness.ts"

const site = memoryOutbound(({ pathname }) =>
  pathname === "/gone" ? { status: 404 } : { body: html({ links: ["/", "/a", "/gone"], title: pathname }) }
)

it("a stored result is read back unchanged, with its pages last", function* () {
  const result = yield* Effect.provide(report("http://site.test/"), site)
  const text = new TextDecoder().decode(yield* encodeResult(result))
  expect(Object.keys(JSON.parse(text)).at(-1)).toBe("pages")
  const stored = yield* Schema.decode(Schema.parseJson(StoredResult))(text)
  expect(yield* decodeResult(stored)).toEqual(result)
})
