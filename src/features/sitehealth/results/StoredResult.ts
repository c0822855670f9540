import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { withList } from "../../../foundation/schema/LongJson.ts"
import { mapped, unhurried } from "../../../foundation/schema/Steps.ts"

/** A result as its column holds it. Its pages may be megabytes, so they are read and written in steps, between which other work runs. */
export const StoredResult = Schema.Struct(
  { pages: Schema.Array(Schema.Unknown) },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
)
type StoredResult = typeof StoredResult.Type

const decodePage = Schema.decodeUnknownSync(MeasuredPage)
const encodePage = Schema.encodeSync(MeasuredPage)
const decodeRest = Schema.decodeUnknownSync(CrawlResult)
const encodeRest = Schema.encodeSync(CrawlResult)

/** The cost of reading or writing a page, in characters. */
const worth = 2048

/** The result that was stored. */
export const decodeResult = (stored: StoredResult): Effect.Effect<CrawlResult> =>
  Effect.map(unhurried(mapped(stored.pages, worth, (page) => decodePage(page))), (pages) => ({
    ...decodeRest({ ...stored, pages: [] }),
    pages
  }))

/** A result as JSON. */
export const encodeResult = (result: CrawlResult): Effect.Effect<Uint8Array> => {
  const { pages: _, ...rest } = encodeRest({ ...result, pages: [] })
  return unhurried(withList(rest, "pages", result.pages, worth, (page) => JSON.stringify(encodePage(page))))
}
