import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type AccountId, grants } from "../../../src/features/accounts/Domain.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const path = "/api/v1/keys"
const [soon, later] = ["2100-01-01T00:00:00Z", "2100-01-02T00:00:00Z"]

const create = (key: string, body: object, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body: { name: "a", ...body }, headers, key })

const patch = (key: string, id: string, body: object) => Server.send("PATCH", `${path}/${id}`, { body, key })

const rotate = (key: string, id: string, headers: Record<string, string> = {}) =>
  Server.send("POST", `${path}/${id}/rotate`, { body: { overlap: "24h" }, headers, key })

type Call = Effect.Effect<Server.Reply, never, Server.TestServer>

/** The code of each answer, or its status where it is no error. */
const codes = (calls: ReadonlyArray<Call>) =>
  Effect.map(Effect.all(calls), (replies) => replies.map(({ body, status }) => body.error?.code ?? status))

/** An owner, and a manager with an end that the owner made. */
const ending = (scopes: ReadonlyArray<string> = ["*", "keys:manage"]) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { data } = (yield* create(key, { expires_at: soon, scopes })).body
    const id: string = data.id
    const manager: string = data.key
    return { account, id, key, manager }
  })

describe("a key that ends", () => {
  it("makes none that ends later, or never", function* () {
    const { manager } = yield* ending()
    const asked = [{}, { expires_at: null }, { expires_at: later }, { expires_at: "2100-01-01T00:00:00.001Z" }]
    const made = yield* codes(asked.map((end) => create(manager, { ...end, scopes: ["*"] })))
    expect(made).toEqual(asked.map(() => "insufficient_scope"))
    expect((yield* create(manager, { expires_at: soon, scopes: ["*"] })).status).toBe(201)
  })

  it("gives itself, its children and its siblings no later end", function* () {
    const { id, key, manager } = yield* ending()
    const child = (yield* create(manager, { expires_at: soon, scopes: ["*"] })).body.data.id
    const sibling = (yield* create(key, { expires_at: soon, scopes: ["*"] })).body.data.id
    for (const target of [id, child, sibling])
      for (const expires_at of [null, later])
        expect((yield* patch(manager, target, { expires_at })).body.error.code).toBe("insufficient_scope")
    for (const target of [id, child, sibling])
      expect((yield* patch(manager, target, { expires_at: "2099-12-31T00:00:00Z" })).status).toBe(200)
  })

  it("neither rotates a key that ends later nor adds scopes to one, but renames, narrows and revokes it", function* () {
    const { key, manager } = yield* ending()
    const { id } = (yield* create(key, { scopes: ["projects:read", "audits:read"] })).body.data
    const refused = [rotate(manager, id), patch(manager, id, { scopes: ["projects:read", "webhooks:manage"] })]
    expect(yield* codes(refused)).toEqual(["insufficient_scope", "insufficient_scope"])
    const done = [
      patch(manager, id, { name: "b" }),
      patch(manager, id, { scopes: ["projects:read"] }),
      Server.send("DELETE", `${path}/${id}`, { key: manager })
    ]
    expect(yield* codes(done)).toEqual([200, 200, 204])
  })
})

describe("a repeated request", () => {
  for (const [what, widen] of [
    ["has more scopes", { scopes: ["*"] }],
    ["ends later", { expires_at: null }]
  ] as const)
    it(`that made a key is refused to a key that has less to give than the key that now ${what}`, function* () {
      const { key, manager } = yield* ending(["keys:manage", "projects:read"])
      const [create1, rotate1] = [{ "idempotency-key": "create-once" }, { "idempotency-key": "rotate-once" }]
      const asked = { expires_at: soon, scopes: ["projects:read"] }
      const made = (yield* create(manager, asked, create1)).body.data
      const rotated = (yield* rotate(manager, made.id, rotate1)).body.data
      const repeats = [create(manager, asked, create1), rotate(manager, made.id, rotate1)]
      expect(yield* codes(repeats)).toEqual([200, 200])
      expect((yield* patch(key, made.id, widen)).status).toBe(200)
      expect((yield* patch(key, rotated.id, widen)).status).toBe(200)
      expect(yield* codes(repeats)).toEqual(["insufficient_scope", "insufficient_scope"])
    })

  it("is judged by what the caller is now: one that was narrowed or given an end gets no text again", function* () {
    const { key } = yield* Server.customer()
    const manager = (yield* create(key, { scopes: ["*", "keys:manage"] })).body.data
    const headers = { "idempotency-key": "create-once" }
    const repeat = create(manager.key, { scopes: ["projects:read"] }, headers)
    expect((yield* repeat).status).toBe(201)
    yield* patch(key, manager.id, { expires_at: soon })
    expect((yield* repeat).body.error.code).toBe("insufficient_scope")
    yield* patch(key, manager.id, { expires_at: null, scopes: ["audits:read", "keys:manage"] })
    expect((yield* repeat).body.error.code).toBe("insufficient_scope")
  })

  it("of a rotation answers again when the key that was rotated is gone", function* () {
    const { key } = yield* Server.customer()
    const { id } = (yield* create(key, { scopes: ["projects:read"] })).body.data
    const headers = { "idempotency-key": "rotate-once" }
    const first = yield* rotate(key, id, headers)
    yield* Server.send("DELETE", `${path}/${id}`, { key })
    expect((yield* rotate(key, id, headers)).body.data).toEqual(first.body.data)
  })
})

