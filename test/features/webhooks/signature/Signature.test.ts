import { describe, expect, test } from "bun:test"
import { createHmac } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import * as Signature from "../../../../src/features/webhooks/signature/Signature.ts"
import * as Verifier from "../../../../src/features/webhooks/subscriptions/Ping.ts"
import { effectWithTestClock } from "../../../harness.ts"
import { current, deliver, replaced } from "../deliveries.ts"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

const other = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

const body = '{"id":"evt_1","text":"Grüße 🚀 1.0 \\/"}'

const now = 1_764_000_000

const hex = (key: string, text: string | Uint8Array) => createHmac("sha256", key).update(text).digest("hex")

const genuine = (timestamp = now) => `t=${timestamp},v1=${hex(secret, `${timestamp}.${body}`)}`

const check = (options: Partial<Signature.VerifyOptions>) =>
  Signature.verify({ body, header: genuine(), now, secret, ...options })

const refused = (reason: Signature.Refusal): Signature.Verdict => ({ valid: false, reason })

const accepted: Signature.Verdict = { valid: true, timestamp: now }

describe("a signature", () => {
  test("is the lower-case hex HMAC-SHA256 of `<t>.<raw body>` with the secret's text as key", async () => {
    expect(await Signature.sign({ body, secrets: [secret], timestamp: now })).toBe(genuine())
  })

  test("equals a value computed by OpenSSL", async () => {
    const header = await Signature.sign({ body: '{"hello":"world"}', secrets: [secret], timestamp: 1_700_000_000 })
    expect(header).toBe("t=1700000000,v1=17d78cda4b612036d9f27e4d8fe269ff44b380e0c12ccbdcea490a052c6ab9be")
  })

  test("covers bytes that are not UTF-8", async () => {
    const bytes = Uint8Array.of(0xff, 0x00, 0xfe, 0x80)
    const header = await Signature.sign({ body: bytes, secrets: [secret], timestamp: now })
    const text = Buffer.concat([Buffer.from(`${now}.`), bytes])
    expect(header).toBe(`t=${now},v1=${hex(secret, text)}`)
    expect(await check({ body: bytes, header })).toEqual(accepted)
  })

  test("has one `v1` per secret during a rotation, and is verified by either secret", async () => {
    const header = await Signature.sign({ body, secrets: [secret, other], timestamp: now })
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(await check({ header, secret })).toEqual(accepted)
    expect(await check({ header, secret: other })).toEqual(accepted)
  })

  test("is verified with several secrets if one of them matches", async () => {
    expect(await check({ secret: [other, secret] })).toEqual(accepted)
  })

  test("is verified for every body and secret, and refused after one bit of the body was flipped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.string({ minLength: 1 }),
        fc.nat(),
        async (bytes, key, position) => {
          const header = await Signature.sign({ body: bytes, secrets: [key], timestamp: now })
          expect(await check({ body: bytes, header, secret: key })).toEqual(accepted)
          const flipped = bytes.map((byte, index) => (index === position % bytes.length ? byte ^ 1 : byte))
          expect(await check({ body: flipped, header, secret: key })).toEqual(refused("signature_mismatch"))
        }
      ),
      { numRuns: 200 }
    )
  })
})

describe("the time of a signature", () => {
  const at = (timestamp: number, current: number, tolerance?: number) =>
    check({ header: genuine(timestamp), now: current, ...(tolerance === undefined ? {} : { tolerance }) })

  test("may differ by 300 seconds, before and after", async () => {
    expect((await at(now - 300, now)).valid).toBe(true)
    expect((await at(now - 300, now + 0.999)).valid).toBe(true)
    expect((await at(now + 300, now)).valid).toBe(true)
  })

  test("may not differ by 301 seconds", async () => {
    expect(await at(now - 301, now)).toEqual(refused("timestamp_too_old"))
    expect(await at(now + 301, now)).toEqual(refused("timestamp_too_new"))
  })

  test("may have another tolerance, also zero", async () => {
    expect((await at(now - 3600, now, 3600)).valid).toBe(true)
    expect(await at(now - 1, now, 0)).toEqual(refused("timestamp_too_old"))
    expect((await at(now, now, 0)).valid).toBe(true)
  })

  test("with a tolerance or a clock that is not a number is refused", async () => {
    expect(await at(now, Number.NaN)).toEqual(refused("timestamp_too_old"))
    expect(await at(now, now, Number.NaN)).toEqual(refused("timestamp_too_old"))
  })
})

