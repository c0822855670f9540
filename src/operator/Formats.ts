import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../crawl/Crawl.ts"
import { renderCsv } from "../crawl/console/Csv.ts"
import { renderHtml } from "../crawl/console/HtmlReport.ts"
import { renderJunit } from "../crawl/console/Junit.ts"
import { renderSarif } from "../crawl/console/Sarif.ts"
import { renderReport } from "../crawl/console/Terminal.ts"
import { CrawlDiff } from "../crawl/diff/CrawlDiff.ts"
import { hasColor } from "../terminal/Console.ts"

/** Forms of the report. */
export const formats = ["text", "json", "html", "csv", "sarif", "junit"] as const
export type Format = (typeof formats)[number]

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

/** The report in one of its forms. */
export const rendered = (format: Format, { diff, failed, result }: Report) => {
  switch (format) {
    case "text":
      return Effect.map(hasColor, (color) => renderReport(result, { color, diff }))
    case "json":
      return encode({
        ...result,
        ...(diff === null ? {} : { diff }),
        ...(failed === null ? {} : { gate: { failed } })
      })
    case "html":
      return renderHtml(result, diff)
    case "csv":
      return Effect.succeed(renderCsv(result, diff).trimEnd())
    case "sarif":
      return Effect.succeed(renderSarif(result, diff).trimEnd())
    case "junit":
      return Effect.succeed(renderJunit(result).trimEnd())
  }
}
