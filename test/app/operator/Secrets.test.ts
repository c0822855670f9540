import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { rotate, SealedRepo } from "../../../src/app/operator/Secrets.ts"
import { Cipher, installationLayer, Sealed } from "../../../src/foundation/secrets/Cipher.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(Layer.provideMerge(SealedRepo.Default, cluster.layer))

const text = (byte: number) => Buffer.alloc(32, byte).toString("base64")

/** Runs an effect like a process with these keys. */
const holding = <A, E, R>(keys: { readonly current: number; readonly old?: number }, body: Effect.Effect<A, E, R>) => {
  const settings = {
    FINDABLE_MASTER_KEY: text(keys.current),
    ...(keys.old === undefined ? {} : { FINDABLE_OLD_MASTER_KEY: text(keys.old) })
  }
  return Effect.provide(body, Layer.fresh(installationLayer)).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))
  )
}

const seal = (purpose: Parameters<Cipher["Type"]["seal"]>[0], owner: string, secret: string) =>
  Effect.flatMap(Cipher, (cipher) => cipher.seal(purpose, owner, Redacted.make(secret)))

const subscriptions = 250

/** An account with every kind of stored secret, sealed with the first key. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM accounts`
  const [account] = yield* sql<{ id: string }>`INSERT INTO accounts (name, plan) VALUES ('a', 'free') RETURNING id`
  const of = account?.id ?? ""
  yield* Effect.forEach(
    Array.from({ length: subscriptions }, (_, at) => `wh_${String(at).padStart(26, "0")}`),
    (id) =>
      Effect.flatMap(
        seal("secret of webhook", id, `secret of ${id}`),
        (sealed) =>
          sql`INSERT INTO webhooks (id, account_id, url, events, secret, previous_secret, previous_secret_expires_at,
              earlier_secret, earlier_secret_expires_at)
            VALUES (${id}, ${of}, 'https://a.example', ARRAY['audit.completed'], ${sealed}, ${sealed}, now() + interval '1 hour',
              ${sealed}, now() + interval '1 minute')`
      ),
    { discard: true }
  )
  const answer = yield* seal("answer to idempotency key", `${of}/create-1`, "whsec")
  yield* sql`INSERT INTO idempotency_keys (account_id, key, request, answer, secret)
             VALUES (${of}, 'create-1', '{}'::json, '{}'::json, ${answer})`
  return of
})

/** Every stored secret, opened with these keys. */
const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* Cipher
  const rows = yield* sql<{ id: string; sealed: ReadonlyArray<string> }>`
    SELECT id, ARRAY[secret, previous_secret, earlier_secret] AS sealed FROM webhooks`
  return yield* Effect.forEach(rows, ({ id, sealed }) =>
    Effect.forEach(sealed, (sealed) =>
      Effect.map(cipher.open("secret of webhook", id, Sealed.make(sealed)), Redacted.value)
    ).pipe(Effect.map((texts) => texts.every((found) => found === `secret of ${id}`)))
  )
})

const all = Array.from({ length: subscriptions }, () => true)

describe("a rotation of the master key", () => {
  it("seals every stored secret with the new key, and the old key is no longer needed", function* () {
    const account = yield* holding({ current: 1 }, filled)
    expect(yield* holding({ current: 2, old: 1 }, read)).toEqual(all)
    const done = yield* holding({ current: 2, old: 1 }, rotate)
    expect(done.carried_over).toBe(3 * subscriptions + 1)
    expect(yield* holding({ current: 2 }, read)).toEqual(all)
    const sql = yield* SqlClient.SqlClient
    const [kept] = yield* sql<{ secret: string }>`SELECT secret FROM idempotency_keys WHERE key = 'create-1'`
    const opened = yield* holding(
      { current: 2 },
      Effect.flatMap(Cipher, (cipher) =>
        cipher.open("answer to idempotency key", `${account}/create-1`, Sealed.make(kept?.secret ?? ""))
      )
    )
    expect(Redacted.value(opened)).toBe("whsec")
    expect((yield* Effect.flip(holding({ current: 1 }, read)))._tag).toBe("MasterKeyChanged")
    expect((yield* holding({ current: 2, old: 1 }, rotate)).carried_over).toBe(0)
  })

  it("loses nothing when it is interrupted at any moment, and the next rotation continues it", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE installation SET master_key_id = NULL`
    yield* holding({ current: 1 }, filled)
    for (const wait of [5, 20, 40, 60, 80]) {
      const fiber = yield* Effect.fork(holding({ current: 2, old: 1 }, rotate))
      yield* Effect.sleep(wait)
      yield* Fiber.interrupt(fiber)
      expect(yield* holding({ current: 2, old: 1 }, read)).toEqual(all)
    }
    yield* holding({ current: 2, old: 1 }, rotate)
    expect(yield* holding({ current: 2 }, read)).toEqual(all)
  })

  it("knows every column that holds sealed secrets", function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* sql<{ name: string }>`
      SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'text' AND (column_name LIKE '%secret%' OR column_name LIKE '%credential%')
        AND table_name NOT IN (SELECT table_name FROM information_schema.views WHERE table_schema = 'public')
      ORDER BY 1`
    expect(columns.map(({ name }) => name)).toEqual([
      "github_connectors.credentials",
      "idempotency_keys.secret",
      "ranking_sources.credentials",
      "webhooks.earlier_secret",
      "webhooks.previous_secret",
      "webhooks.secret",
      "wordpress_connectors.credentials"
    ])
  })
})
