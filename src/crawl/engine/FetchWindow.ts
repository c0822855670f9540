import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { type PendingVisit, type Run, runOut } from "../run/Run.ts"
import type { Visit } from "../visit/Visit.ts"
import { visit } from "../visit/Visitor.ts"
import { recordVisit } from "./RecordVisit.ts"

interface Hooks {
  readonly onPage: (record: UrlRecord) => Effect.Effect<void>
  /** Called when every link known was followed, before URLs from elsewhere are tried. */
  readonly linksRanDry: Effect.Effect<void>
}

/** Visits begun but not yet read, for each request that may be in flight: a slow page holds up reading, not asking. */
const ahead = 4

/**
 * Visits URLs several at a time and reads the visits in the order in which they were begun. What is asked next depends only on what was
 * read, never on who answered first, so the same site gives the same pages whatever the network does.
 */
export const drain = (run: Run, { linksRanDry, onPage }: Hooks): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { found, frontier, options } = run
    const pending = found.underway
    const width = (options.perHost ?? 6) * ahead
    const scope = yield* Effect.scope

    const begin = (record: UrlRecord) =>
      Effect.gen(function* () {
        const visited = yield* Deferred.make<Visit, OutOfTime>()
        const work = Effect.map(visit(run, found.start, new URL(record.url), found.jar), (done) => done.visit)
        yield* Effect.forkIn(Effect.intoDeferred(work, visited), scope)
        pending.push({ record, visited })
      })

    /** Each visit under way may ask for one page, so the limit is never passed, and which pages it cuts is settled by order. */
    const hasRoom = () => !found.outOfTime && pending.length < width && found.asked + pending.length < options.maxPages

    const fill = Effect.gen(function* () {
      while (hasRoom()) {
        const record = frontier.next()
        if (record === undefined) return
        yield* begin(record)
      }
    })

    const read = ({ record, visited }: PendingVisit) =>
      Deferred.await(visited).pipe(
        Effect.tap((seen) => Effect.sync(() => recordVisit(run, record, seen))),
        // Deferred: `onPage` reads the record, so it must run after the visit is recorded.
        Effect.zipRight(Effect.suspend(() => onPage(record))),
        Effect.catchTag("OutOfTime", ({ reason }) => Effect.sync(() => runOut(run, reason)))
      )

    for (;;) {
      yield* fill
      const turn = pending.shift()
      if (turn !== undefined) {
        yield* read(turn)
        continue
      }
      if (!hasRoom()) return
      yield* linksRanDry
      if (!frontier.turn()) return
    }
  })

/** At the deadline: takes in the visits that were finished but waited for an earlier one to be read. */
export const salvage = (run: Run): Effect.Effect<void> =>
  Effect.forEach(
    run.found.underway,
    ({ record, visited }) =>
      Effect.gen(function* () {
        const done = yield* Deferred.poll(visited)
        if (Option.isNone(done)) return
        const seen = yield* Effect.exit(done.value)
        if (Exit.isSuccess(seen)) recordVisit(run, record, seen.value)
      }),
    { discard: true }
  )
