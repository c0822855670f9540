import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"

/** The role at work on the database; names are quoted where SQL requires it. */
const Session = Schema.Struct({
  role: Schema.String,
  is_superuser: Schema.Boolean,
  /** Roles that it is a member of and that may run programs, read files or write them on the machine of the database. */
  powers: Schema.Array(Schema.String),
  database: Schema.String,
  schema: Schema.String,
  /** The schemas that names are looked up in. */
  path: Schema.NonEmptyArray(Schema.String),
  /** The schemas of the database's extensions, whose operator classes migrations use. */
  extensions: Schema.Array(Schema.String),
  /** A name that no role has. */
  free: Schema.String
})

/** The role that a restore works under. */
export class RoleRepo extends Effect.Service<RoleRepo>()("operator/RoleRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const session = Query.one({
      Request: Schema.Void,
      Result: Session,
      execute: () => sql`
        SELECT quote_ident(current_user) AS role, rolsuper AS is_superuser, quote_ident(current_database()) AS database,
          quote_ident(current_schema()) AS schema, array(SELECT quote_ident(name) FROM unnest(current_schemas(false)) name) AS path,
          array(SELECT DISTINCT quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace) AS extensions,
          'findable_restore_' || replace(gen_random_uuid()::text, '-', '') AS free,
          array(SELECT rolname::text FROM pg_roles r WHERE pg_has_role(current_user, r.oid, 'MEMBER')
            AND (r.rolsuper OR r.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')) ORDER BY 1) AS powers
        FROM pg_roles WHERE rolname = current_user`
    })

    const run = (...statements: ReadonlyArray<string>) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })

    /**
     * Does a part of the transaction at hand as a role that reaches nothing outside the database: a superuser switches to a new role that can create
     * objects in this schema, and takes over what it created. The role ends with the transaction.
     */
    const harmlessly = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const { database, extensions, free, is_superuser, path, powers, role, schema } = yield* session(undefined)
        if (!is_superuser) {
          if (powers.length === 0) return yield* work
          return yield* new Refused({
            message: `The role ${role} may run programs or use files on the database's machine (${powers.join(", ")}): restore as a role without these rights, or as a superuser, which switches to such a role`
          })
        }
        yield* run(
          `CREATE ROLE ${free} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`,
          // Migrations make temporary tables.
          `GRANT CREATE, TEMPORARY ON DATABASE ${database} TO ${free}`,
          `GRANT USAGE ON SCHEMA ${[...path, ...extensions].join(", ")} TO ${free}`,
          `GRANT CREATE ON SCHEMA ${schema} TO ${free}`,
          // "$user" in the path would be another schema from here on.
          `SET LOCAL search_path TO ${path.join(", ")}`,
          `SET LOCAL ROLE ${free}`
        )
        const made = yield* work
        yield* run(
          `SET LOCAL ROLE ${role}`,
          `REASSIGN OWNED BY ${free} TO ${role}`,
          `DROP OWNED BY ${free}`,
          `DROP ROLE ${free}`
        )
        return made
      })

    return { harmlessly }
  })
}) {}
