import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { criticalT } from "../../../foundation/statistics/Distributions.ts"
import { Events } from "../../events/Events.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { trafficDropped, trafficRecovered } from "../Events.ts"
import { batch, type Decay } from "../opportunities/Compute.ts"
import { PagesRepo } from "../opportunities/Rows.ts"
import {
  type Change,
  changeBetween,
  changeOf,
  type Variation,
  type Weeks,
  weekly
} from "../opportunities/statistics/Decay.ts"
import { historyLength, splitAt, windowsAt } from "../opportunities/Weeks.ts"
import type { Site } from "../Site.ts"

/** The fewest clicks of the window before a drop. */
export const leastClicks = 50

/** The share of the clicks before a drop that ends it. */
const recovered = 0.9

/**
 * The largest P(a change at least as low without a real change) for the start and for the continuation of a drop; for the start on pages, their q-value
 * (Benjamini and Hochberg 1995). Every import compares again, so the levels are stricter than in a list that is read once: on a site without changes, at most
 * one import in a hundred reports a drop (`bun run campaign opportunities`).
 */
export const levels = {
  page: { begins: 0.005, lasts: 0.05 },
  site: { begins: 0.001, lasts: 0.01 }
} as const

/** The base of a drop while it lasts: clicks of the window before, and the variation of weeks then. */
export interface Base extends Variation {
  readonly before: number
}

export const baseOf = (weeks: Weeks, { before }: Change): Base => ({ ...weekly(weeks), before })

const sumOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)

/** The change from before a drop to the newest window; `season` is the property's yearly drop, as ln. */
export const since = (base: Base, weeks: Weeks, season: number): Change =>
  changeBetween(base.before, sumOf(weeks.now), base, season)

/** Whether a drop is over: nearly all clicks are back, or they are no longer significantly fewer. */
export const isOver = ({ before, now, p }: Change, level: number): boolean => now >= recovered * before || p > level

const percent = (log: number) => 100 * Math.expm1(log)

/** A change in per cent, with its 95 % interval, including the season. */
const percentOf = ({ before, error, freedom, now, theta }: Change, season: number) => {
  const half = criticalT(freedom) * error
  return {
    change_percent: 100 * (now / before - 1),
    interval: [percent(theta + season - half), percent(theta + season + half)] as const
  }
}

const Clicks = Schema.Record({ key: Schema.String, value: Schema.Number })

/** A current drop, of a page or, with an empty path, of the site. */
const Fall = Schema.Struct({
  before: Schema.Number,
  freedom: Schema.Int,
  page_path: Schema.String,
  told: Schema.Boolean,
  variance: Schema.Number
})
type Fall = typeof Fall.Type

