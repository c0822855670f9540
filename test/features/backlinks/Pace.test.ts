import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { AllowanceRepo, PaceRepo } from "../../../src/features/backlinks/Pace.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const hourly = Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_BACKLINK_PAUSE", "1 hour"]])))
const it = suite(
  Layer.mergeAll(Accounts.Default, AllowanceRepo.Default, PaceRepo.Default.pipe(Layer.provide(hourly))).pipe(
    Layer.provideMerge(cluster.layer)
  )
)

const hour = 3600
const someone = Effect.sync(() => AccountId.make(crypto.randomUUID()))

/** The hours until a turn, and whether it is reserved; null if too many wait. */
const turn = (account: AccountId, names: ReadonlyArray<string>, within = 1000 * hour) =>
  Effect.gen(function* () {
    const { reserve } = yield* PaceRepo
    const next = yield* reserve({ account, names, within })
    return next._tag === "None" ? null : [Math.round(next.value.wait / hour), next.value.isReserved]
  })

const ofSomeone = (...names: ReadonlyArray<string>) => Effect.flatMap(someone, (account) => turn(account, names))

describe("requests to a server", () => {
  it("are separated by a pause across all accounts and names of the server, until too many wait", function* () {
    const first = yield* Effect.all([ofSomeone("a.example"), ofSomeone("a.example"), ofSomeone("a.example")], {
      concurrency: 3
    })
    expect(first.toSorted()).toEqual([
      [0, true],
      [1, true],
      [2, true]
    ])
    expect(yield* ofSomeone("b.example", "192.0.2.1")).toEqual([0, true])
    expect(yield* ofSomeone("c.example", "192.0.2.1")).toEqual([1, true])
    expect(yield* ofSomeone("b.example", "192.0.2.2")).toEqual([1, true])
    expect(yield* ofSomeone("c.example", "192.0.2.2", "192.0.2.3")).toEqual([2, true])
    yield* Effect.replicateEffect(ofSomeone("a.example"), 60)
    expect(yield* ofSomeone("a.example")).toBeNull()
    expect(yield* ofSomeone("d.example")).toEqual([0, true])
  })

  it("with names in common do not wait for each other in a circle, in any order", function* () {
    const names = ["x.example", "y.example", "z.example"]
    const turns = Array.from({ length: 30 }, (_, at) => ofSomeone(...(at % 2 === 0 ? names : names.toReversed())))
    const hours = (yield* Effect.all(turns, { concurrency: 8 })).map((found) => Number(found?.[0]))
    expect(hours.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, at) => at))
  })

  it("alternate between accounts: an account has one request scheduled while another waits", function* () {
    const [greedy, other] = [yield* someone, yield* someone]
    expect(yield* turn(yield* someone, ["e.example"])).toEqual([0, true])
    expect(yield* turn(greedy, ["e.example", "192.0.2.9"])).toEqual([1, true])
    expect(yield* turn(greedy, ["e.example"])).toEqual([1, false])
    expect(yield* turn(greedy, ["f.example", "192.0.2.9"])).toEqual([1, false])
    expect(yield* turn(other, ["e.example"])).toEqual([2, true])
  })

  it("are not scheduled too late, nor by times of a clock that was set back", function* () {
    const sql = yield* SqlClient.SqlClient
    const account = yield* someone
    yield* ofSomeone("g.example")
    expect(yield* turn(account, ["g.example"], 0.5 * hour)).toBeNull()
    expect(yield* turn(account, ["g.example"], 1.5 * hour)).toEqual([1, true])
    yield* sql`UPDATE backlink_hosts SET next_at = clock_timestamp() + interval '1 year' WHERE host = 'g.example'`
    yield* sql`UPDATE backlink_turns SET at = clock_timestamp() + interval '1 year' WHERE host = 'g.example'`
    expect(yield* turn(account, ["g.example"])).toEqual([0, true])
  })
})

describe("the checks of a day", () => {
  it("are limited by the plan for all requests together, and the next day has new ones", function* () {
    const sql = yield* SqlClient.SqlClient
    const { allowance, take } = yield* AllowanceRepo
    const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.create("looking", "free"))
    const taken = yield* Effect.replicateEffect(take(id), 210, { concurrency: 8 })
    expect(taken.filter(({ _tag }) => _tag === "Some")).toHaveLength(200)
    const { left, limit, untilTomorrow } = yield* allowance(id)
    expect([left, limit]).toEqual([0, 200])
    expect(untilTomorrow).toBeWithin(1, 86_401)
    yield* sql`UPDATE backlink_looks SET day = day - 1 WHERE account_id = ${id}`
    expect((yield* allowance(id)).left).toBe(200)
    expect((yield* take(id))._tag).toBe("Some")
    expect((yield* allowance(id)).left).toBe(199)
  })
})
