import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Entropy from "../../src/accounts/Entropy.ts"
import { WebhookId } from "../../src/webhooks/Ids.ts"
import { MasterKey } from "../../src/webhooks/MasterKey.ts"
import { generate } from "../../src/webhooks/Secret.ts"
import * as SecretCipher from "../../src/webhooks/SecretCipher.ts"
import { suite } from "../harness.ts"

const under = (byte: number) =>
  SecretCipher.layer.pipe(Layer.provide(Layer.succeed(MasterKey, Redacted.make(new Uint8Array(32).fill(byte)))))

const it = suite(under(7).pipe(Layer.provideMerge(Entropy.layer)))
const webhook = WebhookId.make("wh_01kakx3q7m8v2b5n9r4t6w0yzc")
const another = WebhookId.make("wh_01kakx3q7m8v2b5n9r4t6w0yzd")

const sealOne = Effect.gen(function* () {
  const cipher = yield* SecretCipher.SecretCipher
  const secret = yield* generate
  return { cipher, secret, sealed: yield* cipher.seal(webhook, secret) }
})

it.effect("what was sealed opens to the same secret", () =>
  Effect.gen(function* () {
    const { cipher, sealed, secret } = yield* sealOne
    expect(Redacted.value(yield* cipher.open(webhook, sealed))).toBe(Redacted.value(secret))
  })
)

it.effect("a sealed secret names its master key and holds nothing of the secret", () =>
  Effect.gen(function* () {
    const { cipher, sealed, secret } = yield* sealOne
    expect(sealed).toStartWith(`v1.${cipher.keyId}.`)
    expect(Buffer.from(sealed).includes(Redacted.value(secret))).toBe(false)
    expect(sealed).not.toContain("whsec")
  })
)

it.effect("the same secret is sealed differently each time", () =>
  Effect.gen(function* () {
    const { cipher, sealed, secret } = yield* sealOne
    expect(yield* cipher.seal(webhook, secret)).not.toBe(sealed)
  })
)

it.effect("a sealed secret moved to another webhook's row does not open", () =>
  Effect.gen(function* () {
    const { cipher, sealed } = yield* sealOne
    const error = yield* Effect.flip(cipher.open(another, sealed))
    expect(error.message).toBe(
      `The secret of webhook ${another} cannot be read: it was changed, or belongs to another webhook`
    )
  })
)

it.effect("no changed character goes unnoticed", () =>
  Effect.gen(function* () {
    const { cipher, sealed } = yield* sealOne
    const start = `v1.${cipher.keyId}.`.length
    // The last digit of unpadded base64url may carry bits that mean nothing, so it is left out.
    const positions = Array.from({ length: sealed.length - start - 1 }, (_, index) => start + index)
    const changed = positions
      .filter((position) => sealed[position] !== ".")
      .map(
        (position) => sealed.slice(0, position) + (sealed[position] === "A" ? "B" : "A") + sealed.slice(position + 1)
      )
    const results = yield* Effect.forEach(changed, (text) =>
      Effect.isFailure(cipher.open(webhook, SecretCipher.SealedSecret.make(text)))
    )
    expect(results.length).toBeGreaterThan(80)
    expect(results.every((refused) => refused)).toBe(true)
  })
)

it.effect("another master key is recognised before anything is decrypted, and both are named", () =>
  Effect.gen(function* () {
    const { cipher, sealed } = yield* sealOne
    const other = yield* SecretCipher.SecretCipher.pipe(Effect.provide(under(8)))
    const error = yield* Effect.flip(other.open(webhook, sealed))
    expect(other.keyId).not.toBe(cipher.keyId)
    expect(error.message).toContain(`sealed with master key ${cipher.keyId}`)
    expect(error.message).toContain(`is ${other.keyId}`)
  })
)

it.effect("nodes that hold the same master key open each other's secrets", () =>
  Effect.gen(function* () {
    const { sealed, secret } = yield* sealOne
    const node = yield* SecretCipher.SecretCipher.pipe(Effect.provide(under(7)))
    expect(Redacted.value(yield* node.open(webhook, sealed))).toBe(Redacted.value(secret))
  })
)
