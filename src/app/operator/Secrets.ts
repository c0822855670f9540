import * as Command from "@effect/cli/Command"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Cipher, installationLayer, type Purpose, Sealed } from "../../foundation/secrets/Cipher.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print } from "../../foundation/terminal/Output.ts"

/** A column of sealed secrets, with their purpose and owner. */
interface Place {
  readonly purpose: Purpose
  readonly table: string
  readonly owner: string
  readonly secret: string
}

/** All places. A test compares them with the database. */
const places: ReadonlyArray<Place> = [
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "secret" },
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "previous_secret" },
  { purpose: "secret of webhook", table: "webhooks", owner: "id", secret: "earlier_secret" },
  {
    purpose: "Search Console credentials of site",
    table: "ranking_sources",
    owner: "site_id::text",
    secret: "credentials"
  },
  { purpose: "GitHub token of site", table: "github_connectors", owner: "project_id::text", secret: "credentials" },
  {
    purpose: "WordPress credentials of site",
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
      /** Some secrets under another master key; their rows are locked until the transaction ends. */
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

    /** Records the key that seals the secrets of this database. */
    const settle = Query.none({
      Request: Schema.Struct({ keyId: Schema.String }),
      execute: ({ keyId }) => sql`UPDATE installation SET master_key_id = ${keyId}`
    })

    return { places: statements, settle, transaction: Query.transaction(sql) }
  })
}) {}

/**
 * Seals every stored secret with the new master key. A batch is one transaction, so the next rotation continues where a killed one ended. Both keys are needed
 * until the last secret is resealed; only then does the database record the new key.
 */
export const rotate = Effect.gen(function* () {
  const cipher = yield* Cipher
  const repo = yield* SealedRepo
  const { keyId } = cipher

  const carryBatch = ({ others, purpose, replace }: (typeof repo.places)[number]) =>
    repo.transaction(
      Effect.flatMap(others({ keyId }), (stored) =>
        Effect.as(
          Effect.forEach(
            stored,
            ({ owner, row, sealed }) =>
              cipher.open(purpose, owner, sealed).pipe(
                Effect.flatMap((secret) => cipher.seal(purpose, owner, secret)),
                Effect.flatMap((again) => replace({ row, sealed: again }))
              ),
            { discard: true }
          ),
          stored.length
        )
      )
    )

  const carryPlace = (place: (typeof repo.places)[number]) =>
    Effect.iterate(
      { done: 0, last: 1 },
      {
        body: ({ done }) => Effect.map(carryBatch(place), (last) => ({ done: done + last, last })),
        while: ({ last }) => last > 0
      }
    )

  const carried = yield* Effect.forEach(repo.places, carryPlace)
  yield* repo.settle({ keyId })
  return { carried_over: carried.reduce((sum, { done }) => sum + done, 0), master_key: keyId }
})

const rotateCommand = Command.make("rotate", { json }, ({ json }) =>
  Effect.flatMap(rotate, (done) => print(done, json))
).pipe(
  Command.withDescription(
    described(
      "Re-encrypt all stored secrets with the new master key. FINDABLE_OLD_MASTER_KEY holds the old one",
      "secrets rotate"
    )
  ),
  Command.provide(Layer.merge(installationLayer, SealedRepo.Default))
)

/** `secrets …` */
export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Change the master key that encrypts stored secrets"),
  Command.withSubcommands([rotateCommand])
)
