import * as SqlClient from "@effect/sql/SqlClient"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Aging from "../../foundation/database/Aging.ts"
import { numbered } from "../../foundation/database/Copy.ts"
import { held, type LeaseLost, worker } from "../../foundation/database/Lease.ts"
import { LeaseMonitor } from "../../foundation/database/LeaseMonitor.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import { every, Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { ProjectId } from "../projects/Domain.ts"
import { channel, type Kind, lost } from "./Files.ts"
import { UploadRetentionDays } from "./Settings.ts"

/** Workers that may die on one import before it counts as failed. */
const attemptsAtMost = 3

const Held = LeaseQueue.Held(Schema.UUID)
const IdOnly = Schema.Struct({ id: Schema.UUID })
const Json = Schema.NullOr(Schema.parseJson(Schema.Object))

/** A worker's claim of an import. */
const Claim = Schema.Struct({
  ...Held.fields,
  createdAt: Schema.DateTimeUtc,
  hash: Schema.String,
  /** Whether the outcome is stored already, because the earlier worker died before the end. */
  isDone: Schema.Boolean,
  project: ProjectId,
  terms: Schema.Unknown
})
type Claim = typeof Claim.Type

/**
 * The queues of waiting files, and their ends. Accounts take turns. A project's files of a kind are imported one at a time, in order of arrival, because the
 * newer import's numbers win.
 */
