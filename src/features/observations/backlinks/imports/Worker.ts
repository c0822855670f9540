import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Lease from "../../../../foundation/database/Lease.ts"
import { every } from "../../../../foundation/database/Outages.ts"
import { numbered } from "../../../../foundation/database/Pieces.ts"
import { channel, type ImportError, type Outcome } from "./Domain.ts"
import { Importing } from "./Importing.ts"
import { attemptsAtMost, type Claim, ImportsRepo } from "./ImportsRepo.ts"

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
  yield* Lease.worker({
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
