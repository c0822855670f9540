import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Events } from "../../events/Events.ts"
import { trafficDropped, trafficRecovered } from "../Events.ts"
import { batch } from "../opportunities/Batches.ts"
import type { Decay } from "../opportunities/Decays.ts"
import { type Change, changeOf } from "../opportunities/statistics/Decay.ts"
import { historyLength, splitAt, windowsAt } from "../opportunities/Weeks.ts"
import type { Site } from "../SitesRepo.ts"
import { type Base, baseOf, isOver, leastClicks, levels, percentOf, since } from "./Fall.ts"
import { type Fall, TrafficRepo } from "./TrafficRepo.ts"

/** Pages that one import tells of at most, those that lost the most clicks. */
const pagesAtMost = 20

/** The path that the fall of a whole site is stored under. */
const whole = ""

/** A site whose pages were compared, and what decay found. */
interface Compared {
  readonly decay: Decay
  readonly newestDay: string
  /** What facts know the site by. */
  readonly number: number
  readonly site: Site
}

/** A change that begins or ends a fall. */
interface Told {
  readonly change: Change
  readonly path: string
}

const lost = ({ before, now }: Change) => before - now

/** Publishes an event where search traffic falls, and where it is back, in the transaction that records it. */
export class Traffic extends Effect.Service<Traffic>()("rankings/traffic/Traffic", {
  dependencies: [Events.Default, TrafficRepo.Default],
  effect: Effect.gen(function* () {
    const { publishAll } = yield* Events
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

    /** Begins or ends the fall of the whole site; answers the base of one that begins. */
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

    /** The falls of pages that are over. */
    const endedPages = Effect.fnUntraced(function* ({ decay: { known, season }, number, site }: Compared) {
      const over: Array<Told & Pick<Fall, "told">> = []
      for (let after = whole, rows = batch; rows === batch; ) {
        const falls = yield* repo.page({ after, count: batch, number, site: site.id })
        for (const fall of falls) {
          const change = since(fall, splitAt(fall.weeks, known), season)
          if (isOver(change, levels.page.lasts)) over.push({ change, path: fall.page_path, told: fall.told })
        }
        rows = falls.length
        after = falls.at(-1)?.page_path ?? after
      }
      return over
    })

    /** The falls of pages that begin, those that lose the most clicks first. */
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
      for (const keys of Arr.chunksOf(changes.keys(), batch))
        for (const { key, page_path: path } of yield* repo.begun({ keys, number, site: site.id })) {
          const begun = changes.get(key)
          if (begun !== undefined) found.push({ ...begun, path })
        }
      return found.sort((a, b) => lost(b.change) - lost(a.change) || (a.path < b.path ? -1 : 1))
    })

    /** Compares with the falls that are under way; each is told once when it begins, and once when it is over. */
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
