import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { RankingStatus } from "../Domain.ts"
import * as OrderBlocks from "./OrderBlocks.ts"
import type { PageRequest } from "./Page.ts"

type Encoded = typeof PageRequest.Encoded

/** A part of the list that is stored in order: all records, or those of some statuses, which are merged. */
interface Run {
  readonly statuses: ReadonlyArray<RankingStatus> | null
  /** The records of a generation `g`, of the status `s.status` where there are statuses, as `r`. */
  readonly records: Fragment
  /** Of a record `r`: whether it follows the last one read. */
  readonly isBehind: Fragment
}

/** An order of the list, for the page that follows a position. */
export interface Order {
  /** Of records `r`, as `ORDER BY` takes it. */
  readonly by: Fragment
  /** The same within a run. */
  readonly within: Fragment
  readonly isBehind: Fragment
  readonly runs: ReadonlyArray<Run>
}

/** The order of all lists without another one. */
export const usual = { order: "desc", sort: "impressions" } as const

/** Whether a list is ordered by what it compares first in the direction in which ids rise among equals; the other direction is the reverse of it. */
const isForward = ({ order, sort }: Pick<Encoded, "order" | "sort">) => (order === "asc") === (sort === "position")

/** What each order compares before the id. */
const columns = {
  clicks: ["-r.clicks"],
  impressions: ["-r.impressions", "-r.clicks"],
  position: ["r.current_position"],
  position_delta: ["-r.position_delta"]
} as const

/** The orders of lists as SQL. */
export const make = (sql: SqlClient.SqlClient) => {
  const every = sql`true`
  const nothing = sql`false`
  const blocks = OrderBlocks.make(sql)

  const valuesOf = (sort: Encoded["sort"], [, value, clicks]: NonNullable<Encoded["after"]>): Fragment => {
    const number = value ?? 0
    switch (sort) {
      case "clicks":
        return sql`${-number}::bigint`
      case "impressions":
        return sql`${-number}::bigint, ${-clicks}::bigint`
      case "position":
        return sql`${number}::float8`
      case "position_delta":
        return sql`${-number}::float8`
    }
  }

  const follows = (request: Encoded): Fragment => {
    const { after, sort } = request
    if (after === null) return every
    const place = sql.literal(`(${columns[sort].join(", ")}, r.key) ${isForward(request) ? ">" : "<"}`)
    return sql`${place} (${valuesOf(sort, after)}, ${after[3]}::uuid)`
  }

  /** Records without a position come last in both directions; the last one read may be one of them. */
  const byPosition = (request: Encoded) => {
    const { after, filters } = request
    const isPast = after !== null && after[1] === null
    const sign = sql.literal(isForward(request) ? ">" : "<")
    const known = isPast ? nothing : follows(request)
    const lost = isPast ? sql`r.key ${sign} ${after[3]}::uuid` : every
    const wanted = filters.status === undefined ? RankingStatus.literals : [filters.status]
    const isBounded = filters.min_position !== undefined || filters.max_position !== undefined
    const records = (isLost: boolean) => blocks.relation(request, isForward(request), isLost)
    return {
      isBehind: sql`CASE WHEN r.current_position IS NULL THEN ${lost} ELSE ${known} END`,
      runs: [
        { isBehind: known, records: records(false), statuses: wanted.filter((status) => status !== "lost" && !isPast) },
        {
          isBehind: sql`r.current_position IS NULL AND ${lost}`,
          records: records(true),
          statuses: wanted.filter((status) => status === "lost" && !isBounded)
        }
      ].filter(({ statuses }) => statuses.length > 0)
    }
  }

  return (request: Encoded): Order => {
    const { filters, sort } = request
    const way = isForward(request) ? "" : " DESC"
    const within = [...columns[sort], "r.key"].map((column) => `${column}${way}`).join(", ")
    const by = sql.literal(within)
    if (sort === "impressions") {
      const isBehind = follows(request)
      const isOf = sql.literal("(SELECT * FROM rankings WHERE generation = g.id")
      const all = { isBehind, records: sql`${isOf}) AS r`, statuses: null }
      const run =
        filters.status === undefined
          ? all
          : { isBehind, records: sql`${isOf} AND ranking_status = s.status) AS r`, statuses: [filters.status] }
      return { by, isBehind, runs: [run], within: by }
    }
    const inBlocks = blocks.within(isForward(request))
    if (sort === "position")
      return { ...byPosition(request), by: sql`r.current_position IS NULL, ${by}`, within: inBlocks }
    const isBehind = follows(request)
    const statuses = filters.status === undefined ? RankingStatus.literals : [filters.status]
    const records = blocks.relation(request, isForward(request), false)
    return { by, isBehind, runs: [{ isBehind, records, statuses }], within: inBlocks }
  }
}
