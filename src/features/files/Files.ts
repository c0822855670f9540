import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inPieces } from "../../foundation/database/Copy.ts"
import { leaseSeconds, renewalSeconds } from "../../foundation/database/LeaseQueue.ts"
import { notify } from "../../foundation/database/Migrations.ts"
import * as Query from "../../foundation/database/Query.ts"
import { type ApiError, apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import type { ListQuery } from "../../foundation/http/Paging.ts"
import { type FileBody, fileOf, formRefused, isForm } from "../../foundation/http/Request.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Time from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { fileHash } from "../../foundation/text/Compressed.ts"
import { LockRepo } from "../accounts/Accounts.ts"
import { AccountId } from "../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, listPage } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { type Project, ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"

/** The kind of data in a file, as in the path of its import. */
const Kind = Schema.Literal("backlinks", "rankings")
export type Kind = typeof Kind.Type

/** The channel for received files, which workers listen on. */
export const channel = "findable_files"

const Id = Schema.UUID

/** An import of any kind, without the kind's own field names. */
const Row = Schema.Struct({
  id: Id,
  project_id: Schema.String,
  status: Schema.String,
  terms: Schema.Object,
  /** Null until the import is completed. */
  outcome: Schema.NullOr(Schema.Object),
  error: Schema.NullOr(Schema.Object),
  created_at: Schema.String,
  finished_at: Schema.NullOr(Schema.String)
})

/** An account's imports, and the state of a request with its Idempotency-Key. */
const Standing = Schema.Struct({
  /** Unfinished imports of the kind. */
  imports: Schema.Int,
  /** Whether the key was used before. */
  known: Schema.Boolean,
  /** Whether a file with this key is being received. */
  receiving: Schema.Boolean
})

const IdOnly = Schema.Struct({ id: Id })
const Imports = { kind: Kind, project: OwnedId(ProjectId) }

/**
 * The condition for files of lost nodes. As for leases, a claim to receive that ends later than two lease lengths from now is void, because the clock was set
 * back.
 */
export const lost = (sql: SqlClient.SqlClient) => sql`(status = 'receiving' AND (received_until < clock_timestamp()
  OR received_until > clock_timestamp() + ${2 * leaseSeconds} * interval '1 second'))`

/** Receives files, and reads the progress of their imports. */
export class FilesRepo extends Effect.Service<FilesRepo>()("files/FilesRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockAccount } = yield* LockRepo
    const columns = sql.literal(
      `id, project_id, status, terms, CASE WHEN status = 'completed' THEN outcome END AS outcome, error,
        iso(created_at) AS created_at, iso(finished_at) AS finished_at`
    )
    const until = sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`

    /**
     * The state of an account's imports, without files of dead nodes. One statement, because the end of receiving and the storing of its key are one change.
     */
    const standing = Query.one({
      Request: Schema.Struct({ account: AccountId, key: Schema.NullOr(Schema.String), kind: Kind }),
      Result: Standing,
      execute: ({ account, key, kind }) => sql`
        SELECT count(*) FILTER (WHERE kind = ${kind})::int AS imports,
          coalesce(bool_or(status = 'receiving' AND idempotency_key = ${key}), false) AS receiving,
          EXISTS (SELECT FROM idempotency_keys WHERE account_id = ${account} AND key = ${key}) AS known
        FROM files WHERE account_id = ${account} AND finished_at IS NULL AND ${lost(sql)} IS NOT TRUE`
    })

    const open = Query.one({
      Request: Schema.Struct({
        ...Imports,
        account: AccountId,
        key: Schema.NullOr(Schema.String),
        terms: Schema.parseJson(Schema.Object)
      }),
      Result: IdOnly,
      execute: ({ account, key, kind, project, terms }) => sql`
        INSERT INTO files (account_id, project_id, kind, terms, idempotency_key, received_until)
        VALUES (${account}, ${project}, ${kind}, ${terms}::json, ${key}, ${until}) RETURNING id`
    })

    /** Renews the receiving node's claim to the file. */
    const renew = Query.none({
      Request: Id,
      execute: (id) => sql`UPDATE files SET received_until = ${until} WHERE id = ${id} AND status = 'receiving'`
    })

    /** Adds a piece of a file. Returns no row when the import was removed meanwhile, with its project or because the file arrived too slowly. */
    const add = Query.first({
      Request: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf, id: Id, number: Schema.Int }),
      Result: IdOnly,
      execute: ({ bytes, id, number }) => sql`
        WITH open AS (UPDATE files SET touched_at = clock_timestamp() WHERE id = ${id} AND status = 'receiving' RETURNING id)
        INSERT INTO file_pieces (file, number, bytes) SELECT id, ${number}, ${bytes}::bytea FROM open RETURNING file AS id`
    })

    /** Queues a complete file after the project's other files. */
    const queue = Query.first({
      Request: Schema.Struct({ hash: Schema.String, id: Id }),
      Result: Row,
      execute: ({ hash, id }) => sql`
        UPDATE files SET status = 'queued', hash = ${hash}, created_at = clock_timestamp()
        WHERE id = ${id} AND status = 'receiving' RETURNING ${columns}`
    })

    /** Removes the received pieces of a file that will not be imported. */
    const discard = Query.none({
      Request: Id,
      execute: (id) => sql`DELETE FROM files WHERE id = ${id} AND status = 'receiving'`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct(Imports),
      Result: Row,
      table: "f",
      rows: ({ kind, project }) =>
        sql`SELECT ${columns} FROM files f WHERE project_id = ${project} AND kind = ${kind} AND status <> 'receiving'`
    })

    const find = Query.first({
      Request: Schema.Struct({ ...Imports, id: Id }),
      Result: Row,
      execute: ({ id, kind, project }) => sql`
        SELECT ${columns} FROM files WHERE id = ${id} AND project_id = ${project} AND kind = ${kind} AND status <> 'receiving'`
    })

    /** Removes an ended import; none for an unfinished one. */
    const remove = Query.first({
      Request: Schema.Struct({ ...Imports, id: Id }),
      Result: IdOnly,
      execute: ({ id, kind, project }) => sql`
        DELETE FROM files WHERE id = ${id} AND project_id = ${project} AND kind = ${kind} AND finished_at IS NOT NULL RETURNING id`
    })

    return {
      add,
      discard,
      find: (of: Parameters<typeof find>[0]) => Effect.flatten(find(of)),
      list,
      lockAccount,
      open,
      queue: (of: Parameters<typeof queue>[0]) =>
        Effect.zipLeft(Effect.flatten(queue(of)), Effect.orDie(sql`SELECT ${notify(sql, channel, sql`'queued'`)}`)),
      remove,
      renew,
      standing,
      transaction: Query.transaction(sql)
    }
  })
}) {}

/** Milliseconds that a request waits for another one that sends a file with its Idempotency-Key. */
const patience = 60_000

/** The most waiting requests of an account in one process. */
const atMost = 100

/** Seconds for `Retry-After`, a guess: nobody knows when a file will have arrived or be imported. */
const again = 10

const tooManyWaiters = apiError(
  "quota_exceeded",
  `${atMost} requests of the account are waiting for others with the same Idempotency-Key. Try again in a minute`,
  { headers: waitHeaders(atMost, again) }
)

/** The error for a request that has waited long enough. */
const stillReceiving = apiError(
  "conflict",
  "Another request with this Idempotency-Key is still sending its file. Try again when it is done",
  { headers: { "retry-after": String(again) } }
)

/** Requests that wait for another one with their Idempotency-Key; `isReceiving` tells whether such a request exists. */
export const makeWaiters = (isReceiving: (account: AccountId, key: string) => Effect.Effect<boolean>) => {
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

  /** When a request that begins now will have waited long enough. */
  const deadline = Effect.map(Time.now, (now) => now + patience)

  /**
   * Waits until no file with this key is being received. It polls, because another node may receive the file. Meanwhile the request's body stays unread,
   * because this file may be the next.
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

/** The most unfinished imports of a kind in an account, because waiting files take room. */
const atOnce = 20

const tooMany = apiError(
  "quota_exceeded",
  `${atOnce} imports of the account are still in progress. Try again when one is finished`,
  {
    headers: waitHeaders(atOnce, again)
  }
)

const gone = NotFound.of("import")
const missing = () => gone

/** A kind of files, with terms of import `T` and imports shown as `V`. */
interface Receiving<T, V, VI> {
  readonly kind: Kind
  /** The most bytes of a file. */
  readonly most: number
  /** The caller's view of an import. Fields of its terms and of its outcome keep their names. */
  readonly View: Schema.Schema<V, VI> & { readonly fields: object }
  /** Refuses terms that do not fit the project. */
  readonly check?: (project: Project, terms: T) => Effect.Effect<unknown, Invalid>
}

interface OfProject {
  readonly path: { readonly project_id: ProjectId }
}

interface Sending extends OfProject {
  readonly headers: { readonly "idempotency-key"?: string }
}

interface OfImport {
  readonly path: { readonly import_id: string; readonly project_id: ProjectId }
}

/** The handlers of a kind of imports: receive files, read and remove their imports. */
export const fileHandlers = Effect.fnUntraced(function* <
  T extends object,
  V extends { readonly created_at: string; readonly id: string },
  VI
>({ check = () => Effect.void, kind, most, View }: Receiving<T, V, VI>) {
  const { creating } = yield* IdempotentCreate
  const projects = yield* Projects
  const repo = yield* FilesRepo
  const tooLarge = apiError(
    "payload_too_large",
    `The file is larger than ${most} bytes, the limit of this server. Split it, or raise FINDABLE_IMPORT_MAX_BYTES`
  )
  const decode = Schema.decodeUnknownSync(View)
  const nothing = Object.fromEntries(Object.keys(View.fields).map((name) => [name, null]))
  const viewOf = ({ outcome, terms, ...own }: typeof Row.Type) => decode({ ...nothing, ...terms, ...outcome, ...own })

  /** Makes a place for the file, unless its key has one, or is about to get one. */
  const open = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, key: string | null, terms: T) {
    yield* repo.lockAccount(account)
    const { imports, known, receiving } = yield* repo.standing({ account, key, kind })
    const project = yield* projects.own(account, id)
    yield* check(project.value, terms)
    if (known) return { is: "known" } as const
    if (receiving) return { is: "received elsewhere" } as const
    if (imports >= atOnce) return yield* tooMany
    return { is: "open", ...(yield* repo.open({ account, key, kind, project, terms })) } as const
  }, repo.transaction)

  /** Passes on the bytes in pieces as they arrive. An aborted body fails. Returns the hash of the file. */
  const read = Effect.fnUntraced(function* <E, E2>(
    { bytes, length }: FileBody<E>,
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
    if (size === 0) return yield* Invalid.of("body", "The request body is empty: send the file as the body")
    if (length !== undefined && length !== size)
      return yield* Invalid.of(
        "body",
        `The upload stopped after ${size} bytes, before its Content-Length. Send the file again`
      )
    return hash.digest().toHex()
  })

  const fill = <E>(id: string, body: FileBody<E>) =>
    read(body, (bytes, number) => Effect.mapError(Effect.flatten(repo.add({ bytes, id, number })), missing))

  /** Renews this node's claim to the file while it receives. */
  const renewing = (id: string) =>
    Effect.sleep(`${renewalSeconds} seconds`).pipe(
      Effect.zipRight(Effect.uninterruptible(repo.renew(id))),
      Effect.catchAllDefect(() => Effect.void),
      Effect.forever
    )

  const waiters = makeWaiters((account, key) =>
    Effect.map(repo.standing({ account, key, kind }), ({ receiving }) => receiving)
  )

  /**
   * Receives a file and queues it for import on these terms. A file that was not queued is removed in any case. A file with a used key is only read for
   * comparison, and takes no place.
   */
  const receive = Traced.fn("Files.receive")(function* (account: AccountId, { headers, path }: Sending, terms: T) {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (isForm(request.headers)) return yield* formRefused
    const body = fileOf(request)
    if ((body.length ?? 0) > most) return yield* tooLarge
    const { "idempotency-key": key = null } = headers
    const deadline = yield* waiters.deadline
    while (true) {
      const answer = yield* Effect.acquireUseRelease(
        open(account, path.project_id, key, terms),
        (place) => {
          if (place.is === "received elsewhere") return Effect.succeedNone
          const hash =
            place.is === "known"
              ? read(body, () => Effect.void)
              : Effect.raceFirst(fill(place.id, body), renewing(place.id))
          const queued = (hash: string): Effect.Effect<V, ApiError<"conflict"> | NotFound> =>
            place.is === "known"
              ? stillReceiving
              : Effect.mapBoth(repo.queue({ hash, id: place.id }), { onFailure: missing, onSuccess: viewOf })
          const created = (hash: string) =>
            creating({ headers, payload: { ...terms, hash } }, () =>
              Effect.map(queued(hash), (data) => ({
                accepted: true,
                data,
                location: `/api/v1/projects/${path.project_id}/${kind}/imports/${data.id}`
              }))
            )
          return Effect.flatMap(hash, (hash) => Effect.asSome(Effect.uninterruptible(created(hash))))
        },
        (place) => (place.is === "open" ? repo.discard(place.id) : Effect.void)
      )
      if (Option.isSome(answer)) return answer.value
      if (key !== null) yield* waiters.wait(account, key, deadline)
    }
  })

  const find = (of: Parameters<typeof repo.find>[0]) => Effect.mapError(repo.find(of), missing)

  const get = Effect.fnUntraced(function* (account: AccountId, { import_id: id, project_id }: OfImport["path"]) {
    return viewOf(yield* find({ id, kind, project: yield* projects.own(account, project_id) }))
  })

  /** Deletes the record of an import that has ended; its data stay. */
  const remove = Effect.fnUntraced(function* (account: AccountId, { import_id: id, project_id }: OfImport["path"]) {
    const one = { id, kind, project: yield* projects.own(account, project_id) }
    if (Option.isSome(yield* repo.remove(one))) return
    const { status } = yield* find(one)
    return yield* new Conflict({ message: `The import is ${status}. Delete its record when the import is finished` })
  })

  const list = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, batch: Batch) {
    const rows = yield* repo.list({ ...batch, kind, project: yield* projects.own(account, id) })
    return rows.map(viewOf)
  })

  return {
    create: (sending: Sending, terms: T) => forCaller((account) => receive(account, sending, terms)),
    get: ({ path }: OfImport) => answer((account) => get(account, path)),
    list: ({ path: { project_id }, urlParams }: OfProject & { readonly urlParams: Omit<ListQuery, "of"> }) =>
      listPage(
        { ...urlParams, of: [`imports of ${kind}`, project_id] },
        (account, batch) => list(account, project_id, batch),
        byCreation
      ),
    remove: ({ path }: OfImport) => forCaller((account) => remove(account, path))
  }
})
