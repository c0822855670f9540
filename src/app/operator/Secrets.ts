import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cipher } from "../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../foundation/secrets/InstallationKey.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { SealedRepo } from "./SealedRepo.ts"

/**
 * Seals every stored secret with the new master key. A batch is one transaction, so the next rotation goes on where a killed one ended;
 * both keys are needed until the last secret is resealed, and only then the database names the new one.
 */
export const rotate = Effect.gen(function* () {
  const cipher = yield* Cipher
  const repo = yield* SealedRepo
  const { keyId } = cipher

  const carryBatch = ({ others, purpose, replace }: (typeof repo.places)[number]) =>
    repo.transaction(
      Effect.flatMap(others({ keyId }), (stored) =>
        Effect.as(
          Effect.forEach(
            stored,
            ({ owner, row, sealed }) =>
              cipher.open(purpose, owner, sealed).pipe(
                Effect.flatMap((secret) => cipher.seal(purpose, owner, secret)),
                Effect.flatMap((again) => replace({ row, sealed: again }))
              ),
            { discard: true }
          ),
          stored.length
        )
      )
    )

  const carryPlace = (place: (typeof repo.places)[number]) =>
    Effect.iterate(
      { done: 0, last: 1 },
      {
        body: ({ done }) => Effect.map(carryBatch(place), (last) => ({ done: done + last, last })),
        while: ({ last }) => last > 0
      }
    )

  const carried = yield* Effect.forEach(repo.places, carryPlace)
  yield* repo.settle({ keyId })
  return { carried_over: carried.reduce((sum, { done }) => sum + done, 0), master_key: keyId }
})

const rotateCommand = Command.make("rotate", { json }, ({ json }) =>
  Effect.flatMap(rotate, (done) => print(done, json))
).pipe(
  Command.withDescription(
    described("reseal all stored secrets, from FINDABLE_OLD_MASTER_KEY to this node's master key", "secrets rotate")
  ),
  Command.provide(Layer.merge(InstallationKey.layer, SealedRepo.Default))
)

/** `secrets …` */
export const secrets = Command.make("secrets").pipe(
  Command.withDescription("the encryption of stored secrets"),
  Command.withSubcommands([rotateCommand])
)
