import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { inPieces } from "../../../../foundation/database/Pieces.ts"
import { type ApiError, apiError, waitHeaders } from "../../../../foundation/http/ApiError.ts"
import type { FileBody } from "../../../../foundation/http/FileOf.ts"
import { Invalid, NotFound } from "../../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import { fileHash } from "../../../../foundation/text/FileHash.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { Batch } from "../../../accounts/Handlers.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import type { BacklinkImport, Format, ImportId } from "./Domain.ts"
import { ImportsRepo } from "./ImportsRepo.ts"

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
