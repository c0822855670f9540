import * as Schema from "effect/Schema"
import * as EventKind from "../events/EventKind.ts"
import { KeywordRanking } from "./Domain.ts"

const { clicks, current_position, impressions, page_path, period, position_delta, query, site_id } =
  KeywordRanking.fields
const [Position] = current_position.members

const movement = {
  site_id,
  query,
  page_path,
  previous_position: Position.annotations({
    description: "Impression-weighted mean position of the previous period"
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
  description: "A tracked query dropped by more than 3 positions, or is no longer found at all.",
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

/** A tracked query came from behind the first page into positions 4 to 10. */
export const rankingClimbed = EventKind.make({
  type: "ranking.climbed",
  description: "A tracked query climbed from beyond position 10 into positions 4 to 10.",
  data: Schema.Struct({
    ...movement,
    current_position: Position.annotations({ description: "Impression-weighted mean position of the current period" })
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
