import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secret from "../../../../src/features/webhooks/signature/Secret.ts"
import * as Entropy from "../../../../src/foundation/secrets/Entropy.ts"
import { it } from "../../../harness.ts"

it("a secret is `whsec_` and the standard base64 of 32 bytes, its key for Standard Webhooks", function* () {
  const drawn = Uint8Array.from({ length: 32 }, (_, index) => 255 - index)
  const secret = Redacted.value(
    yield* Secret.generate.pipe(
      Effect.provideService(Entropy.Entropy, { bytes: (n) => Effect.succeed(drawn.subarray(0, n)) })
    )
  )
  expect(secret).toBe(Secret.Secret.make(`whsec_${Buffer.from(drawn).toString("base64")}`))
  expect(Secret.keyBytes(secret)).toEqual(drawn)
})

it("a hundred secrets are different, and each has the documented form", () =>
  Effect.gen(function* () {
    const secrets = yield* Effect.replicateEffect(Secret.generate, 100)
    expect(new Set(secrets.map((secret) => Redacted.value(secret))).size).toBe(100)
    expect(secrets.every((secret) => Schema.is(Secret.Secret)(Redacted.value(secret)))).toBe(true)
  }).pipe(Effect.provide(Entropy.layer)))

it("a secret is not shown in a log line", () =>
  Effect.map(Secret.generate, (secret) => {
    expect(`${secret} ${JSON.stringify({ secret })}`).not.toContain("whsec_")
  }).pipe(Effect.provide(Entropy.layer)))

test.each([
  ["in base64url", `whsec_${"-".repeat(43)}=`],
  ["of 31 bytes", `whsec_${"A".repeat(42)}==`],
  ["of 33 bytes", `whsec_${"A".repeat(44)}`],
  ["without its prefix", `${"A".repeat(43)}=`],
  ["with stray low bits", `whsec_${"A".repeat(42)}B=`],
  ["with a line break", `whsec_${"A".repeat(43)}=\n`]
])("a text %s is no secret", (_, text) => {
  expect(Schema.is(Secret.Secret)(text)).toBe(false)
})
