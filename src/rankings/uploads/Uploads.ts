import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Batch } from "../../accounts/Answers.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { apiError } from "../../http/Failure.ts"
import { waitHeaders } from "../../http/RateHeaders.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { Invalid, NotFound } from "../../schema/DomainError.ts"
import * as Traced from "../../schema/Traced.ts"
import { fileHash } from "../import/FileHash.ts"
import { nameOf, type Reading } from "../import/FileImports.ts"
import * as Property from "../Property.ts"
import { inPieces } from "./Pieces.ts"
import { MaxBytes } from "./Settings.ts"
import type { UploadId } from "./Upload.ts"
import { UploadsRepo } from "./UploadsRepo.ts"

/** Imports that an account may have which are not over: files that wait take up room. */
const atOnce = 20

/** Nobody knows when a file will be imported; this is when it is worth asking again. */
const wait = 10

const tooMany = apiError("quota_exceeded", `${atOnce} imports of the account are not over yet`, {
  headers: waitHeaders(atOnce, wait)
})

const gone = NotFound.of("import")

const missing = () => gone

/** A file on its way in: its bytes, and how many there will be, where the sender says so. */
export interface Body<E> {
  readonly length: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** What was received. */
export interface Received {
  readonly id: UploadId
  readonly hash: string
}

/** Imports that come over HTTP: receiving files, and telling what became of them. */
export class Uploads extends Effect.Service<Uploads>()("rankings/uploads/Uploads", {
  dependencies: [Projects.Default, UploadsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* UploadsRepo
    const most = yield* MaxBytes
    const tooLarge = apiError("payload_too_large", `The file is over ${most} bytes`)

    const open = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, reading: Reading) {
      yield* repo.lockAccount(account)
      const { imports } = yield* repo.unfinished(account)
      const project = yield* projects.own(account, id)
      const { property } = reading
      const known = property === null ? undefined : Property.covering(property, project.value.host)
      if (known !== undefined && Either.isLeft(known)) return yield* Invalid.of("property", known.left)
      return imports >= atOnce ? yield* tooMany : yield* repo.open({ account, project, ...reading })
    }, repo.transaction)

    /** Stores the bytes as they come, in pieces; what breaks off is not a file. */
    const fill = Effect.fnUntraced(function* <E>(id: UploadId, reading: Reading, { bytes, length }: Body<E>) {
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
      if (length !== undefined && length !== size) return yield* Invalid.of("body", `broke off after ${size} bytes`)
      return { hash: nameOf(reading, [hash.digest()]), id } satisfies Received
    })

    /** Receives a file and hands it to `use`, which may queue it; one that was not queued is gone afterwards, whatever happened. */
    const receiving = Traced.fn("Uploads.receiving")(function* <E, A, E2, R>(
      account: AccountId,
      project: ProjectId,
      reading: Reading,
      body: Body<E>,
      use: (received: Received) => Effect.Effect<A, E2, R>
    ) {
      if ((body.length ?? 0) > most) return yield* tooLarge
      return yield* Effect.acquireUseRelease(
        open(account, project, reading),
        ({ id }) => Effect.flatMap(fill(id, reading, body), (received) => Effect.uninterruptible(use(received))),
        ({ id }) => repo.discard(id)
      )
    })

    const queue = (received: Received) => Effect.mapError(repo.queue(received), missing)

    /** The imports of a project, newest first, after a position. */
    const list = Traced.fn("Uploads.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    const get = Traced.fn("Uploads.get")(function* (account: AccountId, project: ProjectId, id: UploadId) {
      return yield* Effect.mapError(repo.find({ id, project: yield* projects.own(account, project) }), missing)
    })

    return { get, list, queue, receiving }
  })
}) {}
