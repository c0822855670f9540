import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { round } from "./Agreement.ts"

const it = suite(UploadsWorker.layer.pipe(Layer.provideMerge(Server.layer)), { timeout: 240_000 })

// `bun run campaign agreement` plays many and larger rounds.
it.effect(
  "archives of the interface, bulk exports and answers of the API of the same days agree in all that they share",
  () =>
    Effect.gen(function* () {
      const { differences, numbers } = yield* round(1, { days: 3, rows: 40 })
      expect(differences).toEqual([])
      expect(numbers).toBeGreaterThan(200)
    })
)
