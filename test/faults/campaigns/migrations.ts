import { readdirSync } from "node:fs"
import { join } from "node:path"
import { command, spawn } from "./node.ts"
import { postgres } from "./postgres.ts"

const sources = join(import.meta.dir, "../../../sql")

/** All that makes up a schema, as text: tables, columns, constraints, indexes, functions, triggers, views, and what was applied. */
const shape = `
  SELECT string_agg(line, E'\\n' ORDER BY line) AS shape FROM (
    SELECT format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT viewname || definition FROM pg_views WHERE schemaname = 'public'
    UNION ALL SELECT id || ' ' || file || ' ' || checksum FROM schema_migrations
  ) AS lines`

/**
 * `migrations [rounds]`: kills the migrating process, or ends its session in the database, after a while that grows from nothing to the whole time a
 * migration takes; in other rounds while one given file is being applied. After each, a start must give the schema that a fresh one has.
 */
export const migrations = async ([given = "60"]: ReadonlyArray<string>) => {
  const database = await postgres()
  const migrate = (name: string) => spawn("cli.ts", { DATABASE_URL: database.url(name) }, ["migrate"])
  const create = (name: string) => database.query(`CREATE DATABASE ${name}`, [], "postgres")
  const shapeOf = async (name: string): Promise<string> => (await database.query(shape, [], name))[0].shape
  await create("fresh")
  const began = performance.now()
  await migrate("fresh").child.exited
  const whole = performance.now() - began
  const expected = await shapeOf("fresh")
  const files = readdirSync(sources).sort()
  const rounds = Number(given)
  let half = 0
  let nothing = 0
  let done = 0
  const wrong: Array<string> = []
  for (let round = 0; round < rounds; round++) {
    const name = `round_${round}`
    await create(name)
    const file = files[round % files.length]
    if (round % 2 === 0) {
      // Within one file: its last act waits for a lock that this session holds, so that the kill comes after all that the file does.
      await database.query(
        `CREATE TABLE schema_migrations (id integer PRIMARY KEY, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
         CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.file = '${file}' THEN PERFORM pg_sleep(5); END IF; RETURN NEW; END $$;
         CREATE TRIGGER stall BEFORE INSERT ON schema_migrations FOR EACH ROW EXECUTE FUNCTION stall()`,
        [],
        name
      )
    }
    const { child } = migrate(name)
    const stalled = async () =>
      (
        await database.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'PgSleep'",
          [name],
          "postgres"
        )
      ).length > 0
    if (round % 2 === 0) while (child.exitCode === null && !(await stalled())) await Bun.sleep(5)
    else await Bun.sleep((round / rounds) * whole)
    if (round % 4 < 2) child.kill("SIGKILL")
    else
      await database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
        [name],
        "postgres"
      )
    await child.exited
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
      [name],
      "postgres"
    )
    if (round % 2 === 0)
      await database.query("DROP TRIGGER stall ON schema_migrations; DROP FUNCTION stall()", [], name)
    const [state] = await database.query(
      "SELECT to_regclass('accounts') IS NOT NULL AS there, to_regclass('schema_migrations') IS NOT NULL AS known",
      [],
      name
    )
    const applied = state.known
      ? Number((await database.query("SELECT count(*) AS n FROM schema_migrations", [], name))[0].n)
      : 0
    if (applied === files.length) done++
    else if (applied === 0 && !state.there) nothing++
    else half++
    const { code, output } = await command({ DATABASE_URL: database.url(name) }, ["migrate"])
    if (code !== 0) wrong.push(`round ${round}: ${output}`)
    else if ((await shapeOf(name)) !== expected) wrong.push(`round ${round}: another schema`)
    await database.query(`DROP DATABASE ${name}`, [], "postgres")
  }
  console.log(
    `${rounds} migrations cut off, half of them within one of the ${files.length} files: ${nothing} left nothing, ${done} were done, ${half} left a part; after the next start ${rounds - wrong.length} schemas are the one of a fresh start ${wrong.join("; ")}`
  )
  await database.remove()
  return wrong.length === 0 && half === 0
}
