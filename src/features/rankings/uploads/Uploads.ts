import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inPieces } from "../../../foundation/database/Copy.ts"
import { leaseSeconds, renewalSeconds } from "../../../foundation/database/LeaseQueue.ts"
import { notify } from "../../../foundation/database/Migrations.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { type ApiError, apiError, waitHeaders } from "../../../foundation/http/ApiError.ts"
import type { FileBody } from "../../../foundation/http/Request.ts"
import { Conflict, Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Time from "../../../foundation/schema/Time.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { fileHash } from "../../../foundation/text/Compressed.ts"
import { LockRepo } from "../../accounts/Accounts.ts"
import { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { FileFormat } from "../Domain.ts"
import { nameOf, type Reading } from "../import/Imports.ts"
import * as Property from "../Property.ts"
import { MaxBytes } from "../Settings.ts"
import { channel, Outcome, Upload, UploadId } from "./Api.ts"

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
          Effect.orDie(sql`SELECT ${notify(sql, channel, sql`'queued'`)}`)
        ),
      sweep: sweep(undefined),
      transaction: Query.transaction(sql)
    }
  })
}) {}

/** Milliseconds for which a request waits for another one that is sending a file with the same Idempotency-Key. */
const patience = 60_000

/** Requests of an account that may wait at once in one process. */
const atMost = 100

/** Seconds for `Retry-After`: when the file will have arrived is unknown. */
const again = 10

const tooManyWaiters = apiError(
  "quota_exceeded",
  `${atMost} requests of the account wait for others with their Idempotency-Key: send this one again later`,
  { headers: waitHeaders(atMost, again) }
)

/** The answer to a request that has waited for long enough. */
const stillReceiving = apiError(
  "conflict",
  "Another request with this Idempotency-Key is still sending its file: send this one again later",
  { headers: { "retry-after": String(again) } }
)

/** Requests that wait for another one with their Idempotency-Key; `isReceiving` says whether there is one. */
export const make = (isReceiving: (account: AccountId, key: string) => Effect.Effect<boolean>) => {
  const waiting = new Map<AccountId, number>()
  const count = (account: AccountId, change: 1 | -1) =>
    Effect.sync(() => {
      const left = (waiting.get(account) ?? 0) + change
      if (left === 0) waiting.delete(account)
      else waiting.set(account, left)
    })

  const freed = Effect.fnUntraced(function* (account: AccountId, key: string, deadline: number) {
    for (let pause = 100; yield* isReceiving(account, key); pause = Math.min(2 * pause, 1_000)) {
      if ((yield* Time.now) >= deadline) return yield* stillReceiving
      yield* Effect.sleep(pause)
    }
  })

  /** When a request that comes now has waited for long enough. */
  const deadline = Effect.map(Time.now, (now) => now + patience)

  /**
   * Waits until no file with this key is received; by looking, since another node may receive it. The request's body is not read meanwhile, because
   * this file may be the next.
   */
  const wait = Effect.fnUntraced(function* (account: AccountId, key: string, deadline: number) {
    if ((waiting.get(account) ?? 0) >= atMost) return yield* tooManyWaiters
    yield* Effect.acquireUseRelease(
      count(account, 1),
      () => freed(account, key, deadline),
      () => count(account, -1)
    )
  })

  return { deadline, wait }
}

/** Unfinished imports that an account may have: waiting files take up room. */
const atOnce = 20

/** Seconds for `Retry-After`: when a file will be imported is unknown. */
const wait = 10

const tooMany = apiError("quota_exceeded", `${atOnce} imports of the account are not over yet`, {
  headers: waitHeaders(atOnce, wait)
})

const gone = NotFound.of("import")

const missing = () => gone

/** A request to import a file. */
interface ImportRequest<E> {
  readonly body: FileBody<E>
  /** Its Idempotency-Key. */
  readonly key: string | null
  readonly reading: Reading
}