/** Drops of search traffic. */
export class TrafficRepo extends Effect.Service<TrafficRepo>()("rankings/traffic/TrafficRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Clicks of whole weeks: of the property if known, else of the pages. */
    const siteWeeks = Query.one({
      Request: Schema.Struct({ end: Schema.String, number: Schema.Int, start: Schema.String }),
      Result: Schema.Struct({ weeks: Clicks }),
      execute: ({ end, number, start }) => sql`
        SELECT coalesce(json_object_agg(week, clicks), '{}') AS weeks FROM (
          SELECT (${end}::date - day) / 7 AS week, sum(clicks)::float8 AS clicks FROM (
            SELECT DISTINCT ON (day) day, clicks FROM ranking_days
            WHERE site = ${number} AND level IN ('property', 'pages') AND day BETWEEN ${start}::date AND ${end}::date ORDER BY day, level DESC
          ) AS d GROUP BY week HAVING count(*) = 7
        ) AS w`
    })

    /** Drops of pages after a path, in the order of paths. */
    const page = Query.all({
      Request: Schema.Struct({ after: Schema.String, count: Schema.Int, site: ProjectId }),
      Result: Fall,
      execute: ({ after, count, site }) => sql`
        SELECT page_path, before, variance, freedom, told FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path > ${after}
        ORDER BY page_path LIMIT ${count}`
    })

    const ofSite = Query.first({
      Request: Schema.Struct({ site: ProjectId }),
      Result: Fall,
      execute: ({ site }) => sql`
        SELECT page_path, before, variance, freedom, told FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path = ''`
    })

    /** The pages among some that have a current drop. */
    const underWay = Query.all({
      Request: Schema.Struct({ paths: Schema.Array(Schema.String), site: ProjectId }),
      Result: Schema.Struct({ page_path: Schema.String }),
      execute: ({ paths, site }) => sql`
        SELECT page_path FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path = ANY (${paths}::text[])`
    })

    const add = Query.none({
      Request: Schema.Struct({ falls: Schema.Array(Fall), site: ProjectId }),
      execute: ({ falls, site }) => sql`
        INSERT INTO ranking_traffic_falls (site_id, page_path, before, variance, freedom, told)
        SELECT ${site}::uuid, * FROM unnest(${falls.map(({ page_path }) => page_path)}::text[], ${falls.map(({ before }) => before)}::float8[],
          ${falls.map(({ variance }) => variance)}::float8[], ${falls.map(({ freedom }) => freedom)}::integer[], ${falls.map(({ told }) => told)}::boolean[])`
    })

    const end = Query.none({
      Request: Schema.Struct({ paths: Schema.Array(Schema.String), site: ProjectId }),
      execute: ({ paths, site }) => sql`
        DELETE FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path = ANY (${paths}::text[])`
    })

    return { add, end, ofSite, page, siteWeeks, underWay }
  })
}) {}

/** The most pages that one generation reports: the pages with the largest losses. */
const pagesAtMost = 20

/** The path for the drop of a whole site. */
const whole = ""

/** A site, with the results of decay on its pages. */
interface Compared {
  readonly decay: Decay
  readonly newestDay: string
  /** The site's number in facts. */
  readonly number: number
  readonly site: Pick<Site, "account" | "id">
}

/** A change that begins or ends a drop. */
interface Told {
  readonly change: Change
  readonly path: string
}

const lost = ({ before, now }: Change) => before - now

