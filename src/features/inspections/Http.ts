import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answerList } from "../accounts/Exports.ts"
import { byCreation, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { InspectionsApi } from "./Api.ts"
import { Inspection } from "./Domain.ts"
import { Inspections } from "./Inspections.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(InspectionsApi), "inspections", (handlers) =>
  Effect.gen(function* () {
    const inspections = yield* Inspections
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        ({ headers, path: { project_id }, payload }) =>
          creating({ headers, payload }, (account) =>
            Effect.map(inspections.queue(account, project_id, payload), (data) => ({
              accepted: true,
              data,
              location: `/api/v1/projects/${project_id}/inspections`
            }))
          ),
        whole
      )
      .handle("list", ({ path: { project_id }, urlParams: { changed_since: changedSince, cursor, limit, verdict } }) =>
        answerList(
          {
            read: (account, batch) =>
              Effect.map(inspections.list(account, project_id, { changedSince, verdict }, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            columns: Object.keys(Inspection.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: {
              cursor,
              limit,
              of: [
                "inspections",
                project_id,
                verdict ?? "",
                changedSince === undefined ? "" : DateTime.formatIso(changedSince)
              ]
            }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Inspections.Default]))
