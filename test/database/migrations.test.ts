import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { isCurrent, migrate } from "../../src/database/Migrations.ts"
import * as Cluster from "../cluster.ts"
import { suite } from "../harness.ts"

const it = suite(Cluster.layer)

describe("migrations", () => {
  it.effect("of a fresh database are all applied, and a second run applies none", () =>
    Effect.gen(function* () {
      expect(yield* isCurrent).toBe(true)
      expect(yield* migrate).toEqual([])
    })
  )

  it.effect("refuse a file that was changed after it had been applied", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE schema_migrations SET checksum = 'other' WHERE id = 1`
      const { message } = yield* Effect.flip(migrate)
      expect(message).toBe("sql/0001_accounts.sql was changed after it had been applied")
    })
  )
})
