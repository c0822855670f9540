import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { answerList } from "../../../accounts/Exports.ts"
import { answer, byCreation } from "../../../accounts/Handlers.ts"
import { GeoApi } from "./Api.ts"
import { CitedDomain, GeoAnswer } from "./Domain.ts"
import { Reads } from "./Reads.ts"

/** Answers that an export reads at a time: they are long. */
const answersAtOnce = 50

export const layer = HttpApiBuilder.group(apiRoot.add(GeoApi), "geo", (handlers) =>
  Effect.gen(function* () {
    const reads = yield* Reads
    return handlers
      .handle("visibility", ({ path: { project_id }, urlParams: { compare, engine } }) =>
        answer((account) => reads.visibility(account, project_id, { compare, engine }))
      )
      .handle("answers", ({ path: { project_id }, urlParams: { cursor, limit, outcome, run_id: run } }) =>
        answerList(
          {
            // The time by which the list is ordered is that of the run, which has it.
            read: (account, batch) =>
              Effect.map(reads.answers(account, project_id, { outcome, run }, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            batch: answersAtOnce,
            columns: Object.keys(GeoAnswer.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: { cursor, limit, of: ["geo answers", project_id, outcome ?? "", run ?? ""] }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      )
      .handle("domains", ({ path: { project_id }, urlParams: { cursor, engine, limit, run_id: run } }) =>
        answerList(
          {
            read: (account, batch) => reads.domains(account, project_id, { engine, run }, batch),
            columns: Object.keys(CitedDomain.fields),
            json: (domain) => JSON.stringify(domain),
            position: ({ answers, domain }) => [String(answers), domain],
            query: { cursor, limit, of: ["geo domains", project_id, engine ?? "", run ?? ""] }
          },
          (page) => Effect.succeed(page)
        )
      )
      .handle("power", ({ path: { project_id }, urlParams }) =>
        answer((account) => reads.power(account, project_id, urlParams))
      )
  })
).pipe(Layer.provide(Reads.Default))
