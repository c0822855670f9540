import * as SqlClient from "@effect/sql/SqlClient"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Fetcher, type Get, lost } from "../../crawl/fetch/Fetcher.ts"
import { OutOfTime } from "../../crawl/politeness/HostLimiter.ts"
import * as Query from "../../foundation/database/Query.ts"
import { machineOf } from "../../foundation/outbound/Address.ts"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import { AccountId } from "../accounts/Domain.ts"
import { rootOf } from "./BacklinkFile.ts"
import { Pause } from "./Settings.ts"

/** The pages that accounts may look at in a day, by UTC, as their plans have it. */
export class AllowanceRepo extends Effect.Service<AllowanceRepo>()("backlinks/AllowanceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Counts a page against the looks of its account's day; none where they are used up. */
    const take = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ pages: Schema.Int }),
      execute: (account) => sql`
        INSERT INTO backlink_looks AS l (account_id, day, pages)
        SELECT a.id, (clock_timestamp() AT TIME ZONE 'UTC')::date, 1 FROM accounts a JOIN plans p ON p.id = a.plan
        WHERE a.id = ${account} AND p.looks_per_day > 0
        ON CONFLICT (account_id) DO UPDATE SET day = excluded.day, pages = CASE WHEN l.day = excluded.day THEN l.pages + 1 ELSE 1 END
        WHERE l.day <> excluded.day OR l.pages < (SELECT looks_per_day FROM accounts a JOIN plans p ON p.id = a.plan WHERE a.id = l.account_id)
        RETURNING pages`
    })

    /** The looks that a plan allows in a day, those that are left of it, and the seconds until the next day. */
    const allowance = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ left: Schema.Int, limit: Schema.Int, untilTomorrow: Schema.Int }),
      execute: (account) => sql`
        SELECT looks_per_day AS limit, greatest(0, looks_per_day - coalesce(pages, 0)) AS left,
          ceil(extract(epoch FROM today + interval '1 day' - now))::int AS "untilTomorrow"
        FROM (SELECT now, date_trunc('day', now) AS today FROM (SELECT clock_timestamp() AT TIME ZONE 'UTC' AS now) AS moment) AS moment,
          accounts a JOIN plans p ON p.id = a.plan LEFT JOIN backlink_looks l ON l.account_id = a.id AND l.day = (clock_timestamp() AT TIME ZONE 'UTC')::date
        WHERE a.id = ${account}`
    })

    return { allowance, take }
  })
}) {}

/** Requests to one server that may wait for each other: as many accounts, because each has one. */
const waitingAtMost = 60

/** Requests to servers, at a distance from each other over all nodes, projects and accounts. */
export class PaceRepo extends Effect.Service<PaceRepo>()("backlinks/PaceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pause = Duration.toSeconds(yield* Pause)
    const longest = waitingAtMost * pause

    /**
     * Reserves the next request to a server by its addresses and its domain, with the seconds until then; not reserved, the account has another one to come
     * there, and may ask again after so many seconds. None where its turn would come later than in `within` seconds.
     */
    const reserve = Query.first({
      Request: Schema.Struct({ account: AccountId, names: Schema.Array(Schema.String), within: Schema.Number }),
      Result: Schema.Struct({ isReserved: Schema.Boolean, wait: Schema.Number }),
      execute: ({ account, names, within }) => sql`
        SELECT wait, is_reserved AS "isReserved" FROM reserve_look(${account}, ${names}, ${pause}, ${within}, ${longest})`
    })

    /** Forgets servers that may be asked again, and what a clock said that was set back since. */
    const sweep = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        WITH old AS (
          DELETE FROM backlink_turns WHERE at < clock_timestamp() - interval '1 minute' OR at > clock_timestamp() + ${2 * longest} * interval '1 second'
        )
        DELETE FROM backlink_hosts
        WHERE next_at < clock_timestamp() - interval '1 minute' OR next_at > clock_timestamp() + ${2 * longest} * interval '1 second'`
    })

    return { pause: 1000 * pause, reserve, sweep: sweep(undefined) }
  })
}) {}

/** Addresses of a host that its requests go to: one with more of them is asked at the first ones. */
const addressesAtMost = 4

/** The names by which a server keeps its distance from requests: its domain, and each of its addresses without the port. */
const namesOf = ({ hostname }: URL, addresses: ReadonlyArray<string>) =>
  Array.dedupe([rootOf(hostname), ...addresses.map(machineOf)])

const outOfTime = new OutOfTime({ reason: "deadline" })

/** Requests of an account at the pace of the servers that they go to, redirects included, and within the looks of its day. */
export const make = Effect.fnUntraced(function* (account: AccountId, inner: Fetcher, deadlineAt: number) {
  const outbound = yield* Outbound
  const { allowance, take } = yield* AllowanceRepo
  const { reserve } = yield* PaceRepo
  const answered = new Set<string>()
  let isOver = (yield* allowance(account)).left === 0

  /** Waits for the account's turn at a server. */
  const turn = (names: ReadonlyArray<string>): Effect.Effect<void, OutOfTime> =>
    Effect.gen(function* () {
      const within = (deadlineAt - (yield* Clock.currentTimeMillis)) / 1000
      const next = yield* reserve({ account, names, within })
      if (Option.isNone(next) || next.value.wait >= within) return yield* outOfTime
      yield* Effect.sleep(1000 * next.value.wait)
      if (!next.value.isReserved) yield* turn(names)
    })

  /** The pages of a host, one after the other: each counts when its first request begins. */
  const pagesOf = (host: string) => {
    let isCounted = false
    const counted = Effect.suspend(() =>
      isCounted
        ? Effect.void
        : Effect.flatMap(take(account), (taken) => {
            isCounted = Option.isSome(taken)
            isOver ||= !isCounted
            return isCounted ? Effect.void : outOfTime
          })
    )

    const get = Effect.fnUntraced(function* (request: Get) {
      const found = yield* Effect.either(outbound.vet(request.url))
      const addresses = Either.isRight(found) ? found.right.slice(0, addressesAtMost) : []
      if (Either.isRight(found)) yield* turn(namesOf(request.url, addresses))
      yield* counted
      const until = (yield* Clock.currentTimeMillis) + request.deadline
      const answer = Either.isRight(found) ? yield* inner.get({ ...request, addresses }) : lost(found.left)
      if (answer._tag === "Answered") answered.add(host)
      // A missing answer takes the same time whatever the network said, so that its time says no more than its reason.
      else yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
      return answer
    })

    const begin = Effect.suspend(() => {
      isCounted = false
      return isOver ? outOfTime : Effect.void
    })
    return { begin, fetcher: { get, space: inner.space } satisfies Fetcher }
  }

  return { answered, isOver: Effect.sync(() => isOver), pagesOf }
})