it("a session that the operator's command lets manage keys makes lasting ones, without scopes that it lacks", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* Server.customer()
  const code = "s".repeat(32)
  yield* sql`
  INSERT INTO console_codes (hash, account_id, scopes, lasts, expires_at)
  VALUES (sha256(${code}::bytea), ${account}, ${["projects:read", "keys:manage"]}, '1 hour', clock_timestamp() + interval '1 minute')`
  const session = (yield* Server.send("POST", "/api/v1/console-sessions", { body: { code } })).body.data.key
  expect(yield* codes([create(session, { scopes: ["projects:read"] })])).toEqual([201])
  expect(yield* codes([create(session, { scopes: ["audits:read"] })])).toEqual(["insufficient_scope"])
})

/** A key as it is stored, with its end in milliseconds. */
interface State {
  readonly id: string
  readonly end: number
  readonly scopes: ReadonlyArray<string>
}

const states = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<State>`
      SELECT id, scopes, coalesce(extract(epoch FROM expires_at)::float8 * 1000, 'infinity') AS end FROM api_keys WHERE account_id = ${account}`
  )

const scopes = fc.uniqueArray(
  fc.constantFrom("*", "keys:manage", "projects:read", "webhooks:manage", "webhooks:read"),
  {
    maxLength: 3,
    minLength: 1
  }
)
const end = fc.constantFrom(undefined, null, soon, later, "2100-01-03T00:00:00Z")
const nth = fc.nat({ max: 50 })

const operation = fc.oneof(
  fc.record({ by: nth, end, kind: fc.constant("create" as const), scopes, token: fc.nat({ max: 3 }) }),
  fc.record({ by: nth, end, kind: fc.constant("patch" as const), of: nth, scopes: fc.option(scopes) }),
  fc.record({ by: nth, kind: fc.constant("rotate" as const), of: nth, token: fc.nat({ max: 3 }) }),
  fc.record({ by: nth, kind: fc.constant("repeat" as const), of: nth }),
  fc.record({ kind: fc.constant("expire" as const), of: nth })
)
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never

it("no sequence of creations, changes, rotations, repetitions and expiries gives a key more scopes or a longer life than the caller has, or shows the text of such a key", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 20, minLength: 10 }), (operations) =>
        it.runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const { account, key, manager } = yield* ending(["keys:manage", "projects:read", "webhooks:manage"])
            const texts = [key, manager]
            const strong = yield* create(key, { expires_at: later, scopes: ["*", "keys:manage"] })
            const weak = yield* create(key, { scopes: ["projects:read"] })
            texts.push(strong.body.data.key, weak.body.data.key)
            const sent: Array<(by: string) => Call> = []
            const of = (all: ReadonlyArray<State>, n: number) => all[n % all.length]?.id ?? ""

            const calling = (asked: Exclude<Operation, { kind: "expire" }>, all: ReadonlyArray<State>) => {
              if (asked.kind === "repeat") return sent[asked.of % Math.max(1, sent.length)]
              const ended = "end" in asked && asked.end !== undefined ? { expires_at: asked.end } : {}
              if (asked.kind === "patch") {
                const body = { ...ended, ...(asked.scopes !== null && { scopes: asked.scopes }) }
                return (by: string) => patch(by, of(all, asked.of), body)
              }
              const headers = { "idempotency-key": `${asked.kind}-${asked.token}` }
              const target = asked.kind === "rotate" ? of(all, asked.of) : ""
              const call =
                asked.kind === "create"
                  ? (by: string) => create(by, { ...ended, scopes: asked.scopes }, headers)
                  : (by: string) => rotate(by, target, headers)
              sent.push(call)
              return call
            }

            for (const asked of operations) {
              yield* sql`UPDATE api_keys SET created_at = created_at - interval '1 minute' WHERE account_id = ${account}`
              const before = yield* states(account)
              if (asked.kind === "expire") {
                yield* sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${of(before, asked.of)}`
                continue
              }
              const by = texts[asked.by % texts.length] ?? ""
              const own = yield* sql`SELECT id FROM api_keys WHERE hash = sha256(${by}::bytea)`
              const caller = before.find(({ id }) => id === own[0]?.id)
              const call = calling(asked, before)?.(by)
              if (call === undefined) continue
              const reply = yield* call
              if (reply.status >= 300) continue
              if (caller === undefined) throw new Error("The caller is unknown")
              const isWithin = ({ end, scopes }: State) =>
                end <= caller.end && scopes.every((scope) => grants(caller.scopes, scope))
              for (const now of yield* states(account)) {
                const was = before.find(({ id }) => id === now.id)
                const shown = reply.body.data.id === now.id && reply.body.data.key !== undefined
                const added = now.scopes.filter((scope) => was === undefined || !grants(was.scopes, scope))
                if (shown || added.length > 0 || was === undefined || now.end > was.end)
                  expect([asked.kind, now, caller, isWithin({ ...now, scopes: shown ? now.scopes : added })]).toEqual([
                    asked.kind,
                    now,
                    caller,
                    true
                  ])
              }
              if (typeof reply.body.data.key === "string") texts.push(reply.body.data.key)
            }
          })
        )
      ),
      { numRuns: 8 }
    )
  ))
