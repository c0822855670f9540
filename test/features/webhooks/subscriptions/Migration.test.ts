import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { migrate, migrateTo } from "../../../../src/foundation/database/Migrations.ts"
import * as Cluster from "../../../cluster.ts"
import { suite } from "../../../harness.ts"

const it = suite(Cluster.layer)

it.effect("the secrets that a release before signed with sign on, until they expire", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP SCHEMA public CASCADE`
    yield* sql`CREATE SCHEMA public`
    yield* migrateTo(46)
    const account = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
    yield* sql`INSERT INTO accounts (id, name, plan) VALUES (${account}, 'a', 'free')`
    yield* sql`
      INSERT INTO webhooks (id, account_id, url, events, secret, previous_secret, previous_secret_expires_at)
      VALUES ('wh_01kakx3q7m8v2b5n9r4t6w0yzc', ${account}, 'https://a.example/', ARRAY['audit.failed'], 'v1.new', 'v1.old',
        now() + interval '1 hour')`
    const read = sql`SELECT secret, previous_secret, previous_secret_expires_at FROM webhooks`
    const before = yield* read
    expect(yield* migrate).toContain("0053_webhook_earlier_secrets.sql")
    expect(yield* read).toEqual(before)
    expect(yield* sql`SELECT earlier_secret FROM webhooks`).toEqual([{ earlier_secret: null }])
  })
)
