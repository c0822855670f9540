import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { Arrivals } from "../../../../src/features/webhooks/events/List.ts"
import { Stopping } from "../../../../src/foundation/http/Request.ts"
import * as cluster from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { eventually } from "../../../waiting.ts"

const it = suite(Arrivals.Default.pipe(Layer.provideMerge(Stopping.Default), Layer.provideMerge(cluster.layer)))

const account = AccountId.make("0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11")

it("a waiting request ends when its server stops, with the events so far", function* () {
  const [{ awaited }, stopping] = [yield* Arrivals, yield* Stopping]
  let looks = 0
  const read = Effect.sync(() => {
    looks += 1
    return "nothing"
  })
  const waiting = yield* Effect.fork(awaited("wait=50")(account, read, () => false))
  yield* eventually(() => looks >= 2)
  yield* stopping.begin
  expect(yield* Fiber.join(waiting)).toBe("nothing")
  // A stopping server lets no further request wait.
  expect(yield* awaited("wait=50")(account, read, () => false)).toBe("nothing")
})
