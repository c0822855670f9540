import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { jsonResponse } from "../../../../foundation/http/JsonResponse.ts"
import { answer, byCreation, listPage, pageForCaller } from "../../../accounts/Handlers.ts"
import { GeoApi } from "./Api.ts"
import { Reads } from "./Reads.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(GeoApi), "geo", (handlers) =>
  Effect.gen(function* () {
    const reads = yield* Reads
    return handlers
      .handle("visibility", ({ path: { project_id }, urlParams: { compare, engine } }) =>
        answer((account) => reads.visibility(account, project_id, { compare, engine }))
      )
      .handle("answers", ({ path: { project_id }, urlParams: { cursor, limit, outcome, run_id: run } }) =>
        // The time by which the list is ordered is that of the run, which has it.
        Effect.map(
          pageForCaller(
            { cursor, limit, of: ["geo answers", project_id, outcome ?? "", run ?? ""] },
            (account, batch) => reads.answers(account, project_id, { outcome, run }, batch),
            byCreation
          ),
          ({ data, ...page }) => jsonResponse({ data: data.map(({ created_at: _, ...found }) => found), ...page })
        )
      )
      .handle("domains", ({ path: { project_id }, urlParams: { cursor, engine, limit, run_id: run } }) =>
        listPage(
          { cursor, limit, of: ["geo domains", project_id, engine ?? "", run ?? ""] },
          (account, batch) => reads.domains(account, project_id, { engine, run }, batch),
          ({ answers, domain }) => [String(answers), domain]
        )
      )
      .handle("power", ({ path: { project_id }, urlParams }) =>
        answer((account) => reads.power(account, project_id, urlParams))
      )
  })
).pipe(Layer.provide(Reads.Default))