/** Publishes an event when search traffic drops, and when it recovers, in the transaction that records the drop. */
export class Traffic extends Effect.Service<Traffic>()("rankings/traffic/Traffic", {
  dependencies: [Events.Default, PagesRepo.Default, TrafficRepo.Default],
  effect: Effect.gen(function* () {
    const { publishAll } = yield* Events
    const pages = yield* PagesRepo
    const repo = yield* TrafficRepo

    const publish = (
      { decay: { season }, newestDay, site }: Compared,
      kind: typeof trafficDropped | typeof trafficRecovered,
      changes: ReadonlyArray<Told>
    ) => {
      const windows = windowsAt(Day.of(newestDay))
      const events = changes.map(({ change, path }) => ({
        data: {
          after: change.now,
          before: change.before,
          page_path: path === whole ? null : path,
          site_id: site.id,
          subject: path === whole ? ("site" as const) : ("page" as const),
          windows,
          ...percentOf(change, season)
        },
        occurrence: `traffic/${site.id}/${path}/${newestDay}`
      }))
      return kind.type === "traffic.dropped"
        ? publishAll(site.account, trafficDropped, events)
        : publishAll(site.account, trafficRecovered, events)
    }

    const siteWeeks = ({ decay, newestDay, number }: Compared) => {
      const start = Day.format(Day.of(newestDay) - historyLength + 1)
      return Effect.map(repo.siteWeeks({ end: newestDay, number, start }), ({ weeks }) => splitAt(weeks, decay.known))
    }

    /** Begins or ends the drop of the whole site; returns the base of a new drop. */
    const ofSite = Effect.fnUntraced(function* (compared: Compared) {
      const { decay, site } = compared
      const weeks = yield* siteWeeks(compared)
      const fall = Option.getOrUndefined(yield* repo.ofSite({ site: site.id }))
      if (fall === undefined) {
        const change = changeOf(weeks, decay.season)
        const falls = change.theta < 0 && change.p <= levels.site.begins && change.before >= leastClicks
        return falls ? { began: [{ base: baseOf(weeks, change), change, path: whole }], ended: [] } : nothing
      }
      const change = since(fall, weeks, decay.season)
      return isOver(change, levels.site.lasts) ? { began: [], ended: [{ change, path: whole, told: true }] } : nothing
    })

    /** The ended drops of pages. */
    const endedPages = Effect.fnUntraced(function* ({ decay: { known, season }, number, site }: Compared) {
      const over: Array<Told & Pick<Fall, "told">> = []
      for (let after = whole, rows = batch; rows === batch; ) {
        const falls = yield* repo.page({ after, count: batch, site: site.id })
        const paths = falls.map(({ page_path }) => page_path)
        const found = paths.length === 0 ? [] : yield* pages.weeks({ paths, site: number })
        const weeks = new Map(found.map(({ path, weeks }) => [path, weeks]))
        for (const fall of falls) {
          const change = since(fall, splitAt(weeks.get(fall.page_path) ?? {}, known), season)
          if (isOver(change, levels.page.lasts)) over.push({ change, path: fall.page_path, told: fall.told })
        }
        rows = falls.length
        after = falls.at(-1)?.page_path ?? after
      }
      return over
    })

    /** The new drops of pages, by descending loss of clicks. */
    const begunPages = Effect.fnUntraced(function* ({ decay: { fell, season }, number, site }: Compared) {
      const changes = new Map(
        fell.flatMap(({ page, q, weeks }) => {
          const change = changeOf(weeks, season)
          return q <= levels.page.begins && change.before >= leastClicks
            ? [[page, { base: baseOf(weeks, change), change }] as const]
            : []
        })
      )
      const found: Array<Told & { readonly base: Base }> = []
      for (const keys of Arr.chunksOf(changes.keys(), batch)) {
        const named = yield* pages.paths({ keys, site: number })
        const underWay = yield* repo.underWay({ paths: named.map(({ path }) => path), site: site.id })
        const known = new Set(underWay.map(({ page_path }) => page_path))
        for (const { key, path } of named) {
          const begun = changes.get(key)
          if (begun !== undefined && !known.has(path)) found.push({ ...begun, path })
        }
      }
      return found.sort((a, b) => lost(b.change) - lost(a.change) || (a.path < b.path ? -1 : 1))
    })

    /** Compares with the current drops, and reports the start and the end of each once. */
    const publishBegun = Traced.fn("Traffic.publishBegun")(function* (compared: Compared) {
      const site = compared.site.id
      const ofWhole = yield* ofSite(compared)
      const ended = [...ofWhole.ended, ...(yield* endedPages(compared))]
      const pages = yield* begunPages(compared)
      const began = [...ofWhole.began, ...pages]
      const told = new Set([...ofWhole.began, ...pages.slice(0, pagesAtMost)].map(({ path }) => path))
      for (const some of Arr.chunksOf(ended, batch)) yield* repo.end({ paths: some.map(({ path }) => path), site })
      for (const some of Arr.chunksOf(began, batch))
        yield* repo.add({
          falls: some.map(({ base, path }) => ({ ...base, page_path: path, told: told.has(path) })),
          site
        })
      yield* publish(
        compared,
        trafficDropped,
        began.filter(({ path }) => told.has(path))
      )
      for (const some of Arr.chunksOf(
        ended.filter(({ told }) => told),
        500
      ))
        yield* publish(compared, trafficRecovered, some)
    })

    return { publishBegun }
  })
}) {}

const nothing: {
  readonly began: ReadonlyArray<Told & { readonly base: Base }>
  readonly ended: ReadonlyArray<Told & Pick<Fall, "told">>
} = { began: [], ended: [] }
