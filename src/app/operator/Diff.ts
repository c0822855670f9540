import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { renderChange } from "../../crawl/console/TerminalChange.ts"
import { CrawlDiff } from "../../crawl/diff/CrawlDiff.ts"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { hasColor, json } from "../../foundation/terminal/Output.ts"
import { readWhole, reportFile } from "./Reports.ts"

const encode = Schema.encode(Schema.parseJson(CrawlDiff))

/** `diff BEFORE AFTER`: what changed between two reports of one site. */
export const diff = Command.make(
  "diff",
  {
    before: reportFile("BEFORE"),
    after: reportFile("AFTER", "the later report"),
    json
  },
  ({ after, before, json }) =>
    Effect.gen(function* () {
      const diff = diffOf(yield* readWhole("The report", before), yield* readWhole("The report", after))
      yield* Console.log(json ? yield* encode(diff) : renderChange(diff, yield* hasColor).trimEnd())
    })
).pipe(
  Command.withDescription(
    described("print what changed between two reports of one site", "diff before.json after.json")
  )
)
