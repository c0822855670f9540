import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { GrowthProjects } from "../../../src/features/experiments/GrowthProjects.ts"
import * as TestServer from "../../server.ts"
import { growthProject } from "./experimenting.ts"

/** The real server, and its use cases to prepare a test. */
export const layer = Layer.mergeAll(Experiments.Default, GrowthProjects.Default).pipe(
  Layer.provideMerge(TestServer.layer)
)

/** A customer with a growth project. */
export const customer = Effect.gen(function* () {
  const { account, key } = yield* TestServer.customer()
  return { account, key, project: (yield* growthProject(account)).id }
})

/** A UUID without an experiment, growth project or site. */
export const unknown = "0b9c4a5e-0d0a-4d8c-9a53-0d7f6f0f2f0e"
