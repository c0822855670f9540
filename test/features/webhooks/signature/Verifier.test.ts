import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Verifier from "../../../../src/features/webhooks/subscriptions/Ping.ts"
import { effectWithTestClock } from "../../../harness.ts"
import { current, deliver, replaced } from "../deliveries.ts"

effectWithTestClock("a delivery is checked against the current time and all secrets that are valid", function* () {
  const timestamp = 1_764_000_000
  const { body, headers } = yield* Effect.promise(() => deliver("backlink.lost", { timestamp }))
  const secrets = [Redacted.make(replaced), Redacted.make(current)]
  const verdict = Verifier.verify({ body, header: headers["Service-Signature"], secrets })
  yield* TestClock.setTime((timestamp + 300) * 1000)
  expect(yield* verdict).toEqual({ valid: true, timestamp })
  yield* TestClock.adjust("1 seconds")
  expect(yield* verdict).toEqual({ valid: false, reason: "timestamp_too_old" })
})