/** Imports over HTTP: receives files, and answers how their imports are going. */
export class Uploads extends Effect.Service<Uploads>()("rankings/uploads/Uploads", {
  dependencies: [Projects.Default, UploadsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* UploadsRepo
    const most = yield* MaxBytes
    const tooLarge = apiError("payload_too_large", `The file is over ${most} bytes`)

    /** A place for the file, unless its key stands for one or is just getting one. */
    const open = Effect.fnUntraced(function* (
      account: AccountId,
      id: ProjectId,
      { key, reading }: Pick<ImportRequest<never>, "key" | "reading">
    ) {
      yield* repo.lockAccount(account)
      const { imports, known: used, receiving } = yield* repo.standing({ account, key })
      const project = yield* projects.own(account, id)
      const { property } = reading
      const known = property === null ? undefined : Property.covering(property, project.value.host)
      if (known !== undefined && Either.isLeft(known)) return yield* Invalid.of("property", known.left)
      if (used) return { is: "known" } as const
      if (receiving) return { is: "received elsewhere" } as const
      if (imports >= atOnce) return yield* tooMany
      return { is: "open", ...(yield* repo.open({ account, key, project, ...reading })) } as const
    }, repo.transaction)

    /** Stores the bytes in pieces as they arrive; a body that breaks off is not a file. Answers the hash of the file. */
    const read = Effect.fnUntraced(function* <E, E2>(
      { body: { bytes, length }, reading }: ImportRequest<E>,
      keep: (bytes: Uint8Array, number: number) => Effect.Effect<unknown, E2>
    ) {
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
          return keep(bytes, number++)
        })
      )
      if (size === 0) return yield* Invalid.of("body", "is empty: it must be the file")
      if (length !== undefined && length !== size)
        return yield* Invalid.of("body", `ended after ${size} bytes, before its Content-Length`)
      return nameOf(reading, [hash.digest()])
    })

    const fill = <E>(id: UploadId, request: ImportRequest<E>) =>
      read(request, (bytes, number) => Effect.mapError(Effect.flatten(repo.add({ bytes, id, number })), missing))

    /** Says that this node lives, for as long as it receives. */
    const renewing = (id: UploadId) =>
      Effect.sleep(`${renewalSeconds} seconds`).pipe(
        Effect.zipRight(Effect.uninterruptible(repo.renew(id))),
        Effect.catchAllDefect(() => Effect.void),
        Effect.forever
      )

    const waiters = make((account, key) => Effect.map(repo.standing({ account, key }), ({ receiving }) => receiving))

    /**
     * Receives a file and hands `use` what it is known by, with the effect that queues it; one that was not queued is gone afterwards, whatever happened.
     * A file whose key was used before is only read, to compare it: it takes no place.
     */
    const receiving = Traced.fn("Uploads.receiving")(function* <E, A, E2, R>(
      account: AccountId,
      project: ProjectId,
      request: ImportRequest<E>,
      use: (hash: string, queued: Effect.Effect<Upload, ApiError<"conflict"> | NotFound>) => Effect.Effect<A, E2, R>
    ) {
      if ((request.body.length ?? 0) > most) return yield* tooLarge
      const deadline = yield* waiters.deadline
      while (true) {
        const answer = yield* Effect.acquireUseRelease(
          open(account, project, request),
          (place) => {
            if (place.is === "received elsewhere") return Effect.succeedNone
            const { hash, queued } =
              place.is === "known"
                ? { hash: read(request, () => Effect.void), queued: () => stillReceiving }
                : {
                    hash: Effect.raceFirst(fill(place.id, request), renewing(place.id)),
                    queued: (hash: string) => Effect.mapError(repo.queue({ hash, id: place.id }), missing)
                  }
            return Effect.flatMap(hash, (hash) => Effect.asSome(Effect.uninterruptible(use(hash, queued(hash)))))
          },
          (place) => (place.is === "open" ? repo.discard(place.id) : Effect.void)
        )
        if (Option.isSome(answer)) return answer.value
        if (request.key !== null) yield* waiters.wait(account, request.key, deadline)
      }
    })

    /** The imports of a project, newest first, after a position. */
    const list = Traced.fn("Uploads.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    const get = Traced.fn("Uploads.get")(function* (account: AccountId, project: ProjectId, id: UploadId) {
      return yield* Effect.mapError(repo.find({ id, project: yield* projects.own(account, project) }), missing)
    })

    /** Deletes the record of an import that has ended; its data stay. */
    const remove = Traced.fn("Uploads.remove")(function* (account: AccountId, project: ProjectId, id: UploadId) {
      const owned = yield* projects.own(account, project)
      if (Option.isSome(yield* repo.remove({ id, project: owned }))) return
      const { status } = yield* Effect.mapError(repo.find({ id, project: owned }), missing)
      return yield* new Conflict({ message: `The import is ${status}: its record can be deleted when it has ended` })
    })

    return { get, list, receiving, remove }
  })
}) {}
