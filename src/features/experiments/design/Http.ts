import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { answer, whole } from "../../accounts/Handlers.ts"
import { Experiments } from "../Experiments.ts"
import { ExperimentDesignsApi } from "./Api.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(ExperimentDesignsApi), "experiment-designs", (handlers) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    return handlers
      .handle(
        "assign",
        ({ path, payload }) => answer((account) => experiments.assign(account, path.id, payload)),
        whole
      )
      .handle("power", ({ path }) => answer((account) => experiments.power(account, path.id)))
      .handle("preview", ({ path }) => answer((account) => experiments.preview(account, path.id)))
  })
).pipe(Layer.provide(Experiments.Default))
