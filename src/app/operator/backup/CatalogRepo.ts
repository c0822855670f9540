import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"

/** A table with its columns, names quoted where SQL requires it; without generated columns. */
export const Table = Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) })
export type Table = typeof Table.Type

/** A part of a partitioned table, with its bounds in PostgreSQL's spelling. */
export const Partition = Schema.Struct({ name: Schema.String, parent: Schema.String, bounds: Schema.String })
export type Partition = typeof Partition.Type

/** A migration that was applied. */
export const Applied = Schema.Struct({
  id: Schema.Int.pipe(Schema.between(1, 9999)),
  file: Schema.String.pipe(Schema.pattern(/^\d{4}_[a-z0-9_]{1,100}\.sql$/)),
  checksum: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))
})

/** A counter and its last number. */
export const Sequence = Schema.Struct({
  name: Schema.String,
  last: Schema.String.pipe(Schema.pattern(/^-?\d{1,19}$/))
})

const Name = Schema.Struct({ name: Schema.String })

/** A foreign key, with its definition as SQL. */
const ForeignKey = Schema.Struct({
  table: Schema.String,
  to: Schema.String,
  name: Schema.String,
  definition: Schema.String
})

/** The parts of this database's schema, and changes to it. */
export class CatalogRepo extends Effect.Service<CatalogRepo>()("operator/CatalogRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ours = sql`c.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`

    /** All tables except the list of migrations; a partitioned table includes its parts. */
    const tables = Query.all({
      Request: Schema.Void,
      Result: Table,
      execute: () => sql`
        SELECT c.oid::regclass::text AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        WHERE ${ours} AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'schema_migrations'
        GROUP BY c.oid ORDER BY c.relname`
    })

    const partitions = Query.all({
      Request: Schema.Void,
      Result: Partition,
      execute: () => sql`
        SELECT c.oid::regclass::text AS name, i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bounds
        FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE ${ours} AND c.relispartition AND c.relkind = 'r' ORDER BY c.relname`
    })

    const sequences = Query.all({
      Request: Schema.Void,
      Result: Sequence,
      execute: () => sql`
        SELECT quote_ident(sequencename) AS name, last_value::text AS last FROM pg_sequences
        WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`
    })

    /** Every counter, with its range of numbers. */
    const counters = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ name: Schema.String, least: Schema.String, most: Schema.String }),
      execute: () => sql`
        SELECT quote_ident(sequencename) AS name, min_value::text AS least, max_value::text AS most FROM pg_sequences
        WHERE schemaname = current_schema()`
    })

    /** Tables that have parts. */
    const partitioned = Query.all({
      Request: Schema.Void,
      Result: Name,
      execute: () => sql`SELECT c.oid::regclass::text AS name FROM pg_class c WHERE ${ours} AND c.relkind = 'p'`
    })

    const foreignKeys = Query.all({
      Request: Schema.Void,
      Result: ForeignKey,
      execute: () => sql`
        SELECT f.conrelid::regclass::text AS table, f.confrelid::regclass::text AS to, quote_ident(f.conname) AS name,
          pg_get_constraintdef(f.oid) AS definition
        FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid WHERE ${ours} AND f.contype = 'f' AND f.conparentid = 0`
    })

    /** Tables, views and functions, without parts of tables. */
    const things = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({
        kind: Schema.Literal("TABLE", "VIEW", "MATERIALIZED VIEW", "ROUTINE"),
        name: Schema.String
      }),
      execute: () => sql`
        SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind, c.oid::regclass::text AS name
        FROM pg_class c WHERE ${ours} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        UNION ALL
        SELECT 'ROUTINE', p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`
    })

    /** Other Findable processes with sessions in this database, which use its schema by the names of their sessions. */
    const others = Query.all({
      Request: Schema.Void,
      Result: Name,
      execute: () => sql`
        SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'findable %'
          AND application_name <> current_setting('application_name')
          AND substring(application_name FROM ' in .*') IS NOT DISTINCT FROM substring(current_setting('application_name') FROM ' in .*')
        ORDER BY 1`
    })

    const migrations = Query.all({
      Request: Schema.Void,
      Result: Applied,
      execute: () => sql`SELECT id, file, checksum FROM schema_migrations ORDER BY id`
    })

    /** Any account, if one exists: without accounts the database holds no customer data. */
    const accounts = Query.all({
      Request: Schema.Void,
      Result: Name,
      execute: () => sql`SELECT name FROM accounts LIMIT 1`
    })

    /** Records the last backup. */
    const record = Query.none({
      Request: Schema.Struct({ at: Schema.String, bytes: Schema.Int, secrets: Schema.Boolean }),
      execute: ({ at, bytes, secrets }) => sql`
        UPDATE installation SET backed_up_at = ${at}::timestamptz, backup_bytes = ${bytes}, backup_has_secrets = ${secrets}`
    })

    /** Lets a counter continue after its last number. */
    const advance = Query.none({
      Request: Sequence,
      execute: ({ last, name }) => sql`SELECT setval(${name}::regclass, ${last}::bigint)`
    })

    /** Runs statements that change the schema or the transaction. Their texts consist of names from the catalogue and of numbers. */
    const run = (...statements: ReadonlyArray<string>) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })

    return {
      accounts,
      advance,
      counters,
      foreignKeys,
      migrations,
      others,
      partitioned,
      partitions,
      record,
      run,
      sequences,
      tables,
      things,
      transaction: Query.transaction(sql)
    }
  })
}) {}
