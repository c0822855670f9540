import { expect } from "bun:test"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CatalogRepo } from "../../../../src/app/operator/backup/CatalogRepo.ts"
import { RoleRepo, restore } from "../../../../src/app/operator/backup/Restore.ts"
import * as cluster from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { masterKey, sample, withKey } from "../filled.ts"

const it = suite(
  Layer.merge(CatalogRepo.Default, RoleRepo.Default).pipe(
    Layer.provideMerge(cluster.layer),
    Layer.merge(BunContext.layer)
  )
)

const restored = Effect.flatMap(sample, (file) => withKey(masterKey)(restore(file, true)))

/** A role of the server, for as long as the scope lives. */
const role = (attributes: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `findable_test_${crypto.randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(sql.unsafe(`CREATE ROLE ${name} ${attributes}`), () =>
      Effect.orDie(sql.unsafe(`DROP ROLE ${name}`))
    )
    return name
  })

/** Runs an effect as a role, in a transaction. */
const as = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.zipRight(sql.unsafe(`SET LOCAL ROLE ${name}`), effect))
  )

const whoWorks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { harmlessly } = yield* RoleRepo
  const [row] = yield* harmlessly(sql<{ role: string }>`SELECT current_user AS role`)
  return row?.role
})

it("a restore as a superuser creates and changes everything as a role that can run no program and read no file", function* () {
  const sql = yield* SqlClient.SqlClient
  // An event trigger on every change of the schema tries an attacker's actions.
  yield* sql.unsafe(`
      CREATE SCHEMA watch;
      CREATE TABLE watch.seen (command text, role text, superuser boolean, program text, file text);
      GRANT USAGE ON SCHEMA watch TO PUBLIC; GRANT INSERT ON watch.seen TO PUBLIC;
      CREATE FUNCTION watch.note() RETURNS event_trigger LANGUAGE plpgsql AS $$
      DECLARE program text := 'ran'; file text := 'was read';
      BEGIN
        BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''true'''; EXCEPTION WHEN OTHERS THEN program := SQLSTATE; END;
        BEGIN PERFORM pg_read_file('PG_VERSION'); EXCEPTION WHEN OTHERS THEN file := SQLSTATE; END;
        INSERT INTO watch.seen SELECT TG_TAG, current_user, rolsuper, program, file FROM pg_roles WHERE rolname = current_user;
      END $$;
      CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION', 'CREATE VIEW', 'CREATE TRIGGER', 'CREATE INDEX')
        EXECUTE FUNCTION watch.note()`)
  const [before] = yield* sql`SELECT current_user AS role`
  yield* restored
  yield* sql`DROP EVENT TRIGGER watch`
  const seen = yield* sql<{ commands: number }>`
  SELECT count(*)::int AS commands, bool_or(superuser) AS superuser, array_agg(DISTINCT program) AS program,
    array_agg(DISTINCT file) AS file, bool_and(role LIKE 'findable\\_restore\\_%') AS own FROM watch.seen`
  expect(seen).toMatchObject([{ file: ["42501"], own: true, program: ["42501"], superuser: false }])
  expect(seen[0]?.commands).toBeGreaterThan(50)
  // Afterwards the superuser owns everything, and the role is gone.
  const owners = yield* sql`
  SELECT DISTINCT pg_get_userbyid(owner) AS role FROM (
    SELECT relowner AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT extowner FROM pg_extension WHERE extname <> 'plpgsql') AS owned`
  expect(owners).toEqual([{ role: before?.role }])
  expect(yield* sql`SELECT rolname FROM pg_roles WHERE rolname LIKE 'findable\\_restore%'`).toEqual([])
  expect(yield* sql`SELECT current_user AS role`).toEqual([{ role: before?.role }])
  yield* sql`DROP SCHEMA watch CASCADE`
})

it("a restore keeps a role that can reach nothing outside the database", function* () {
  const name = yield* role("NOLOGIN")
  expect(yield* as(name, whoWorks)).toBe(name)
})

it("a restore refuses a role that can run programs, or can become such a role", function* () {
  const sql = yield* SqlClient.SqlClient
  const between = yield* role("NOLOGIN IN ROLE pg_execute_server_program")
  const name = yield* role(`NOLOGIN NOINHERIT IN ROLE ${between}`)
  const refused = yield* Effect.flip(as(name, whoWorks))
  expect(refused.message).toContain("(pg_execute_server_program)")
  expect(yield* sql`SELECT rolname FROM pg_roles WHERE rolname LIKE 'findable\\_restore%'`).toEqual([])
})
