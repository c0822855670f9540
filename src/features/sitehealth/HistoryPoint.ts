import * as Schema from "effect/Schema"
import { FindingCounts, FindingStatus } from "../../crawl/report/Finding.ts"
import { field } from "../../foundation/schema/Field.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { RunId, RunScore } from "./Domain.ts"

const RuleVerdict = Schema.Struct({
  status: field(FindingStatus, "Verdict; `not_assessed` also where the run did not know the rule yet"),
  count: Schema.Int.annotations({ description: "Pages that fail it; 0 unless the status is `fail`" })
}).annotations({ identifier: "SiteHealthRuleVerdict", description: "What one run says of a rule" })

/** What one run adds to the history of a site. */
export const HistoryPoint = Schema.Struct({
  run_id: RunId.annotations({ description: "UUID of the run" }),
  finished_at: field(Timestamp, "When it ended"),
  score: Schema.NullOr(RunScore).annotations({
    description: "Score of the site; null where nothing could be measured"
  }),
  findings: field(FindingCounts, "Failing rules by severity"),
  rule: Schema.optionalWith(RuleVerdict, { exact: true }).annotations({
    description: "With `rule`: what the run says of it; absent otherwise"
  })
}).annotations({ identifier: "SiteHealthHistoryPoint", description: "What one run adds to the history of a site" })
