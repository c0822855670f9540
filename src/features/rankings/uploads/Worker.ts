import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Lease from "../../../foundation/database/Lease.ts"
import { LeaseMonitor } from "../../../foundation/database/LeaseMonitor.ts"
import { every, Outages } from "../../../foundation/database/Outages.ts"
import { numbered } from "../../../foundation/database/Pieces.ts"
import { NotFound, type Refused } from "../../../foundation/schema/DomainError.ts"
import type { ImportFailed } from "../ImportFailed.ts"
import { FileImports, type Unchanged } from "../import/FileImports.ts"
import type { Imported } from "../import/Imports.ts"
import { SitesRepo } from "../SitesRepo.ts"
import * as DecodeProcess from "./decoder/DecodeProcess.ts"
import { attemptsAtMost, type Claim, QueueRepo } from "./QueueRepo.ts"
import { channel, type Outcome, type UploadError } from "./Upload.ts"
import { UploadsRepo } from "./UploadsRepo.ts"

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
        NotFound: () => new Lease.LeaseLost(),
        DecodeFailed: (error) => Effect.succeed<End>(Either.left(errorOf(error))),
        ImportFailed: (error) => Effect.succeed<End>(Either.left(errorOf(error))),
        Refused: (error) => Effect.succeed<End>(Either.left(errorOf(error)))
      })
    )

  yield* Lease.worker({
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
