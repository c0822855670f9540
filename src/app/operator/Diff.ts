import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/Crawl.ts"
import { CrawlDiff } from "../../crawl/diff/CrawlDiff.ts"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { affectedBy, verify as verdicts } from "../../crawl/diff/Verify.ts"
import { renderChange } from "../../crawl/formats/Terminal.ts"
import { renderVerification } from "../../crawl/formats/Wording.ts"
import { noScore } from "../../crawl/score/Score.ts"
import { writtenGlobs } from "../../crawl/visit/Visitor.ts"
import { FixDirective } from "../../features/sitehealth/Domain.ts"
import { doneByReport, fixDirectives } from "../../features/sitehealth/fixes/Fixes.ts"
import { namedBase } from "../../foundation/http/Request.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { hasColor, json } from "../../foundation/terminal/Output.ts"
import { crawlWithProgress, manners, mannersOf, renderLike } from "./Crawl.ts"
import { readReport, readWhole, reportFile, ruleOption } from "./Reports.ts"

const encode = Schema.encode(Schema.parseJson(CrawlDiff))

/** `diff BEFORE AFTER`: changes between two reports of one site. */
export const diff = Command.make(
  "diff",
  {
    before: reportFile("BEFORE"),
    after: reportFile("AFTER", "Later report of the same site"),
    json
  },
  ({ after, before, json }) =>
    Effect.gen(function* () {
      const diff = diffOf(yield* readWhole("The report", before), yield* readWhole("The report", after))
      yield* Console.log(json ? yield* encode(diff) : renderChange(diff, yield* hasColor).trimEnd())
    })
).pipe(
  Command.withDescription(
    described("Show what changed between two crawl reports of a site", "diff before.json after.json")
  )
)

const encodeFixes = Schema.encode(Schema.parseJson(Schema.Array(FixDirective)))

const text = ({ agent_prompt, human_summary, severity, why_it_matters }: FixDirective): string =>
  [`## ${human_summary}`, "", `${severity}. ${why_it_matters}`, "", agent_prompt].join("\n")

const only = (result: CrawlResult, rules: ReadonlyArray<string>): CrawlResult =>
  rules.length === 0 ? result : { ...result, findings: result.findings.filter(({ rule }) => rules.includes(rule)) }

/** `fixes REPORT`: how to fix the issues of a crawl, for people and for a coding agent. */
export const fixes = Command.make(
  "fixes",
  {
    json,
    report: reportFile("REPORT"),
    rules: ruleOption("Print only the fix of this check")
  },
  ({ json, report, rules }) =>
    Effect.gen(function* () {
      const done = doneByReport(yield* namedBase, report)
      const directives = fixDirectives(only(yield* readReport("The report", report), rules), done)
      if (json) return yield* Effect.flatMap(encodeFixes(directives), Console.log)
      yield* Console.log(directives.length === 0 ? "No issues." : directives.map(text).join("\n\n"))
    })
).pipe(
  Command.withDescription(described("Print how to fix the issues of a crawl report, worst first", "fixes report.json"))
)

/** The issues were rechecked, and at least one of them is not fixed. */
class NotFixed extends Data.TaggedError("NotFixed")<{ readonly message: string; readonly exitCode: 2 }> {}

/** More URLs than the issues of any report of this command line have. */
const maxPages = 10_000

const encodeResult = Schema.encode(Schema.parseJson(CrawlResult))

const startOf = ({ pages: [first] }: CrawlResult, file: string) => {
  const url = URL.parse(first?.url ?? "")
  return url === null
    ? new Refused({ message: `The report ${file} has no pages, so there is nothing to recheck` })
    : Effect.succeed(url)
}

/** `verify REPORT`: rechecks the issues of an earlier report, and nothing else. */
export const verify = Command.make(
  "verify",
  {
    ...manners,
    json,
    report: reportFile("REPORT"),
    rules: ruleOption("Recheck only this issue")
  },
  ({ json, report: file, rules: named, ...manners }) =>
    Effect.gen(function* () {
      const before = yield* readWhole("The report", file)
      const rules = named.length === 0 ? null : named
      const { dead_links, external_links, limits, rendering } = before.summary
      const checks = {
        checkDeadLinks: dead_links.state !== "disabled",
        checkExternalLinks: external_links.state !== "disabled"
      }
      const render = yield* renderLike(rendering.mode)
      const options = {
        ...checks,
        ...mannersOf(manners),
        ...writtenGlobs(limits),
        maxPages,
        render,
        renderPages: maxPages
      }
      const only = affectedBy(before, rules)
      const after = yield* crawlWithProgress(yield* startOf(before, file), { ...options, only })
      const verification = verdicts(before, after, rules)
      yield* Console.log(
        json
          ? yield* encodeResult({ ...after, score: noScore, verification })
          : renderVerification(verification, yield* hasColor).trimEnd()
      )
      const open = verification.filter(({ verdict }) => verdict !== "fixed").length
      if (open > 0)
        return yield* new NotFixed({
          exitCode: 2,
          message: `${open} of ${verification.length} issues ${open === 1 ? "is" : "are"} not fixed`
        })
    })
).pipe(
  Command.withDescription(
    described("Recheck only the issues of an earlier crawl report", "verify report.json", {
      0: "Every issue is fixed",
      2: "At least one issue is not fixed, or the recheck is unclear"
    })
  )
)
