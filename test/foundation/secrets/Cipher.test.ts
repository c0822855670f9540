import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { Cipher, layer, type Purpose, Sealed } from "../../../src/foundation/secrets/Cipher.ts"
import * as Entropy from "../../../src/foundation/secrets/Entropy.ts"
import { MasterKey } from "../../../src/foundation/secrets/MasterKey.ts"
import { suite } from "../../harness.ts"

const under = (byte: number) =>
  layer.pipe(Layer.provide(Layer.succeed(MasterKey, Redacted.make(new Uint8Array(32).fill(byte)))))

const it = suite(under(7).pipe(Layer.provideMerge(Entropy.layer)))
const purpose: Purpose = "secret of webhook"
const owner = "wh_01kakx3q7m8v2b5n9r4t6w0yzc"
const words = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const secret = Redacted.make(words)

const sealOne = Effect.gen(function* () {
  const cipher = yield* Cipher
  return { cipher, sealed: yield* cipher.seal(purpose, owner, secret) }
})

it("a sealed text of any kind opens to the same text", function* () {
  const cipher = yield* Cipher
  const opens = fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 5000 }), async (text) => {
    const sealed = await it.runtime.runPromise(cipher.seal(purpose, owner, Redacted.make(text)))
    expect(Redacted.value(await it.runtime.runPromise(cipher.open(purpose, owner, sealed)))).toBe(text)
  })
  yield* Effect.promise(() => fc.assert(opens))
})

it("a sealed secret names its master key and contains nothing of the secret", function* () {
  const { cipher, sealed } = yield* sealOne
  expect(sealed).toStartWith(`v1.${cipher.keyId}.`)
  expect(sealed).not.toContain(words)
  expect(sealed).not.toContain("whsec")
})

it("secrets sealed by the first release open forever", function* () {
  const cipher = yield* Cipher
  const open = (of: Purpose, by: string, sealed: string) =>
    Effect.map(cipher.open(of, by, Sealed.make(sealed)), Redacted.value)
  expect(
    yield* open(
      "secret of webhook",
      "wh_01m7z7c3hv0wea07shqa89ffx1",
      "v1.69619262795c6564.oRlRvSeEgW4Btjm7.t-iuxNz1ofn88DrXK--_JqOBC40Le-ay0VIkj22cgzevcwTvyBtJ1aZNus2HcE1igGtU2T0-QAXCURSgBd2Ilgak"
    )
  ).toBe("whsec_w0yiLkqtimz5C8UHnV7TB3pkxyQpkqxcQrfmRHV8HF4=")
  const credentials = yield* open(
    "Search Console credentials of site",
    "da61da2e-6fe7-47cd-9c96-89359f164434",
    "v1.69619262795c6564.RO02GZ6aKxusjQX0.lWOFI89VdYfbEQcyEUWckQr4HdkYCq0Uo2kxKgHhaeUTrMh49gJwHHdWR6yuRNYIp4nGVvH5gINWv4EL8gEAo4RMyVqiJ5HQN33XVwrCrJCnOTpAZGfLjP4TWAL3satkjL35"
  )
  expect(JSON.parse(credentials)).toMatchObject({ client_id: "c", refresh_token: "r", type: "authorized_user" })
})

it("a secret that is sealed twice gives different texts", function* () {
  const { cipher, sealed } = yield* sealOne
  expect(yield* cipher.seal(purpose, owner, secret)).not.toBe(sealed)
})

it("a sealed secret moved to another row does not open", function* () {
  const { cipher, sealed } = yield* sealOne
  const another = owner.replace(/c$/, "d")
  const error = yield* Effect.flip(cipher.open(purpose, another, sealed))
  expect(error.message).toBe(
    `The secret of webhook ${another} cannot be read: it was changed, or belongs to something else`
  )
})

it("a secret sealed for another purpose does not open", function* () {
  const { cipher, sealed } = yield* sealOne
  const error = yield* Effect.flip(cipher.open("Search Console credentials of site", owner, sealed))
  expect(error._tag).toBe("SecretUnreadable")
})

it("a change of any character is detected", function* () {
  const { cipher, sealed } = yield* sealOne
  const start = `v1.${cipher.keyId}.`.length
  // The last digit of unpadded base64url may carry meaningless bits, so it is left out.
  const positions = Array.from({ length: sealed.length - start - 1 }, (_, index) => start + index)
  const changed = positions
    .filter((position) => sealed[position] !== ".")
    .map((position) => sealed.slice(0, position) + (sealed[position] === "A" ? "B" : "A") + sealed.slice(position + 1))
  const results = yield* Effect.forEach(changed, (text) =>
    Effect.isFailure(cipher.open(purpose, owner, Sealed.make(text)))
  )
  expect(results.length).toBeGreaterThan(80)
  expect(results.every((refused) => refused)).toBe(true)
})

it("another master key is detected before anything is decrypted, and both keys are named", function* () {
  const { cipher, sealed } = yield* sealOne
  const other = yield* Cipher.pipe(Effect.provide(under(8)))
  const error = yield* Effect.flip(other.open(purpose, owner, sealed))
  expect(other.keyId).not.toBe(cipher.keyId)
  expect(error.message).toContain(`encrypted with master key ${cipher.keyId}`)
  expect(error.message).toContain(`is ${other.keyId}`)
})

it("servers with the same master key open each other's secrets", function* () {
  const { sealed } = yield* sealOne
  const node = yield* Cipher.pipe(Effect.provide(under(7)))
  expect(Redacted.value(yield* node.open(purpose, owner, sealed))).toBe(words)
})
