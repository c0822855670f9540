import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { suite } from "../../harness.ts"
import { experiment, layer, metrics, owner } from "./experimenting.ts"

const it = suite(layer)

const race = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: 50 }, () => Effect.either(effect)),
      { concurrency: "unbounded" }
    ),
    (ends) => ({
      losses: ends.flatMap((end) => (Either.isLeft(end) ? [end.left._tag] : [])),
      wins: ends.flatMap((end) => (Either.isRight(end) ? [end.right] : []))
    })
  )

describe("of 50 concurrent requests", () => {
  it("exactly one evaluates an experiment, and its result is stored", function* () {
    const experiments = yield* Experiments
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project, "running")
    const { losses, wins } = yield* race(experiments.evaluate(account, id, metrics))
    expect(losses).toEqual(Array.from({ length: 49 }, () => "Conflict"))
    expect(wins.map((win) => win.experiment)).toEqual([yield* experiments.get(account, id)])
  })

  it("exactly one starts a draft", function* () {
    const experiments = yield* Experiments
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project)
    const { losses, wins } = yield* race(experiments.start(account, id))
    expect(losses).toEqual(Array.from({ length: 49 }, () => "Conflict"))
    expect(wins).toEqual([yield* experiments.get(account, id)])
  })
})
