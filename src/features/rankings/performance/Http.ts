import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { limits } from "../../../foundation/http/Pagination.ts"
import { answerList } from "../../accounts/Exports.ts"
import { answer } from "../../accounts/Handlers.ts"
import { PerformanceApi, PerformanceRow, type PerformanceTotals } from "./Api.ts"
import { Performance, positionBehind } from "./Performance.ts"

const unknown: typeof PerformanceTotals.Type = { totals: null, totals_source: null }

/** Each part of a table adds up all facts again, so an export takes large ones; rows are short. */
const exportBatch = 10_000

export const layer = HttpApiBuilder.group(apiRoot.add(PerformanceApi), "performance", (handlers) =>
  Effect.gen(function* () {
    const performance = yield* Performance
    return handlers
      .handle("performance", ({ path: { project_id }, urlParams: { cursor, limit, ...filters } }) =>
        Effect.gen(function* () {
          const beside = yield* Ref.make(unknown)
          const isWhole = filters.by === "date"
          return yield* answerList(
            {
              read: (account, batch) =>
                Effect.flatMap(performance.table(account, project_id, filters, batch), ({ rows, totals, walk }) =>
                  Effect.as(
                    Ref.set(beside, totals),
                    rows.map((row) => ({ row, walk }))
                  )
                ),
              batch: exportBatch,
              columns: Object.keys(PerformanceRow.fields),
              json: ({ row }) => JSON.stringify(row),
              position: ({ row, walk }) => positionBehind(row, walk),
              query: {
                cursor,
                limit: isWhole ? Math.max(limits.maximum, 500) : limit,
                of: ["performance", project_id, JSON.stringify(Object.entries(filters).sort())]
              }
            },
            ({ data, links, meta }) =>
              Effect.map(Ref.get(beside), (totals) => ({
                data: data.map(({ row }) => row),
                links,
                meta: { ...meta, per_page: limit, ...totals }
              }))
          )
        })
      )
      .handle("summary", ({ path }) => answer((account) => performance.summary(account, path.project_id)))
      .handle("cannibalisation", ({ path }) => answer((account) => performance.cannibalised(account, path.project_id)))
  })
).pipe(Layer.provide(Performance.Default))
