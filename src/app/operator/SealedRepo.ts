import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { type Purpose, Sealed } from "../../foundation/secrets/Cipher.ts"

/** A column of sealed secrets, with their purpose and owner. */
interface Place {
  readonly purpose: Purpose
  readonly table: string
  readonly owner: string
  readonly secret: string
}

/** All places. A test compares them with what the database holds. */
const places: ReadonlyArray<Place> = [
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "secret" },
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "previous_secret" },
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "earlier_secret" },
  {
    purpose: "Search Console credentials of project",
    table: "ranking_sources",
    owner: "site_id::text",
    secret: "credentials"
  },
  { purpose: "GitHub token of project", table: "github_connectors", owner: "project_id::text", secret: "credentials" },
  {
    purpose: "WordPress credentials of project",
    table: "wordpress_connectors",
    owner: "project_id::text",
    secret: "credentials"
  },
  {
    purpose: "answer to idempotency key",
    table: "idempotency_keys",
    owner: "account_id::text || '/' || key",
    secret: "secret"
  }
]

/** The tables that hold sealed secrets. */
export const sealedTables = [...new Set(places.map(({ table }) => table))]

/** Secrets that are resealed in one transaction. */
const batch = 100

/** Stored secrets of every purpose. */
export class SealedRepo extends Effect.Service<SealedRepo>()("operator/SealedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const statements = places.map(({ owner, purpose, secret, table }) => ({
      purpose,
      /** Some secrets that another master key sealed; their rows stay as and where they are until the transaction ends. */
      others: Query.all({
        Request: Schema.Struct({ keyId: Schema.String }),
        Result: Schema.Struct({ owner: Schema.String, row: Schema.String, sealed: Sealed }),
        execute: ({ keyId }) => sql`
          SELECT ctid::text AS row, ${sql.literal(owner)} AS owner, ${sql.literal(secret)} AS sealed
          FROM ${sql.literal(table)} WHERE ${sql.literal(secret)} NOT LIKE ${`v1.${keyId}.%`} LIMIT ${batch} FOR UPDATE`
      }),
      replace: Query.none({
        Request: Schema.Struct({ row: Schema.String, sealed: Sealed }),
        execute: ({ row, sealed }) => sql`
          UPDATE ${sql.literal(table)} SET ${sql.literal(secret)} = ${sealed} WHERE ctid = ${row}::tid`
      })
    }))

    /** Writes down that the secrets of this database are sealed with a key. */
    const settle = Query.none({
      Request: Schema.Struct({ keyId: Schema.String }),
      execute: ({ keyId }) => sql`UPDATE installation SET master_key_id = ${keyId}`
    })

    return { places: statements, settle, transaction: Query.transaction(sql) }
  })
}) {}
