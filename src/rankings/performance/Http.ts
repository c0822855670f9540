import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { answer, pageForCaller } from "../../accounts/Answers.ts"
import { findable } from "../../http/Findable.ts"
import { limits } from "../../http/Pagination.ts"
import { PerformanceApi, type PerformanceTotals } from "./Api.ts"
import { Performance } from "./Performance.ts"

const unknown: typeof PerformanceTotals.Type = { totals: null, totals_source: null }

export const layer = HttpApiBuilder.group(findable.add(PerformanceApi), "performance", (handlers) =>
  Effect.gen(function* () {
    const performance = yield* Performance
    return handlers
      .handle("performance", ({ path: { project_id }, urlParams: { cursor, limit, ...asked } }) =>
        Effect.gen(function* () {
          const beside = yield* Ref.make({ revision: 0, totals: unknown })
          const isWhole = asked.by === "date"
          const page = yield* pageForCaller(
            {
              cursor,
              limit: isWhole ? Math.max(limits.maximum, 500) : limit,
              of: ["performance", project_id, JSON.stringify(Object.entries(asked).sort())]
            },
            (account, batch) =>
              Effect.flatMap(performance.table(account, project_id, asked, batch), ({ revision, rows, totals }) =>
                Effect.as(
                  Ref.set(beside, { revision, totals }),
                  rows.map((row) => ({ revision, row }))
                )
              ),
            ({ revision, row }) => [String(revision), String(row.impressions), String(row.clicks), row.key]
          )
          const { totals } = yield* Ref.get(beside)
          return {
            data: page.data.map(({ row }) => row),
            links: page.links,
            meta: { ...page.meta, per_page: limit, ...totals }
          }
        })
      )
      .handle("cannibalisation", ({ path }) => answer((account) => performance.cannibalised(account, path.project_id)))
  })
).pipe(Layer.provide(Performance.Default))
