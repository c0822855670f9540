import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Secret } from "./Secret.ts"
import * as Signature from "./Signature.ts"

/** A delivery whose signature is in doubt. */
interface Suspect {
  readonly body: Signature.Body
  readonly header: string | null | undefined
  readonly secrets: ReadonlyArray<Redacted.Redacted<Secret>>
}

/** `Signature.verify` at the current time. */
export const verify = Effect.fnUntraced(function* ({ body, header, secrets }: Suspect) {
  const now = (yield* Clock.currentTimeMillis) / 1000
  return yield* Effect.promise(() => Signature.verify({ body, header, now, secret: secrets.map(Redacted.value) }))
})
