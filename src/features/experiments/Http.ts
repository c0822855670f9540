import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { unhurried } from "../../foundation/schema/Steps.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { answerList } from "../accounts/Exports.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { ExperimentsApi } from "./Api.ts"
import { ExperimentDesignsApi } from "./design/Api.ts"
import { SeriesDay } from "./design/Design.ts"
import { Experiments } from "./Experiments.ts"
import { policy, renderReport } from "./Report.ts"
import { readMetrics } from "./statistics/ExperimentMetrics.ts"

/** Decodes the counts of an evaluation in steps: the platform would decode thousands of pages at a stretch, which delays other requests. */
const metricsOf = (sent: unknown) =>
  Effect.gen(function* () {
    const read = yield* unhurried(readMetrics(sent))
    return Either.isRight(read)
      ? read.right
      : yield* Effect.die(new HttpApiError.HttpApiDecodeError({ issues: read.left, message: "" }))
  })

const sentBy = (request: HttpServerRequest.HttpServerRequest) => Effect.orDie(request.json)

const isEmpty = (sent: unknown) => Predicate.isRecord(sent) && Object.keys(sent).length === 0

export const layer = HttpApiBuilder.group(apiRoot.add(ExperimentsApi), "experiments", (handlers) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams: { cursor, limit, project_id: project, site_id: site, status } }) =>
        listPage(
          { cursor, limit, of: ["experiments", site ?? "", project ?? "", status ?? ""] },
          (account, batch) => experiments.list(account, { project, site, status }, batch),
          byCreation
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
      .handle("patch", ({ path, payload }) => answer((account) => experiments.patch(account, path.id, payload)), whole)
      .handle("remove", ({ path }) => forCaller((account) => experiments.remove(account, path.id)), whole)
      .handle(
        "start",
        ({ path, payload }) => answer((account) => experiments.start(account, path.id, payload.force)),
        whole
      )
      .handle("report", ({ path }) =>
        forCaller((account) =>
          Effect.map(experiments.evaluated(account, path.id), ({ analysis, experiment }) =>
            HttpServerResponse.text(renderReport(experiment, analysis), {
              contentType: "text/html; charset=utf-8",
              headers: { "content-security-policy": policy }
            })
          )
        )
      )
      .handleRaw(
        "evaluate",
        ({ path: { id }, request, urlParams: { dry_run } }) =>
          Effect.flatMap(sentBy(request), (sent) => {
            const isTrial = dry_run === "true"
            const byCounts = (account: AccountId) =>
              Effect.flatMap(metricsOf(sent), (metrics) => experiments.evaluate(account, id, metrics, isTrial))
            return answer((account) =>
              isEmpty(sent)
                ? Effect.if(experiments.isDesigned(account, id), {
                    onFalse: () => byCounts(account),
                    onTrue: () => experiments.judge(account, id, isTrial)
                  })
                : byCounts(account)
            )
          }),
        whole
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Experiments.Default]))

export const designsLayer = HttpApiBuilder.group(apiRoot.add(ExperimentDesignsApi), "experiment-designs", (handlers) =>
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
      .handle("series", ({ path: { id }, urlParams: { cursor, limit } }) =>
        answerList(
          {
            read: (account, batch) => experiments.series(account, id, batch),
            columns: Object.keys(SeriesDay.fields),
            json: (day) => JSON.stringify(day),
            position: ({ date }) => [date],
            query: { cursor, limit, of: ["experiment series", id] }
          },
          (page) => Effect.succeed(page)
        )
      )
  })
).pipe(Layer.provide(Experiments.Default))
