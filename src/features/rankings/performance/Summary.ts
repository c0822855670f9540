import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Count } from "../../../foundation/schema/Scalars.ts"
import { Coverage, StatusCounts } from "../Domain.ts"

/** Impressions and clicks of some days. */
export const Sums = Schema.Struct({
  impressions: Count.annotations({ description: "Impressions of all days" }),
  clicks: Count.annotations({ description: "Clicks of all days" })
}).annotations({ identifier: "SearchTotals", description: "Impressions and clicks of a range of days" })

/** Where totals come from. */
export const TotalsSource = Schema.NullOr(Schema.Literal("property", "pages", "mixed"))

/** The movements of a project's rankings, and its totals in both windows: never sums over queries. */
export const Summary = Schema.Struct({
  ...StatusCounts.fields,
  current: Schema.NullOr(Sums).annotations({
    description:
      "Sums of the window that ends at the newest day: of the property, or of the pages where the property's are not known; null where only queries are known"
  }),
  previous: Schema.NullOr(Sums).annotations({ description: "The same of the window before it" }),
  totals_source: field(
    TotalsSource,
    "Where `current` and `previous` come from; `mixed` where that differs by day; null without both"
  ),
  coverage: Schema.NullOr(Coverage).annotations({
    description: "How many days of the windows have data; null while there are none"
  })
}).annotations({
  identifier: "RankingSummary",
  description: "How the rankings of a project moved, and its totals in both windows"
})
export type Summary = typeof Summary.Type
