import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Aging from "../../../foundation/database/Aging.ts"
import { numbered } from "../../../foundation/database/Copy.ts"
import { held, LeaseLost, worker } from "../../../foundation/database/Lease.ts"
import { LeaseMonitor } from "../../../foundation/database/LeaseMonitor.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { every, Outages } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { NotFound, type Refused } from "../../../foundation/schema/DomainError.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { FileFormat } from "../Domain.ts"
import { FileImports, type Imported, type Unchanged } from "../import/Imports.ts"
import type { ImportFailed } from "../RawRow.ts"
import { UploadRetentionDays } from "../Settings.ts"
import { SitesRepo } from "../Site.ts"
import { channel, Outcome, UploadError, UploadId } from "./Api.ts"
import * as DecodeProcess from "./decoder/DecodeProcess.ts"
import { UploadsRepo } from "./Uploads.ts"

/** Workers that may die over one import before it counts as failed. */
const attemptsAtMost = 3

const Held = LeaseQueue.Held(UploadId)

/** An import in a worker's hands. With an outcome it is done: the worker before died in between. */
const Claim = Schema.Struct({
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
type Claim = typeof Claim.Type

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

/** Removes the records of imports that have ended by their age. Facts, and the log by which a file is known again, stay. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("rankings/uploads/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one(Aging.removal(sql, "ranking_uploads", "finished_at"))
  }))
}) {}

/** Removes what is older than FINDABLE_UPLOAD_RETENTION_DAYS says, for as long as it lives. */
export const retentionLayer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([UploadRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("records of imports", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))

type End = Either.Either<Outcome, UploadError>

/** The name of a sent file in messages to its sender. */
const fileName = "body"

const failed =
  (code: UploadError["code"], message: string): (() => End) =>
  () =>
    Either.left({ code, file: null, line: null, message })

const errorOf = (error: DecodeProcess.DecodeFailed | ImportFailed | Refused): UploadError => {
  const { message } = error
  switch (error._tag) {
    case "ImportFailed":
      return { code: "invalid_file", file: error.file, line: error.line === 0 ? null : error.line, message }
    case "Refused":
      return { code: "refused", file: null, line: null, message }
    case "DecodeFailed":
      return { code: "import_failed", file: null, line: null, message }
  }
}

const outcomeOf = (imported: Imported | Unchanged): Outcome => {
  const { changed, coverage, dropped, first_day, last_day, rows } = imported
  const common = { changed, coverage, dropped, first_day, last_day, rows }
  return "unchanged" in imported
    ? { ...common, passed_over: [], unchanged: true }
    : { ...common, passed_over: imported.passed_over, unchanged: false }
}

const importing = Effect.gen(function* () {
  const { end, piece, queue, record } = yield* QueueRepo
  const { decode } = yield* DecodeProcess.FileDecoder
  const files = yield* FileImports
  const sites = yield* SitesRepo

  const work = (claim: Claim) =>
    Effect.gen(function* () {
      const { hash, id, lease, outcome, project } = claim
      if (outcome !== null) return outcome
      const site = yield* Effect.mapError(Effect.flatten(sites.find({ site: project })), () => NotFound.of("project"))
      const bytes = numbered((number) => piece({ id, number }))
      const imported = yield* files.run(
        site,
        claim,
        hash,
        (options) => decode({ file: fileName, format: claim.format, options }, bytes),
        (imported) => record({ id, lease, outcome: outcomeOf(imported) })
      )
      return outcomeOf(imported)
    }).pipe(
      Effect.map((outcome): End => Either.right(outcome)),
      Effect.catchTags({
        NotFound: () => new LeaseLost(),
        DecodeFailed: (error) => Effect.succeed<End>(Either.left(errorOf(error))),
        ImportFailed: (error) => Effect.succeed<End>(Either.left(errorOf(error))),
        Refused: (error) => Effect.succeed<End>(Either.left(errorOf(error)))
      })
    )

  yield* worker({
    channel,
    broken: failed("import_failed", "Internal error: nothing was stored. The server's log has the cause"),
    lost: failed("worker_lost", `The worker of this import stopped, ${attemptsAtMost} times in a row`),
    name: "import",
    outcome: Either.match({ onLeft: ({ code }) => code, onRight: () => "completed" }),
    queue,
    store: ({ id, lease }, ended: End) =>
      end({
        error: Either.isLeft(ended) ? ended.left : null,
        id,
        lease,
        outcome: Either.isRight(ended) ? ended.right : null
      }),
    work
  })
})

const unremoved = "Unfinished uploads could not be removed"

/** Removes unfinished uploads: files whose senders are gone, and within a second those whose nodes are. */
const cleaner = Effect.gen(function* () {
  const { received, sweep, sweepLost } = yield* UploadsRepo
  const outages = yield* Outages
  const { watch } = yield* LeaseMonitor
  const dead = Effect.catchAllCause(sweepLost, (cause) => outages.report(unremoved, cause))
  yield* watch({ dead, due: Effect.void, name: "import", rows: received })
  yield* every("1 minute", unremoved)(sweep)
})

/** The worker over a given decoder of files. */
export const layerNoDeps = Layer.scopedDiscard(Effect.zipRight(cleaner, importing)).pipe(
  Layer.provide([FileImports.Default, QueueRepo.Default, SitesRepo.Default, UploadsRepo.Default])
)

/** Imports the files that callers sent, for as long as it lives. */
export const layer = Layer.provide(layerNoDeps, DecodeProcess.layer)
