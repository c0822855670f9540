import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import * as EventKind from "../events/EventKind.ts"
import { IsoDate, KeywordRanking } from "./Domain.ts"

const { clicks, current_position, impressions, page_path, period, position_delta, query, site_id } =
  KeywordRanking.fields
const [Position] = current_position.members

const movement = {
  site_id,
  query,
  page_path,
  previous_position: Position.annotations({
    description: "Average position in the previous period, weighted by impressions"
  }),
  position_delta: position_delta.annotations({
    description: "`previous_position` − `current_position`; 0 when the query was lost"
  }),
  period,
  impressions,
  clicks
}

const where = {
  site_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
  query: "webhook signature",
  page_path: "/docs/webhooks",
  period: { start: "2026-11-12", end: "2026-11-18" }
}

/** A tracked query fell by more than 3 positions, or fell out of the results. */
export const rankingDropped = EventKind.make({
  type: "ranking.dropped",
  description: "A query dropped by more than 3 positions, or no longer ranks.",
  data: Schema.Struct({
    ...movement,
    current_position: current_position.annotations({ description: "Null when the query was lost" })
  }),
  example: {
    ...where,
    previous_position: 4.2,
    current_position: 9.7,
    position_delta: -5.5,
    impressions: 310,
    clicks: 6
  }
})

/** A tracked query rose from below position 10 to positions 4 to 10. */
export const rankingClimbed = EventKind.make({
  type: "ranking.climbed",
  description: "A query improved from below position 10 to positions 4 to 10.",
  data: Schema.Struct({
    ...movement,
    current_position: Position.annotations({
      description: "Average position in the current period, weighted by impressions"
    })
  }),
  example: {
    ...where,
    previous_position: 14.8,
    current_position: 6.3,
    position_delta: 8.5,
    impressions: 540,
    clicks: 31
  }
})

const Clicks = Schema.NonNegative

const Range = Schema.Struct({ start: field(IsoDate, "First day"), end: field(IsoDate, "Last day") }).annotations({
  identifier: "TrafficWindow",
  description: "28 days, both inclusive"
})

const traffic = {
  site_id,
  subject: Schema.Literal("site", "page").annotations({ description: "Scope: the whole site, or one page" }),
  page_path: Schema.NullOr(page_path).annotations({
    description: "Path and query string of the page; null for the whole site"
  }),
  before: field(Clicks, "Clicks in the 28 days before the drop; fixed until the drop is over"),
  after: field(Clicks, "Clicks in the latest 28 days"),
  change_percent: Schema.Number.annotations({ description: "Change of clicks in percent" }),
  interval: Schema.Tuple(Schema.Number, Schema.Number).annotations({
    description: "95% interval of the change in percent: lower and upper end"
  }),
  windows: field(
    Schema.Struct({
      current: field(Range, "The latest 28 days"),
      previous: field(Range, "The previous 28 days")
    }).annotations({ identifier: "TrafficWindows", description: "The periods at the time of the import" }),
    "The periods at the time of the import"
  )
}

const windows = {
  current: { start: "2026-10-22", end: "2026-11-18" },
  previous: { start: "2026-09-24", end: "2026-10-21" }
}

/** The clicks of a site, or of a page, fell by more than the usual variation between weeks. */
export const trafficDropped = EventKind.make({
  type: "traffic.dropped",
  description: "A site or page has significantly fewer clicks than in the four weeks before.",
  data: Schema.Struct(traffic),
  example: {
    site_id: where.site_id,
    subject: "page",
    page_path: "/docs/webhooks",
    before: 1240,
    after: 806,
    change_percent: -35,
    interval: [-44.1, -24.4],
    windows
  }
})

/** A reported drop of traffic is over. */
export const trafficRecovered = EventKind.make({
  type: "traffic.recovered",
  description: "A drop in clicks is over: clicks recovered, or are no longer significantly lower.",
  data: Schema.Struct(traffic),
  example: {
    site_id: where.site_id,
    subject: "site",
    page_path: null,
    before: 18_400,
    after: 17_950,
    change_percent: -2.4,
    interval: [-9.8, 5.5],
    windows
  }
})
