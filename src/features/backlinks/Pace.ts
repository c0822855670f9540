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

/** The daily allowance of page checks per account, by plan and UTC day. */
export class AllowanceRepo extends Effect.Service<AllowanceRepo>()("backlinks/AllowanceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Counts a page against the account's daily allowance; no row when it is used up. */
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

    /** The daily allowance of an account, the rest of it, and the seconds until the next day. */
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

/** Maximum requests that wait for one server, and so maximum waiting accounts, because each has one request. */
const waitingAtMost = 60

/** Spaces requests to a server over all Findable servers, sites and accounts. */
export class PaceRepo extends Effect.Service<PaceRepo>()("backlinks/PaceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pause = Duration.toSeconds(yield* Pause)
    const longest = waitingAtMost * pause

    /**
     * Reserves the next request to a server by its addresses and domain, with the seconds until then. Without a reservation, another request of the account
     * comes first, and the account may ask again after `wait` seconds. No row if the turn would come after `within` seconds.
     */
    const reserve = Query.first({
      Request: Schema.Struct({ account: AccountId, names: Schema.Array(Schema.String), within: Schema.Number }),
      Result: Schema.Struct({ isReserved: Schema.Boolean, wait: Schema.Number }),
      execute: ({ account, names, within }) => sql`
        SELECT wait, is_reserved AS "isReserved" FROM reserve_look(${account}, ${names}, ${pause}, ${within}, ${longest})`
    })

    /** Forgets servers after their pause, and entries from a clock that was set back. */
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

/** Maximum addresses of a host; requests go to the first ones. */
const addressesAtMost = 4

/** The names that share a server's pause: its domain, and each of its addresses without the port. */
const namesOf = ({ hostname }: URL, addresses: ReadonlyArray<string>) =>
  Array.dedupe([rootOf(hostname), ...addresses.map(machineOf)])

const outOfTime = new OutOfTime({ reason: "deadline" })

/** Sends an account's requests at the pace of their servers, redirects included, and within the daily allowance. */
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

  /** Checks the pages of a host one by one: a page counts from its first request. */
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
      // A missing response takes equally long for every reason, so its timing reveals no more than the reason.
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
