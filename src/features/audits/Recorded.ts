import * as Schema from "effect/Schema"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { AuditFailure } from "./AuditFailure.ts"
import { AuditId } from "./AuditId.ts"
import { Device } from "./Device.ts"
import { MetricSources } from "./MetricSources.ts"
import { ScorePoints } from "./ScorePoints.ts"
import { Source } from "./Source.ts"
import { Spread } from "./Spread.ts"

/** An audit as the operator sees it, completed or failed; the API shows completed ones only. */
export const Recorded = Schema.Struct({
  id: AuditId,
  status: Schema.Literal("completed", "failed"),
  source: Source,
  url: Schema.String,
  device: Schema.NullOr(Device),
  lighthouse_version: Schema.NullOr(Schema.String),
  overall_score: Schema.NullOr(ScorePoints),
  metric_sources: Schema.NullOr(MetricSources),
  spread: Schema.NullOr(Spread),
  failure: Schema.NullOr(AuditFailure),
  created_at: Timestamp
})
export type Recorded = typeof Recorded.Type
