import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Database from "../../../src/foundation/database/Database.ts"
import { Location } from "../../../src/foundation/database/Location.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { pooled } from "./pooler.ts"
import { tablesOf } from "./tables.ts"

const it = suite(cluster.layer)

describe("sessions of a connection pooler", () => {
  const opened = (schema: string) =>
    Effect.gen(function* () {
      const place = Layer.succeed(Location, { ...(yield* pooled), schema })
      return yield* Effect.scoped(
        Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ path: string }>`SELECT current_setting('search_path') AS path`
          ),
          Layer.fresh(Database.layerNoDeps).pipe(Layer.provide(place))
        )
      )
    })

  it("keep the path that they have, and are refused where it leads elsewhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect(yield* opened("public")).toEqual([{ path: '"$user", public' }])
      const { message } = yield* Effect.flip(opened("behind"))
      expect(message).toStartWith(
        `The connection pooler's sessions have the search_path "$user", public, and this installation's schema is behind: `
      )
      yield* sql.unsafe(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = behind', current_database()); END $$"
      )
      expect(yield* opened("behind")).toEqual([{ path: "behind" }])
      expect(yield* tablesOf("behind")).toContain("accounts")
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(cluster.layer))))
})
