import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { FileFormat } from "../FileFormat.ts"
import { Outcome, UploadError, UploadId } from "./Upload.ts"

/** Workers that may die over one import before it counts as failed. */
export const attemptsAtMost = 3

const Held = LeaseQueue.Held(UploadId)

/** An import in a worker's hands. With an outcome it is done: the worker before died in between. */
export const Claim = Schema.Struct({
  ...Held.fields,
  project: ProjectId,
  format: FileFormat,
  date: Schema.NullOr(Schema.String),
  dimensions: Schema.NullOr(Schema.String),
  property: Schema.NullOr(Schema.String),
  replaces: Schema.Boolean,
  hash: Schema.String,
  outcome: Schema.NullOr(Outcome)
})
export type Claim = typeof Claim.Type

/** The queue of sent files. Accounts take turns; a project's files are imported one at a time, in order of arrival, because the number of the newer import stands. */
export class QueueRepo extends Effect.Service<QueueRepo>()("rankings/uploads/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost,
      claim: Claim,
      columns: sql`project_id AS project, format, date::text, dimensions, property, replaces, hash, outcome`,
      due: sql`status = 'queued' AND id = (
        SELECT first.id FROM ranking_uploads first WHERE first.project_id = ranking_uploads.project_id AND first.status IN ('queued', 'running')
        ORDER BY first.created_at, first.id LIMIT 1)`,
      key: "id",
      name: "imports",
      oldest: "created_at",
      table: "ranking_uploads",
      whenClaimed: sql`status = 'running'`,
      whenHandedBack: sql`status = 'queued'`
    })

    const piece = Query.first({
      Request: Schema.Struct({ id: UploadId, number: Schema.Int }),
      Result: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf }),
      execute: ({ id, number }) =>
        sql`SELECT bytes FROM ranking_upload_pieces WHERE upload = ${id} AND number = ${number}`
    })

    const record = Query.first({
      Request: Schema.Struct({ ...Held.fields, outcome: Schema.parseJson(Outcome) }),
      Result: Schema.Struct({ id: UploadId }),
      execute: ({ id, lease, outcome }) =>
        sql`UPDATE ranking_uploads SET outcome = ${outcome}::json WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    // What was recorded with the facts stands: a repetition after a lost connection found nothing left to change.
    const kept = (error: string | null, outcome: string | null) =>
      error === null ? sql`coalesce(outcome, ${outcome}::json)` : sql`NULL`

    const end = Query.first({
      Request: Schema.Struct({
        ...Held.fields,
        error: Schema.NullOr(Schema.parseJson(UploadError)),
        outcome: Schema.NullOr(Schema.parseJson(Outcome))
      }),
      Result: Schema.Struct({ id: UploadId }),
      execute: ({ error, id, lease, outcome }) => sql`
        UPDATE ranking_uploads SET status = ${error === null ? "completed" : "failed"}, error = ${error}::json, outcome = ${kept(error, outcome)},
          finished_at = clock_timestamp(), attempts = 0, lease = NULL, leased_until = NULL
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const forget = Query.none({
      Request: UploadId,
      execute: (id) => sql`DELETE FROM ranking_upload_pieces WHERE upload = ${id}`
    })

    return {
      /** Ends the import and lets its file go. */
      end: (of: Parameters<typeof end>[0]) => Effect.zipRight(held(end(of)), forget(of.id)),
      piece: (of: Parameters<typeof piece>[0]) =>
        Effect.map(
          piece(of),
          Option.map(({ bytes }) => bytes)
        ),
      queue,
      /** Keeps what the import brought, in its own transaction; a worker that lost its lease imports nothing. */
      record: (of: Parameters<typeof record>[0]) => held(record(of))
    }
  })
}) {}
