import * as Schema from "effect/Schema"
import { ScorePoints } from "./ScorePoints.ts"

const Range = <A, I>(value: Schema.Schema<A, I>) => Schema.NullOr(Schema.Struct({ lowest: value, highest: value }))

const Measured = Range(Schema.NonNegative)

/** Lowest and highest values of the runs behind an audit; null for a metric that no run measured. */
export const Spread = Schema.Struct({
  runs: Schema.Int,
  performance: Range(ScorePoints),
  lcp_ms: Measured,
  fcp_ms: Measured,
  ttfb_ms: Measured,
  cls: Measured
}).annotations({ identifier: "AuditSpread" })
export type Spread = typeof Spread.Type
