import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Names of the tables of a schema, including partitions. */
export const tablesOf = (schema: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = ${schema} ORDER BY 1`,
      (rows) => rows.map(({ name }) => name)
    )
  )
