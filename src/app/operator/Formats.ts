import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/Crawl.ts"
import { CrawlDiff } from "../../crawl/diff/CrawlDiff.ts"
import { hasColor } from "../../foundation/terminal/Output.ts"

/** Formats of the report. */
export const formats = ["text", "json", "html", "csv", "sarif", "junit"] as const
type Format = (typeof formats)[number]

/** A crawl's result, what changed since the baseline, and why the gate failed; null without a baseline or conditions. */
export interface Report {
  readonly result: CrawlResult
  readonly diff: CrawlDiff | null
  readonly failed: ReadonlyArray<string> | null
}

/** The result as the API answers it, with what the command adds. */
const Whole = Schema.Struct({
  ...CrawlResult.fields,
  diff: Schema.optionalWith(CrawlDiff, { exact: true }),
  gate: Schema.optionalWith(Schema.Struct({ failed: Schema.Array(Schema.String) }), { exact: true })
})
const encode = Schema.encode(Schema.parseJson(Whole))

/** The writer of a format is loaded when the format is used. */
const csv = Effect.promise(() => import("../../crawl/console/Csv.ts"))
const html = Effect.promise(() => import("../../crawl/console/HtmlReport.ts"))
const junit = Effect.promise(() => import("../../crawl/console/Junit.ts"))
const sarif = Effect.promise(() => import("../../crawl/console/Sarif.ts"))
const text = Effect.promise(() => import("../../crawl/console/Terminal.ts"))

/** The report in one format. */
export const rendered = (format: Format, { diff, failed, result }: Report) => {
  switch (format) {
    case "text":
      return Effect.zipWith(text, hasColor, ({ renderReport }, color) => renderReport(result, { color, diff }))
    case "json":
      return encode({
        ...result,
        ...(diff === null ? {} : { diff }),
        ...(failed === null ? {} : { gate: { failed } })
      })
    case "html":
      return Effect.flatMap(html, ({ renderHtml }) => renderHtml(result, diff))
    case "csv":
      return Effect.map(csv, ({ renderCsv }) => renderCsv(result, diff).trimEnd())
    case "sarif":
      return Effect.map(sarif, ({ renderSarif }) => renderSarif(result, diff).trimEnd())
    case "junit":
      return Effect.map(junit, ({ renderJunit }) => renderJunit(result).trimEnd())
  }
}
