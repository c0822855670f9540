import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CrawlTiming, defaultTiming } from "../../../../crawl/fetch/Timing.ts"
import * as Lease from "../../../../foundation/database/Lease.ts"
import { Events } from "../../../events/Events.ts"
import { publishLosses } from "../Losses.ts"
import { LossAfter } from "../Settings.ts"
import { AllowanceRepo } from "./AllowanceRepo.ts"
import { PaceRepo } from "./PaceRepo.ts"
import * as Reader from "./PageReader.ts"
import * as Round from "./Round.ts"
import { type Claim, RoundsRepo } from "./RoundsRepo.ts"
import { after, pace } from "./Standing.ts"

/** Rounds that a process works on at once: they mostly wait. */
const atOnce = 4

/** Pages of a round: so many of a host take three minutes. */
const most = { hosts: 50, ofHost: 20, pages: 200 }

/** Rounds in succession that may be thrown away before fewer hosts are asked than say anything about our network: then no share of dead hosts holds up the others. */
const patience = 3
const few = { ...most, hosts: 4 }

/** Seconds until a round that was thrown away is tried again. */
const later = 3600

/** Seconds until pages are asked for that a round had no time for. */
const soon = 60

type End = Round.End | { readonly _tag: "Broken" }

/** The worker with given waits of requests. */
export const layerWith = (timing: CrawlTiming) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const events = yield* Events
      const services = yield* Effect.context<AllowanceRepo | PaceRepo | Reader.PageReader>()
      const { allowance } = yield* AllowanceRepo
      const { due, free, hold, lostDomains, queue, stored, write } = yield* RoundsRepo
      const lossAfter = Duration.toMillis(yield* LossAfter)

      const work = Effect.fnUntraced(
        function* ({ account, failures, host, id, url }: Claim) {
          const pages = yield* due({ ...(failures >= patience ? few : most), failures, project: id })
          return yield* Round.run({ account, host, url }, pages, timing)
        },
        Effect.provide(services),
        Effect.orDie
      )

      const keep = Effect.fnUntraced(function* ({ account, id: project }: Claim, seen: ReadonlyArray<Round.Seen>) {
        const byId = new Map(seen.map((one) => [one.id, one]))
        const links = yield* stored({ ids: [...byId.keys()], project })
        const changed = links.flatMap((link) => {
          const found = byId.get(link.id)
          if (found === undefined) return []
          const { at, look } = found
          const { change, standing } = after(link, look, at, lossAfter)
          const row = {
            anchor: look.link?.anchor ?? null,
            at,
            change,
            gone_since: standing.goneSince,
            http_status: look.httpStatus,
            id: link.id,
            last_live_at: standing.lastLiveAt,
            lost_at: standing.lostAt,
            next_in: pace(standing, link.isHigh, at, lossAfter),
            previous_rel: link.rel,
            reason: look.reason,
            rel: standing.rel,
            state: look.state,
            target: look.link?.target ?? null
          }
          return [{ domain: link.domain, row }]
        })
        if (changed.length > 0) yield* write({ project, rows: JSON.stringify(changed.map(({ row }) => row)) })
        const domains = [...new Set(changed.flatMap(({ domain, row }) => (row.change === "lost" ? [domain] : [])))]
        if (domains.length === 0) return
        yield* Effect.provideService(
          publishLosses(account, project, yield* lostDomains({ domains, project })),
          Events,
          events
        )
      })

      const store = Effect.fnUntraced(function* (claim: Claim, end: End) {
        const { failures, id, lease } = claim
        yield* hold({ id, lease })
        if (end._tag === "Broken") return yield* free({ failures, id, lease, wait: later })
        if (end._tag === "Outage") return yield* free({ failures: failures + 1, id, lease, wait: later })
        yield* keep(claim, end.seen)
        const isUp = end.answered === end.hosts || (failures < patience && end.hosts > 0)
        // Among few hosts without any answer our own network may be at fault.
        const isDoubtful = end.answered === 0 && end.hosts > 0 && failures >= patience
        const tomorrow = end.isOver ? (yield* allowance(claim.account)).untilTomorrow : null
        const wait = tomorrow ?? (isDoubtful ? later : end.isCut ? soon : null)
        yield* free({ failures: isUp ? 0 : failures, id, lease, wait })
      })

      yield* Lease.worker({
        atOnce,
        broken: (): End => ({ _tag: "Broken" }),
        lost: (): End => ({ _tag: "Broken" }),
        name: "round of backlinks",
        outcome: ({ _tag }) => _tag,
        queue,
        store,
        work
      })
    })
  ).pipe(Layer.provide([AllowanceRepo.Default, Events.Default, PaceRepo.Default, Reader.layer, RoundsRepo.Default]))

/** Looks at linking pages that are due, for as long as it lives. */
export const layer = layerWith(defaultTiming)
