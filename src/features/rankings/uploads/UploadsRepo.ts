import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { leaseSeconds } from "../../../foundation/database/LeaseQueue.ts"
import * as Namespace from "../../../foundation/database/Namespace.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { LockRepo } from "../../accounts/Repo.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { FileFormat } from "../FileFormat.ts"
import { channel, Outcome, Upload, UploadId } from "./Upload.ts"

const NewUpload = Schema.Struct({
  account: AccountId,
  date: Schema.NullOr(Schema.String),
  dimensions: Schema.NullOr(Schema.String),
  format: FileFormat,
  key: Schema.NullOr(Schema.String),
  project: OwnedId(ProjectId),
  property: Schema.NullOr(Schema.String),
  replaces: Schema.Boolean
})

const { rows, changed, dropped, first_day, last_day, passed_over, unchanged, coverage, ...own } = Upload.fields
const Row = Schema.Struct({ ...own, outcome: Schema.NullOr(Outcome) })

const nothing = {
  rows: null,
  changed: null,
  dropped: null,
  first_day: null,
  last_day: null,
  passed_over: null,
  unchanged: null,
  coverage: null
}

/** The columns of an import, with its outcome. */
const uploadOf = ({ created_at, error, finished_at, outcome, ...upload }: typeof Row.Type): Upload => ({
  ...upload,
  ...(outcome ?? nothing),
  error,
  created_at,
  finished_at
})

/** What an account has of imports, and where a request with its Idempotency-Key stands. */
const Standing = Schema.Struct({
  /** Imports that are not over. */
  imports: Schema.Int,
  /** The key stands for something already. */
  known: Schema.Boolean,
  /** A file with this key is being received. */
  receiving: Schema.Boolean
})

const IdOnly = Schema.Struct({ id: UploadId })

/** Receives files, and reads how their imports are going. */
export class UploadsRepo extends Effect.Service<UploadsRepo>()("rankings/uploads/UploadsRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      `id, project_id, status, format, date::text, property, CASE WHEN status = 'completed' THEN outcome END AS outcome, error,
        iso(created_at) AS created_at, iso(finished_at) AS finished_at`
    )

    const { lockAccount } = yield* LockRepo

    // As a lease is: on a clock that was set back since, it cannot end later than two of them.
    const until = sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`
    const lost = sql`(status = 'receiving' AND (received_until < clock_timestamp()
      OR received_until > clock_timestamp() + ${2 * leaseSeconds} * interval '1 second'))`

    /** A file whose node died does not count. One statement, because a key is stored as its file stops being received. */
    const standing = Query.one({
      Request: Schema.Struct({ account: AccountId, key: Schema.NullOr(Schema.String) }),
      Result: Standing,
      execute: ({ account, key }) => sql`
        SELECT count(*)::int AS imports,
          coalesce(bool_or(status = 'receiving' AND idempotency_key = ${key}), false) AS receiving,
          EXISTS (SELECT FROM idempotency_keys WHERE account_id = ${account} AND key = ${key}) AS known
        FROM ranking_uploads WHERE account_id = ${account} AND finished_at IS NULL AND ${lost} IS NOT TRUE`
    })

    const open = Query.one({
      Request: NewUpload,
      Result: IdOnly,
      execute: ({ account, date, dimensions, format, key, project, property, replaces }) => sql`
        INSERT INTO ranking_uploads (account_id, project_id, format, date, dimensions, property, replaces, idempotency_key, received_until)
        VALUES (${account}, ${project}, ${format}, ${date}::date, ${dimensions}, ${property}, ${replaces}, ${key}, ${until}) RETURNING id`
    })

    /** The node that receives the file lives. */
    const renew = Query.none({
      Request: UploadId,
      execute: (id) =>
        sql`UPDATE ranking_uploads SET received_until = ${until} WHERE id = ${id} AND status = 'receiving'`
    })

    /** No row comes back when the import was removed meanwhile, with its project or because it arrived too slowly. */
    const add = Query.first({
      Request: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf, id: UploadId, number: Schema.Int }),
      Result: IdOnly,
      execute: ({ bytes, id, number }) => sql`
        WITH upload AS (
          UPDATE ranking_uploads SET touched_at = clock_timestamp() WHERE id = ${id} AND status = 'receiving' RETURNING id
        )
        INSERT INTO ranking_upload_pieces (upload, number, bytes) SELECT id, ${number}, ${bytes}::bytea FROM upload RETURNING upload AS id`
    })

    /** The file is whole: it takes its place behind the others of its project. */
    const queue = Query.first({
      Request: Schema.Struct({ hash: Schema.String, id: UploadId }),
      Result: Row,
      execute: ({ hash, id }) => sql`
        UPDATE ranking_uploads SET status = 'queued', hash = ${hash}, created_at = clock_timestamp()
        WHERE id = ${id} AND status = 'receiving' RETURNING ${columns}`
    })

    /** Removes what was received of a file that will not be imported. */
    const discard = Query.none({
      Request: UploadId,
      execute: (id) => sql`DELETE FROM ranking_uploads WHERE id = ${id} AND status = 'receiving'`
    })

    /** The same for files whose nodes are gone. */
    const sweepLost = Query.none({
      Request: Schema.Void,
      execute: () => sql`DELETE FROM ranking_uploads WHERE ${lost}`
    })

    /** The same for files whose senders are gone. */
    const sweep = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        DELETE FROM ranking_uploads WHERE finished_at IS NULL AND status = 'receiving' AND touched_at < clock_timestamp() - interval '10 minutes'`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: Row,
      table: "u",
      rows: ({ project }) =>
        sql`SELECT ${columns} FROM ranking_uploads u WHERE project_id = ${project} AND status <> 'receiving'`
    })

    const find = Query.first({
      Request: Schema.Struct({ id: UploadId, project: OwnedId(ProjectId) }),
      Result: Row,
      execute: ({ id, project }) =>
        sql`SELECT ${columns} FROM ranking_uploads WHERE id = ${id} AND project_id = ${project} AND status <> 'receiving'`
    })

    /** None when the import has not ended. */
    const remove = Query.first({
      Request: Schema.Struct({ id: UploadId, project: OwnedId(ProjectId) }),
      Result: IdOnly,
      execute: ({ id, project }) =>
        sql`DELETE FROM ranking_uploads WHERE id = ${id} AND project_id = ${project} AND finished_at IS NOT NULL RETURNING id`
    })

    return {
      add,
      discard,
      find: (of: Parameters<typeof find>[0]) => Effect.map(Effect.flatten(find(of)), uploadOf),
      /** For the look at queues: files whose nodes are gone. None of what is received waits for a worker. */
      received: {
        expired: sql`FROM ranking_uploads WHERE ${lost}`,
        oldest: sql("created_at"),
        waiting: sql`FROM ranking_uploads WHERE false`
      },
      renew,
      standing,
      sweepLost: sweepLost(undefined),
      list: (of: Parameters<typeof list>[0]) => Effect.map(list(of), (rows) => rows.map(uploadOf)),
      lockAccount,
      open,
      remove,
      queue: (of: Parameters<typeof queue>[0]) =>
        Effect.zipLeft(
          Effect.map(Effect.flatten(queue(of)), uploadOf),
          Effect.orDie(sql`SELECT ${Namespace.notify(sql, channel, sql`'queued'`)}`)
        ),
      sweep: sweep(undefined),
      transaction: Query.transaction(sql)
    }
  })
}) {}
