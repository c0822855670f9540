import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { renewalSeconds } from "../../../foundation/database/LeaseQueue.ts"
import { inPieces } from "../../../foundation/database/Pieces.ts"
import { type ApiError, apiError, waitHeaders } from "../../../foundation/http/ApiError.ts"
import type { FileBody } from "../../../foundation/http/FileOf.ts"
import { Conflict, Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { fileHash } from "../../../foundation/text/FileHash.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { nameOf, type Reading } from "../import/FileImports.ts"
import * as Property from "../Property.ts"
import { MaxBytes } from "../Settings.ts"
import type { Upload, UploadId } from "./Upload.ts"
import { UploadsRepo } from "./UploadsRepo.ts"
import * as Waiters from "./Waiters.ts"

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

    const waiters = Waiters.make((account, key) =>
      Effect.map(repo.standing({ account, key }), ({ receiving }) => receiving)
    )

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
                ? { hash: read(request, () => Effect.void), queued: () => Waiters.stillReceiving }
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