export class QueueRepo extends Effect.Service<QueueRepo>()("files/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = (kind: Kind) =>
      LeaseQueue.make(sql, {
        account: sql`account_id`,
        attemptsAtMost,
        claim: Claim,
        columns: sql`iso(created_at) AS "createdAt", hash, outcome IS NOT NULL AS "isDone", project_id AS project, terms`,
        due: sql`status = 'queued' AND id = (
          SELECT first.id FROM files first
          WHERE first.project_id = files.project_id AND first.kind = files.kind AND first.status IN ('queued', 'running')
          ORDER BY first.created_at, first.id LIMIT 1)`,
        key: "id",
        name: `files of ${kind}`,
        oldest: "created_at",
        only: sql`kind = ${kind}`,
        table: "files",
        whenClaimed: sql`status = 'running'`,
        whenHandedBack: sql`status = 'queued'`
      })

    const piece = Query.first({
      Request: Schema.Struct({ id: Schema.UUID, number: Schema.Int }),
      Result: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf }),
      execute: ({ id, number }) => sql`SELECT bytes FROM file_pieces WHERE file = ${id} AND number = ${number}`
    })

    const record = Query.first({
      Request: Schema.Struct({ ...Held.fields, outcome: Json }),
      Result: IdOnly,
      execute: ({ id, lease, outcome }) =>
        sql`UPDATE files SET outcome = ${outcome}::json WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    // The outcome that was recorded with the data stays, because a repetition after a lost connection finds nothing to change.
    const end = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: Json, outcome: Json }),
      Result: IdOnly,
      execute: ({ error, id, lease, outcome }) => sql`
        UPDATE files SET status = ${error === null ? "completed" : "failed"}, error = ${error}::json, outcome = coalesce(outcome, ${outcome}::json),
          finished_at = clock_timestamp(), ${LeaseQueue.over(sql)}
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const forget = Query.none({
      Request: Schema.UUID,
      execute: (id) => sql`DELETE FROM file_pieces WHERE file = ${id}`
    })

    const sweepLost = Query.none({
      Request: Schema.Void,
      execute: () => sql`DELETE FROM files WHERE ${lost(sql)}`
    })

    const sweep = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        DELETE FROM files WHERE finished_at IS NULL AND status = 'receiving' AND touched_at < clock_timestamp() - interval '10 minutes'`
    })

    return {
      /** Removes the records of old imports; their data stay. */
      age: Query.one(Aging.removal(sql, "files", "finished_at")),
      /** Ends the import and removes its file. */
      end: (of: Parameters<typeof end>[0]) => Effect.zipRight(held(end(of)), forget(of.id)),
      piece: (of: Parameters<typeof piece>[0]) =>
        Effect.map(
          piece(of),
          Option.map(({ bytes }) => bytes)
        ),
      queues: { backlinks: queue("backlinks"), rankings: queue("rankings") },
      /** For the lease monitor: files of lost nodes. No file waits for a worker while it is being received. */
      received: {
        expired: sql`FROM files WHERE ${lost(sql)}`,
        oldest: sql("created_at"),
        waiting: sql`FROM files WHERE false`
      },
      /** Stores the outcome in the import's transaction; a worker without its lease imports nothing. */
      record: (of: Parameters<typeof record>[0]) => Effect.asVoid(held(record(of))),
      /** Removes files of lost senders. */
      sweep: sweep(undefined),
      /** Removes files of lost nodes. */
      sweepLost: sweepLost(undefined)
    }
  })
}) {}

/** A file to import. */
interface WaitingFile<T> extends Pick<Claim, "hash" | "project"> {
  readonly bytes: Stream.Stream<Uint8Array>
  readonly receivedAt: DateTime.Utc
  readonly terms: T
}

/** The error of an import for its caller. */
interface Failure {
  readonly code: string
}

/** The import of a kind of files, with the terms `T`. */
interface Importing<T, TI, R> {
  readonly kind: Kind
  /** The name of the work in the log: "import". */
  readonly name: string
  readonly Terms: Schema.Schema<T, TI>
  readonly failed: (code: "import_failed" | "worker_lost", message: string) => Failure
  /** Imports a file, all or nothing; `record` stores the outcome in the transaction of the import. */
  readonly run: (
    file: WaitingFile<T>,
    record: (outcome: object) => Effect.Effect<void, LeaseLost>
  ) => Effect.Effect<Either.Either<object, Failure>, LeaseLost, R>
}

/** Imports the files of a kind until the scope closes. */
export const importing = <T, TI, R>({ failed, kind, name, run, Terms }: Importing<T, TI, R>) =>
  Effect.gen(function* () {
    const { end, piece, queues, record } = yield* QueueRepo
    const decode = Schema.decodeUnknownSync(Terms)
    /** Null for an outcome that was recorded before. */
    type End = Either.Either<object | null, Failure>
    const over = (code: Parameters<typeof failed>[0], message: string) => (): End => Either.left(failed(code, message))
    yield* worker({
      broken: over("import_failed", "Internal error. Nothing was imported. The server's log has the cause"),
      channel,
      lost: over(
        "worker_lost",
        `The import stopped unexpectedly ${attemptsAtMost} times in a row. Send the file again`
      ),
      name,
      outcome: Either.match({ onLeft: ({ code }) => code, onRight: () => "completed" }),
      queue: queues[kind],
      store: ({ id, lease }, ended: End) =>
        end({
          error: Option.getOrNull(Either.getLeft(ended)),
          id,
          lease,
          outcome: Either.getOrElse(ended, () => null)
        }),
      work: ({ createdAt, hash, id, isDone, lease, project, terms }): Effect.Effect<End, LeaseLost, R> =>
        isDone
          ? Effect.succeed(Either.right(null))
          : run(
              {
                bytes: numbered((number) => piece({ id, number })),
                hash,
                project,
                receivedAt: createdAt,
                terms: decode(terms)
              },
              (outcome) => record({ id, lease, outcome })
            )
    })
  })

const unremoved = "Unfinished uploads could not be removed"

const cleaning = Effect.gen(function* () {
  const { age, received, sweep, sweepLost } = yield* QueueRepo
  const outages = yield* Outages
  const { watch } = yield* LeaseMonitor
  const dead = Effect.catchAllCause(sweepLost, (cause) => outages.report(unremoved, cause))
  yield* watch({ dead, due: Effect.void, name: "import", rows: received })
  yield* every("1 minute", unremoved)(sweep)
  yield* Aging.worker("records of imports", yield* UploadRetentionDays, age)
})

/**
 * Removes unfinished files, within a second for files of lost nodes, and records of imports older than FINDABLE_UPLOAD_RETENTION_DAYS, until the scope closes.
 */
export const layer = Layer.scopedDiscard(cleaning).pipe(Layer.provide(QueueRepo.Default))