describe("a signature header", () => {
  const v1 = hex(secret, `${now}.${body}`)
  const cases: ReadonlyArray<readonly [string, string | null | undefined, Signature.Refusal]> = [
    ["if it is absent", undefined, "missing_header"],
    ["if it is null", null, "missing_header"],
    ["if it is empty", "", "missing_header"],
    ["without a timestamp", `v1=${v1}`, "malformed_header"],
    ["with two timestamps", `t=${now},t=${now - 1},v1=${v1}`, "malformed_header"],
    ["with an infinite timestamp", `t=Infinity,v1=${v1}`, "malformed_header"],
    ["with a negative timestamp", `t=-${now},v1=${v1}`, "malformed_header"],
    ["with a fractional timestamp", `t=${now}.0,v1=${v1}`, "malformed_header"],
    ["with a leading zero in the timestamp", `t=0${now},v1=${v1}`, "malformed_header"],
    ["with a timestamp in exponent form", `t=1e9,v1=${v1}`, "malformed_header"],
    ["with a space after the comma", `t=${now}, v1=${v1}`, "malformed_header"],
    ["with a trailing comma", `t=${now},v1=${v1},`, "malformed_header"],
    ["with an element without an equals sign", `t=${now},v1=${v1},v2`, "malformed_header"],
    ["with an upper-case signature", `t=${now},v1=${v1.toUpperCase()}`, "malformed_header"],
    ["with a short signature", `t=${now},v1=${v1.slice(1)}`, "malformed_header"],
    ["with an empty signature", `t=${now},v1=`, "malformed_header"],
    ["with a signature in base64", `t=${now},v1=${Buffer.from(v1, "hex").toString("base64")}`, "malformed_header"],
    ["if it is no signature at all", "hello", "malformed_header"],
    ["if it is too long", `t=${now}${`,v1=${v1}`.repeat(70)}`, "malformed_header"],
    ["with other schemes only", `t=${now},v0=${v1}`, "no_v1"],
    ["with a timestamp only", `t=${now}`, "no_v1"]
  ]
  test.each(cases)("is refused %s, with the reason", async (_, header, reason) => {
    expect(await check({ header })).toEqual(refused(reason))
  })

  test("may have its elements in any order, and unknown schemes", async () => {
    expect(await check({ header: `v2=zzz,v1=${v1},t=${now}` })).toEqual(accepted)
  })

  test("with a timestamp moved within the tolerance is refused", async () => {
    expect(await check({ header: genuine().replace(`${now}`, `${now + 1}`) })).toEqual(refused("signature_mismatch"))
  })

  test("is refused with another secret, with no secret and with an empty one", async () => {
    for (const wrong of [other, [], "", [""], secret.toLowerCase()]) {
      expect(await check({ secret: wrong })).toEqual(refused("signature_mismatch"))
    }
  })

  test("leads to a result for any text, never to an exception", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.string({ unit: "binary" })), async (header) => {
        expect((await check({ header })).valid).toBe(false)
      }),
      { numRuns: 300 }
    )
  })
})

test("the verification module imports nothing but its own parser, so it runs wherever web standards do", async () => {
  const imports = (file: string) =>
    Bun.file(new URL(`../../../../src/features/webhooks/signature/${file}`, import.meta.url))
      .text()
      .then((text) => new Bun.Transpiler({ loader: "ts" }).scanImports(text).map(({ path }) => path))
  expect(await imports("Signature.ts")).toEqual(["./SignatureHeader.ts"])
  expect(await imports("SignatureHeader.ts")).toEqual([])
})

effectWithTestClock("a delivery is verified with the current time and all valid secrets", function* () {
  const timestamp = 1_764_000_000
  const { body, headers } = yield* Effect.promise(() => deliver("backlink.lost", { timestamp }))
  const secrets = [Redacted.make(replaced), Redacted.make(current)]
  const verdict = Verifier.verify({ body, header: headers["Service-Signature"], secrets })
  yield* TestClock.setTime((timestamp + 300) * 1000)
  expect(yield* verdict).toEqual({ valid: true, timestamp })
  yield* TestClock.adjust("1 seconds")
  expect(yield* verdict).toEqual({ valid: false, reason: "timestamp_too_old" })
})
