import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answer, answerPage } from "../accounts/Answers.ts"
import { Creation } from "../accounts/Creation.ts"
import { findable } from "../http/Findable.ts"
import { ExperimentsApi } from "./Api.ts"
import { Experiments } from "./Experiments.ts"

const whole = { uninterruptible: true } as const

export const layer = HttpApiBuilder.group(findable.add(ExperimentsApi), "experiments", (handlers) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    const { creating } = yield* Creation
    return handlers
      .handle("list", ({ urlParams: { cursor, limit, project_id: project, site_id: site, status } }) =>
        answerPage(
          { cursor, limit, of: ["experiments", site ?? "", project ?? "", status ?? ""] },
          (account, batch) => experiments.list(account, { project, site, status }, batch),
          (experiment) => [experiment.created_at, experiment.id]
        )
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(experiments.create(account, asked.payload), (experiment) => ({
              data: experiment,
              location: `/api/v1/experiments/${experiment.id}`
            }))
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => experiments.get(account, path.id)))
      .handle("start", ({ path }) => answer((account) => experiments.start(account, path.id)), whole)
      .handle(
        "evaluate",
        ({ path, payload }) => answer((account) => experiments.evaluate(account, path.id, payload)),
        whole
      )
  })
).pipe(Layer.provide([Creation.Default, Experiments.Default]))
