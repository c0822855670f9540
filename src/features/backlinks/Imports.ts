import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inPieces, numbered } from "../../foundation/database/Copy.ts"
import { held, worker } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import { notify } from "../../foundation/database/Migrations.ts"
import { every } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { type ApiError, apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import type { FileBody } from "../../foundation/http/Request.ts"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { fileHash } from "../../foundation/text/Compressed.ts"
import { LockRepo } from "../accounts/Accounts.ts"
import { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { BacklinkImport, channel, Format, ImportError, ImportId, Outcome } from "./Domain.ts"
import { Importing } from "./Importing.ts"

/** Workers that may die over one import before it counts as failed. */
const attemptsAtMost = 3

const Held = LeaseQueue.Held(ImportId)

/** An import in a worker's hands. With an outcome it is done: the worker before died in between. */
const Claim = Schema.Struct({
  ...Held.fields,
  createdAt: Schema.DateTimeUtc,
  format: Format,
  outcome: Schema.NullOr(Outcome),
  project: ProjectId
})
type Claim = typeof Claim.Type

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
          Effect.orDie(sql`SELECT ${notify(sql, channel, sql`'queued'`)}`)
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

/** Unfinished imports that an account may have: waiting files take up room. */
const atOnce = 20

/** Bytes of a file at most: above a million rows of any export, packed or not. */
const most = 256 * 1024 * 1024

/** Seconds for `Retry-After`: when a file will be imported is unknown. */
const wait = 10

const tooMany = apiError("quota_exceeded", `${atOnce} imports of the account are not over yet`, {
  headers: waitHeaders(atOnce, wait)
})
const tooLarge = apiError("payload_too_large", `The file is over ${most} bytes`)
const gone = NotFound.of("import")
const missing = () => gone

/** Imports over HTTP: receives files, and answers how their imports are going. */
export class Imports extends Effect.Service<Imports>()("backlinks/Imports", {
  dependencies: [ImportsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* ImportsRepo

    const begin = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, format: Format) {
      yield* repo.lockAccount(account)
      const project = yield* projects.own(account, id)
      const { imports } = yield* repo.open(account)
      if (imports >= atOnce) return yield* tooMany
      return (yield* repo.begin({ account, format, project })).id
    }, repo.transaction)

    /** Stores the bytes in pieces as they arrive; answers the hash of the file. */
    const fill = Effect.fnUntraced(function* <E>(id: ImportId, { bytes, length }: FileBody<E>) {
      const hash = fileHash()
      let [number, size] = [0, 0]
      yield* bytes.pipe(
        Stream.tap((chunk) => {
          size += chunk.length
          return size > most ? tooLarge : Effect.void
        }),
        inPieces,
        Stream.runForEach((bytes) => {
          hash.add(bytes)
          return Effect.mapError(Effect.flatten(repo.add({ bytes, id, number: number++ })), missing)
        })
      )
      if (size === 0) return yield* Invalid.of("body", "is empty: it must be the file")
      if (length !== undefined && length !== size)
        return yield* Invalid.of("body", `ended after ${size} bytes, before its Content-Length`)
      return hash.digest().toHex()
    })

    /** Receives a file and hands `use` its hash, with the effect that queues it; one that was not queued is gone afterwards, whatever happened. */
    const receiving = Traced.fn("Imports.receiving")(function* <E, A, E2, R>(
      account: AccountId,
      project: ProjectId,
      format: Format,
      body: FileBody<E>,
      use: (
        hash: string,
        queued: Effect.Effect<BacklinkImport, ApiError<"conflict"> | NotFound>
      ) => Effect.Effect<A, E2, R>
    ) {
      if ((body.length ?? 0) > most) return yield* tooLarge
      return yield* Effect.acquireUseRelease(
        begin(account, project, format),
        (id) =>
          Effect.flatMap(fill(id, body), (hash) =>
            Effect.uninterruptible(use(hash, Effect.mapError(repo.enqueue(id), missing)))
          ),
        repo.discard
      )
    })

    /** The imports of a project, newest first, after a position. */
    const list = Traced.fn("Imports.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    const get = Traced.fn("Imports.get")(function* (account: AccountId, project: ProjectId, id: ImportId) {
      return yield* Effect.mapError(repo.find({ id, project: yield* projects.own(account, project) }), missing)
    })

    return { get, list, receiving }
  })
}) {}

type End = Either.Either<Outcome, ImportError>

const failed = (code: ImportError["code"], message: string, line: number | null = null): End =>
  Either.left({ code, line, message })

const working = Effect.gen(function* () {
  const { end, piece, queue, record, sweep } = yield* ImportsRepo
  const importing = yield* Importing

  const work = ({ createdAt, format, id, lease, outcome, project }: Claim) =>
    outcome !== null
      ? Effect.succeed<End>(Either.right(outcome))
      : importing
          .run({ bytes: numbered((number) => piece({ id, number })), format, project, takenAt: createdAt }, (outcome) =>
            record({ id, lease, outcome })
          )
          .pipe(
            Effect.map((outcome): End => Either.right(outcome)),
            Effect.catchTags({
              FileRefused: ({ line, message }) => Effect.succeed(failed("invalid_file", message, line)),
              Refused: ({ message }) => Effect.succeed(failed("refused", message))
            })
          )

  yield* every("1 minute", "Unfinished uploads of backlinks could not be removed")(sweep)
  yield* worker({
    channel,
    broken: () => failed("import_failed", "Internal error: nothing was stored. The server's log has the cause"),
    lost: () => failed("worker_lost", `The worker of this import stopped, ${attemptsAtMost} times in a row`),
    name: "backlink import",
    outcome: Either.match({ onLeft: ({ code }) => code, onRight: () => "completed" }),
    queue,
    store: ({ id, lease }, ended: End) => end({ error: Either.isLeft(ended) ? ended.left : null, id, lease }),
    work
  })
})

/** Imports the files of backlinks that callers sent, for as long as it lives. */
export const layer = Layer.scopedDiscard(working).pipe(Layer.provide([Importing.Default, ImportsRepo.Default]))
