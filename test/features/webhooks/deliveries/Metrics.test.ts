import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { valueOf } from "../exposed.ts"
import { attempted, layer, publishExample, subscriber, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const it = suite(layer)

const outcomes = Effect.all({
  delivered: valueOf('findable_webhook_attempts_total{outcome="delivered"}'),
  failed: valueOf('findable_webhook_attempts_total{outcome="failed"}'),
  retried: valueOf('findable_webhook_attempts_total{outcome="retried"}')
})

for (const [status, outcome] of [
  [204, "delivered"],
  [500, "retried"],
  [410, "failed"]
] as const) {
  it(`an attempt that is answered ${status} is counted as ${outcome}`, function* () {
    const before = yield* outcomes
    const target = yield* receiver(() => new Response(null, { status }))
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    // Counted just after it is recorded.
    yield* until(outcomes, (now) => now[outcome] > before[outcome])
    expect(yield* outcomes).toEqual({ ...before, [outcome]: before[outcome] + 1 })
  })
}
