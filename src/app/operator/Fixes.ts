import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../crawl/Crawl.ts"
import { FixDirective } from "../../features/sitehealth/Domain.ts"
import { doneByReport } from "../../features/sitehealth/fixes/Done.ts"
import { fixDirectives } from "../../features/sitehealth/fixes/FixDirectives.ts"
import { namedBase } from "../../foundation/http/PublicUrl.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { json } from "../../foundation/terminal/Output.ts"
import { readReport, reportFile, ruleOption } from "./Reports.ts"

const encode = Schema.encode(Schema.parseJson(Schema.Array(FixDirective)))

const text = ({ agent_prompt, human_summary, severity, why_it_matters }: FixDirective): string =>
  [`## ${human_summary}`, "", `${severity}. ${why_it_matters}`, "", agent_prompt].join("\n")

const only = (result: CrawlResult, rules: ReadonlyArray<string>): CrawlResult =>
  rules.length === 0 ? result : { ...result, findings: result.findings.filter(({ rule }) => rules.includes(rule)) }

/** `fixes REPORT`: how to repair what a crawl found, for people and for a coding agent. */
export const fixes = Command.make(
  "fixes",
  {
    json,
    report: reportFile("REPORT"),
    rules: ruleOption("only of this rule")
  },
  ({ json, report, rules }) =>
    Effect.gen(function* () {
      const done = doneByReport(yield* namedBase, report)
      const directives = fixDirectives(only(yield* readReport("The report", report), rules), done)
      if (json) return yield* Effect.flatMap(encode(directives), Console.log)
      yield* Console.log(directives.length === 0 ? "Nothing fails." : directives.map(text).join("\n\n"))
    })
).pipe(Command.withDescription(described("print how to repair what a crawl found, worst first", "fixes report.json")))
