import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { policy, renderHtml } from "../../../crawl/console/HtmlReport.ts"
import { maxRecords } from "../../../crawl/frontier/Frontier.ts"
import { Finding } from "../../../crawl/report/Finding.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import type { PageLinks, PageMeta } from "../../../foundation/http/Pagination.ts"
import { answerList } from "../../accounts/Exports.ts"
import { answer, forCaller } from "../../accounts/Handlers.ts"
import { doneByApi } from "../fixes/Done.ts"
import { fixDirectives } from "../fixes/FixDirectives.ts"
import { SiteHealthResultsApi } from "./Api.ts"
import { Results } from "./Results.ts"

interface Entry<A> {
  readonly entry: A
  readonly place: string
}

const entries = <A>({
  data,
  ...page
}: {
  readonly data: ReadonlyArray<Entry<A>>
  readonly meta: typeof PageMeta.Type
  readonly links: typeof PageLinks.Type
}) => Effect.succeed({ ...page, data: data.map(({ entry }) => entry) })

const inPlace = {
  json: ({ entry }: Entry<unknown>) => JSON.stringify(entry),
  position: ({ place }: Entry<unknown>) => [place]
}

export const layer = HttpApiBuilder.group(apiRoot.add(SiteHealthResultsApi), "site-health-results", (handlers) =>
  Effect.gen(function* () {
    const results = yield* Results
    return handlers
      .handle("pages", ({ path: { run_id: run }, urlParams }) =>
        answerList(
          {
            read: (account, batch) => results.pages(account, run, batch),
            ...inPlace,
            columns: Object.keys(MeasuredPage.fields),
            // Each read parses the whole stored result.
            batch: maxRecords + 1,
            query: { ...urlParams, of: ["pages of run", run] }
          },
          entries
        )
      )
      .handle("findings", ({ path: { run_id: run }, urlParams: { cursor, limit, ...filter } }) =>
        answerList(
          {
            read: (account, batch) => results.findings(account, run, filter, batch),
            ...inPlace,
            columns: Object.keys(Finding.fields),
            query: {
              cursor,
              limit,
              of: ["findings of run", run, filter.rule ?? "", filter.severity ?? "", filter.status ?? ""]
            }
          },
          entries
        )
      )
      .handle("diff", ({ path, urlParams: { against } }) =>
        answer((account) => results.diff(account, path.run_id, against))
      )
      .handle("fixes", ({ path }) =>
        answer((account) =>
          Effect.map(results.get(account, path.run_id), ({ result, run }) =>
            fixDirectives(result, doneByApi(run.value))
          )
        )
      )
      .handle("report", ({ path: { run_id: run } }) =>
        forCaller((account) =>
          Effect.gen(function* () {
            const { diff, result } = yield* results.report(account, run)
            return HttpServerResponse.text(yield* renderHtml(result, Option.getOrNull(diff)), {
              contentType: "text/html; charset=utf-8",
              headers: { "content-security-policy": policy }
            })
          })
        )
      )
  })
).pipe(Layer.provide(Results.Default))
