import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { prepare, rehearse } from "../../../src/foundation/database/Migrations.ts"
import * as cluster from "../../cluster.ts"

import { suite } from "../../harness.ts"
import { tablesOf } from "./tables.ts"

const it = suite(cluster.layer)

/** Starts an installation in a schema; returns the error. */
const refusal = (schema: string) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(cluster.beside(schema)))), (error) => error.message)

describe("a database schema", () => {
  it("with tables of another program is refused with the name of the setting, and not changed", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("CREATE SCHEMA shop; CREATE TABLE shop.projects (id integer)")
    expect(yield* refusal("shop")).toBe(
      'sql/0003_projects.sql failed with SQLSTATE 42P07: relation "projects" already exists: it belongs to another program. ' +
        "Set FINDABLE_DATABASE_SCHEMA to another name, such as findable"
    )
    expect(yield* tablesOf("shop")).toEqual(["projects"])
    yield* sql.unsafe("CREATE TABLE shop.schema_migrations (version text)")
    expect(yield* refusal("shop")).toStartWith(
      "Schema shop of this database belongs to another program (its table schema_migrations). Set FINDABLE_DATABASE_SCHEMA"
    )
    expect(yield* tablesOf("shop")).toEqual(["projects", "schema_migrations"])
  })

  it("shared with a later table of another program is refused with a solution", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM schema_migrations WHERE id > 7`
    expect(yield* refusal("public")).toContain(
      "it is not Findable's. Rename it, or move Findable to another schema: run backup, then restore with FINDABLE_DATABASE_SCHEMA"
    )
  })

  it("is created where extensions exist, and if the role may not create it, the error says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe("CREATE SCHEMA tools; DROP EXTENSION pg_trgm CASCADE; CREATE EXTENSION pg_trgm SCHEMA tools")
      expect(yield* Effect.provide(tablesOf("findable"), cluster.beside("findable"))).toContain("accounts")
      const role = `findable_guest_${process.pid}`
      yield* Effect.acquireRelease(sql.unsafe(`CREATE ROLE ${role}`), () =>
        Effect.ignore(sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
      )
      const asGuest = (schema: string) =>
        Effect.map(
          Effect.flip(
            Effect.flatMap(SqlClient.SqlClient, (sql) =>
              sql`SELECT set_config('role', ${role}, true), set_config('search_path', ${schema}, true)`.pipe(
                Effect.zipRight(prepare),
                sql.withTransaction
              )
            )
          ),
          ({ message }) => message
        )
      expect(yield* asGuest("nowhere")).toBe(
        `The database role ${role} cannot create schema nowhere (FINDABLE_DATABASE_SCHEMA). Run CREATE SCHEMA nowhere AUTHORIZATION ${role} as a role that can`
      )
      expect(yield* asGuest("tools")).toStartWith(
        `The database role ${role} cannot create tables in schema tools. Run GRANT USAGE, CREATE`
      )
    }).pipe(Effect.scoped))

  it("used only to try migrations does not exist afterwards", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL search_path = tried`.pipe(Effect.zipRight(rehearse), sql.withTransaction)
    expect(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'tried'`).toEqual([])
  })

  it("with an installation on the role's own search path is not skipped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.scoped(Layer.build(cluster.beside("former")))
      yield* sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
      yield* sql.unsafe(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = former', current_database()); END $$"
      )
      expect(yield* refusal("public")).toContain("set FINDABLE_DATABASE_SCHEMA=former, or")
      expect(yield* tablesOf("public")).toEqual([])
    }).pipe(Effect.provide(Layer.fresh(cluster.layer))))
})
