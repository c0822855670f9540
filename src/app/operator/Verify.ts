import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/Crawl.ts"
import { renderVerification } from "../../crawl/console/Verification.ts"
import { affectedBy, verify as verdicts } from "../../crawl/diff/Verify.ts"
import { noScore } from "../../crawl/score/Score.ts"
import { writtenGlobs } from "../../crawl/visit/Scope.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { hasColor, json } from "../../foundation/terminal/Output.ts"
import { crawlWithProgress } from "./Crawling.ts"
import { manners, mannersOf } from "./Manners.ts"
import { readWhole, reportFile, ruleOption } from "./Reports.ts"

/** The faults were checked, and at least one of them is not repaired. */
class NotFixed extends Data.TaggedError("NotFixed")<{ readonly message: string; readonly exitCode: 2 }> {}

/** More URLs than any report of this command line fails on. */
const maxPages = 10_000

const encode = Schema.encode(Schema.parseJson(CrawlResult))

const startOf = ({ pages: [first] }: CrawlResult, file: string) => {
  const url = URL.parse(first?.url ?? "")
  return url === null ? new Refused({ message: `The report ${file} names no page` }) : Effect.succeed(url)
}

/** `verify REPORT`: checks again what failed in an earlier report, and nothing else. */
export const verify = Command.make(
  "verify",
  {
    ...manners,
    json,
    report: reportFile("REPORT"),
    rules: ruleOption("check only this rule")
  },
  ({ json, report: file, rules: named, ...manners }) =>
    Effect.gen(function* () {
      const before = yield* readWhole("The report", file)
      const rules = named.length === 0 ? null : named
      const { dead_links, external_links, limits } = before.summary
      const checks = {
        checkDeadLinks: dead_links.state !== "disabled",
        checkExternalLinks: external_links.state !== "disabled"
      }
      const options = { ...checks, ...mannersOf(manners), ...writtenGlobs(limits), maxPages }
      const only = affectedBy(before, rules)
      const after = yield* crawlWithProgress(yield* startOf(before, file), { ...options, only })
      const verification = verdicts(before, after, rules)
      yield* Console.log(
        json
          ? yield* encode({ ...after, score: noScore, verification })
          : renderVerification(verification, yield* hasColor).trimEnd()
      )
      const open = verification.filter(({ verdict }) => verdict !== "fixed").length
      if (open > 0)
        return yield* new NotFixed({
          exitCode: 2,
          message: `${open} of ${verification.length} ${open === 1 ? "is" : "are"} not fixed`
        })
    })
).pipe(Command.withDescription(described("check again only what failed in a report", "verify report.json")))
