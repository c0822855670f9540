import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/Crawl.ts"
import { type Cause, CrawlDiff } from "../../crawl/diff/CrawlDiff.ts"
import type { Severity } from "../../crawl/report/Finding.ts"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { hasColor, repeatedOption } from "../../foundation/terminal/Output.ts"
import { nearest, plural } from "../../foundation/text/Words.ts"

/** Formats of the report. */
export const formats = ["text", "json", "html", "csv", "sarif", "junit"] as const
type Format = (typeof formats)[number]

/** A crawl's result, what changed since the baseline, and why the gate failed; null without a baseline or conditions. */
export interface Report {
  readonly result: CrawlResult
  readonly diff: CrawlDiff | null
  readonly failed: ReadonlyArray<string> | null
}

/** The API's result with additions of the command. */
const Whole = Schema.Struct({
  ...CrawlResult.fields,
  diff: Schema.optionalWith(CrawlDiff, { exact: true }),
  gate: Schema.optionalWith(Schema.Struct({ failed: Schema.Array(Schema.String) }), { exact: true })
})
const encode = Schema.encode(Schema.parseJson(Whole))

/** The writer of a format is loaded when the format is used. */
const csv = Effect.promise(() => import("../../crawl/formats/Formats.ts"))
const html = Effect.promise(() => import("../../crawl/formats/Html.ts"))
const junit = Effect.promise(() => import("../../crawl/formats/Formats.ts"))
const sarif = Effect.promise(() => import("../../crawl/formats/Formats.ts"))
const text = Effect.promise(() => import("../../crawl/formats/Terminal.ts"))

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

const below = /^score<(\d{1,3})$/

const isCondition = (text: string): boolean => {
  const least = below.exec(text)?.[1]
  return least === undefined ? /^(?:new:)?(?:critical|warning|info)$/.test(text) : Number(least) <= 100
}

/** A condition under which a crawl fails a build. */
export const Condition = Schema.String.pipe(
  Schema.filter(isCondition, {
    message: () =>
      "must be critical, warning, info, new:critical, new:warning, new:info, or score<N with N from 0 to 100"
  })
)

/** Whether a condition needs a baseline. */
export const needsBaseline = (condition: string): boolean => condition.startsWith("new:")

/** A severity includes those above it. */
const covered: Readonly<Record<Severity, ReadonlyArray<Severity>>> = {
  critical: ["critical"],
  warning: ["critical", "warning"],
  info: ["critical", "warning", "info"]
}

const severityOf = (condition: string): Severity => {
  const word = condition.replace("new:", "")
  return word === "critical" || word === "warning" ? word : "info"
}

/** Why a baseline does not show whether an issue is new. */
const unlike: Readonly<Partial<Record<Cause, string>>> = {
  browser_differs: "another version of the browser rendered the pages of the baseline. Create it again",
  not_recorded: "the baseline is from an older version that did not keep every URL. Create it again",
  options_differ:
    "the baseline has another start URL, did not check links, or ran no scripts. Create it again with the same options"
}

/** Why one condition fails; null when it holds, left when the report cannot decide. */
const verdict = (condition: string, { findings, score }: CrawlResult, diff: CrawlDiff | null) => {
  const limit = below.exec(condition)?.[1]
  if (limit !== undefined) {
    const value = score.aggregate_score
    if (value === null) return Either.left(`${condition}: no score, because no page could be crawled`)
    return Either.right(value < Number(limit) ? `${condition}: the score is ${value}` : null)
  }
  const severities = covered[severityOf(condition)]
  if (!needsBaseline(condition)) {
    const rules = findings.filter(({ severity, status }) => status === "fail" && severities.includes(severity))
    return Either.right(
      rules.length === 0
        ? null
        : `${condition}: ${plural(rules.length, "issue")}: ${rules.map(({ rule }) => rule).join(", ")}`
    )
  }
  if (diff === null) return Either.left(`${condition} needs an earlier report. Add --baseline FILE`)
  const blind = [
    ...diff.findings.not_comparable.filter(({ severity }) => severities.includes(severity)),
    ...diff.dead_links.not_comparable
  ]
    .filter(({ found_in }) => found_in === "after")
    .find(({ cause }) => unlike[cause] !== undefined)
  if (blind !== undefined) return Either.left(`${condition}: ${unlike[blind.cause] ?? ""}`)
  const fresh = diff.findings.new.filter(({ severity }) => severities.includes(severity))
  // A page with a different broken link fails the same check in both reports, so new links count separately.
  const links = diff.dead_links.new.length
  const rules = [...new Set(fresh.map(({ rule }) => rule))]
  const reasons = [
    ...(fresh.length === 0 ? [] : [`${plural(fresh.length, "new issue")}: ${rules.join(", ")}`]),
    ...(links === 0 ? [] : [plural(links, "new broken link")])
  ]
  return Either.right(reasons.length === 0 ? null : `${condition}: ${reasons.join("; ")}`)
}

/** Why a crawl fails its gate, a sentence per failed condition; left when the report cannot decide a condition. */
export const gate = (
  conditions: ReadonlyArray<string>,
  result: CrawlResult,
  diff: CrawlDiff | null
): Either.Either<ReadonlyArray<string>, string> =>
  Either.map(Either.all(conditions.map((condition) => verdict(condition, result, diff))), (reasons) =>
    reasons.filter((reason) => reason !== null)
  )

const decode = Schema.decode(Schema.parseJson(CrawlResult))

/** The argument that names a report. */
export const reportFile = (name: string, about = "Crawl report (from `crawl --format json`)") =>
  Args.file({ name }).pipe(Args.withDescription(about))

/** An earlier report from `--format json`; `name` names it in errors. */
export const readReport = (name: string, file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      () => new Refused({ message: `${name} ${file} cannot be read. Check the path and the permissions.` })
    )
    return yield* Effect.mapError(
      decode(text),
      () => new Refused({ message: `${name} ${file} is not a crawl report. Create one with crawl --format json.` })
    )
  })

/** A report of a whole site: a recheck covers only a part, which cannot be compared. */
export const readWhole = (name: string, file: string) =>
  Effect.filterOrFail(
    readReport(name, file),
    ({ verification }) => verification === undefined,
    () =>
      new Refused({
        message: `${name} ${file} is a recheck, which covers only a part of the site. Use the report of a whole crawl.`
      })
  )

/** The id of a check of the catalogue. */
export const KnownRule = Schema.String.pipe(
  Schema.filter((text) => ruleIds.has(text), {
    message: ({ actual }) => {
      const near = nearest(String(actual), [...ruleIds])
      return `${String(actual)} is not a check${near === undefined ? "" : `. Did you mean ${near}?`}`
    }
  })
)

/** `--rule`, repeatable; `what` describes its use by the command. */
export const ruleOption = (what: string) =>
  repeatedOption("rule", KnownRule).pipe(Options.withDescription(`${what}, such as broken_link (default: all issues)`))
