import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held } from "../../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import * as Namespace from "../../../../foundation/database/Namespace.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { LockRepo } from "../../../accounts/Repo.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { BacklinkImport, channel, Format, ImportError, ImportId, Outcome } from "./Domain.ts"

/** Workers that may die over one import before it counts as failed. */
export const attemptsAtMost = 3

const Held = LeaseQueue.Held(ImportId)

/** An import in a worker's hands. With an outcome it is done: the worker before died in between. */
const Claim = Schema.Struct({
  ...Held.fields,
  createdAt: Schema.DateTimeUtc,
  format: Format,
  outcome: Schema.NullOr(Outcome),
  project: ProjectId
})
export type Claim = typeof Claim.Type

const { source, rows, links, domains, new: made, dropped, lost, ...own } = BacklinkImport.fields
const Row = Schema.Struct({ ...own, outcome: Schema.NullOr(Outcome) })
const nothing = { source: null, rows: null, links: null, domains: null, new: null, dropped: null, lost: null }

const importOf = ({ created_at, error, finished_at, outcome, ...own }: typeof Row.Type): BacklinkImport => ({
  ...own,
  ...(outcome ?? nothing),
  error,
  created_at,
  finished_at
})

const IdOnly = Schema.Struct({ id: ImportId })

/** Files that callers sent: received, waiting, in a worker's hands, and over. */
export class ImportsRepo extends Effect.Service<ImportsRepo>()("backlinks/ImportsRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockAccount } = yield* LockRepo
    const columns =
      sql.literal(`id, project_id, status, format, CASE WHEN status = 'completed' THEN outcome END AS outcome, error,
      iso(created_at) AS created_at, iso(finished_at) AS finished_at`)

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost,
      claim: Claim,
      columns: sql`iso(created_at) AS "createdAt", format, outcome, project_id AS project`,
      due: sql`status = 'queued' AND id = (
        SELECT first.id FROM backlink_imports first WHERE first.project_id = backlink_imports.project_id AND first.status IN ('queued', 'running')
        ORDER BY first.created_at, first.id LIMIT 1)`,
      key: "id",
      name: "backlink imports",
      oldest: "created_at",
      table: "backlink_imports",
      whenClaimed: sql`status = 'running'`,
      whenHandedBack: sql`status = 'queued'`
    })

    /** Imports of an account that are not over; those count that are received. */
    const open = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ imports: Schema.Int }),
      execute: (account) =>
        sql`SELECT count(*)::int AS imports FROM backlink_imports WHERE account_id = ${account} AND finished_at IS NULL`
    })

    const begin = Query.one({
      Request: Schema.Struct({ account: AccountId, format: Format, project: OwnedId(ProjectId) }),
      Result: IdOnly,
      execute: ({ account, format, project }) =>
        sql`INSERT INTO backlink_imports (account_id, project_id, format) VALUES (${account}, ${project}, ${format}) RETURNING id`
    })

    /** No row comes back when the import was removed meanwhile. */
    const add = Query.first({
      Request: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf, id: ImportId, number: Schema.Int }),
      Result: IdOnly,
      execute: ({ bytes, id, number }) => sql`
        WITH open AS (UPDATE backlink_imports SET touched_at = clock_timestamp() WHERE id = ${id} AND status = 'receiving' RETURNING id)
        INSERT INTO backlink_import_pieces (import, number, bytes) SELECT id, ${number}, ${bytes}::bytea FROM open RETURNING import AS id`
    })

    const enqueue = Query.first({
      Request: ImportId,
      Result: Row,
      execute: (id) => sql`
        UPDATE backlink_imports SET status = 'queued', created_at = clock_timestamp() WHERE id = ${id} AND status = 'receiving' RETURNING ${columns}`
    })

    const discard = Query.none({
      Request: ImportId,
      execute: (id) => sql`DELETE FROM backlink_imports WHERE id = ${id} AND status = 'receiving'`
    })

    /** Removes files whose senders, or whose nodes, are gone. */
    const sweep = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        DELETE FROM backlink_imports WHERE finished_at IS NULL AND status = 'receiving' AND touched_at < clock_timestamp() - interval '5 minutes'`
    })

    const piece = Query.first({
      Request: Schema.Struct({ id: ImportId, number: Schema.Int }),
      Result: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf }),
      execute: ({ id, number }) =>
        sql`SELECT bytes FROM backlink_import_pieces WHERE import = ${id} AND number = ${number}`
    })

    const record = Query.first({
      Request: Schema.Struct({ ...Held.fields, outcome: Schema.parseJson(Outcome) }),
      Result: IdOnly,
      execute: ({ id, lease, outcome }) =>
        sql`UPDATE backlink_imports SET outcome = ${outcome}::json WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const end = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: Schema.NullOr(Schema.parseJson(ImportError)) }),
      Result: IdOnly,
      execute: ({ error, id, lease }) => sql`
        UPDATE backlink_imports SET status = ${error === null ? "completed" : "failed"}, error = ${error}::json,
          finished_at = clock_timestamp(), attempts = 0, lease = NULL, leased_until = NULL
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const forget = Query.none({
      Request: ImportId,
      execute: (id) => sql`DELETE FROM backlink_import_pieces WHERE import = ${id}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: Row,
      table: "i",
      rows: ({ project }) =>
        sql`SELECT ${columns} FROM backlink_imports i WHERE project_id = ${project} AND status <> 'receiving'`
    })

    const find = Query.first({
      Request: Schema.Struct({ id: ImportId, project: OwnedId(ProjectId) }),
      Result: Row,
      execute: ({ id, project }) =>
        sql`SELECT ${columns} FROM backlink_imports WHERE id = ${id} AND project_id = ${project} AND status <> 'receiving'`
    })

    return {
      add,
      begin,
      discard,
      /** Ends the import and lets its file go. */
      end: (of: Parameters<typeof end>[0]) => Effect.zipRight(held(end(of)), forget(of.id)),
      enqueue: (id: ImportId) =>
        Effect.zipLeft(
          Effect.map(Effect.flatten(enqueue(id)), importOf),
          Effect.orDie(sql`SELECT ${Namespace.notify(sql, channel, sql`'queued'`)}`)
        ),
      find: (of: Parameters<typeof find>[0]) => Effect.map(Effect.flatten(find(of)), importOf),
      list: (of: Parameters<typeof list>[0]) => Effect.map(list(of), (rows) => rows.map(importOf)),
      lockAccount,
      open,
      piece: (of: Parameters<typeof piece>[0]) =>
        Effect.map(
          piece(of),
          Option.map(({ bytes }) => bytes)
        ),
      queue,
      /** Keeps what the import brought, in its own transaction; a worker that lost its lease imports nothing. */
      record: (of: Parameters<typeof record>[0]) => Effect.asVoid(held(record(of))),
      sweep: sweep(undefined),
      transaction: Query.transaction(sql)
    }
  })
}) {}
