import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { FindingUnit } from "../../../crawl/diff/CrawlDiff.ts"
import { policy, renderHtml } from "../../../crawl/formats/Html.ts"
import { maxRecords } from "../../../crawl/frontier/Frontier.ts"
import { Finding } from "../../../crawl/report/Finding.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { apiRoot, type PageLinks, type PageMeta } from "../../../foundation/http/Contract.ts"
import { jsonResponse } from "../../../foundation/http/Request.ts"
import { answerList } from "../../accounts/Exports.ts"
import { answer, forCaller } from "../../accounts/Handlers.ts"
import { ListedDeadLink, SiteHealthResultsApi } from "./Api.ts"
import { type Listed, Results } from "./Results.ts"

interface Entry<A> {
  readonly entry: A
  readonly place: string
}

/** Entries with the length of the list. An entry has the contract's form, so it needs no encoding. */
const counted = ({
  data,
  links,
  meta
}: {
  readonly data: ReadonlyArray<Listed<unknown>>
  readonly meta: typeof PageMeta.Type
  readonly links: typeof PageLinks.Type
}) =>
  Effect.succeed(
    jsonResponse({
      data: data.map(({ entry }) => entry),
      meta: { ...meta, total: data[0]?.total ?? 0 },
      links
    })
  )

const filterNames = ["rule", "severity", "status", "url", "rows", "sort"] as const
const pageNames = ["state", "reason", "q", "sort", "order"] as const
const linkNames = ["kind", "reason", "q", "sort", "order"] as const

/** Values of the named filters, which make a cursor valid for the same list only. */
const valuesOf = <K extends string>(names: ReadonlyArray<K>, filter: Readonly<Partial<Record<K, string>>>) =>
  names.map((name) => filter[name] ?? "")

/** More than any list of issues has. */
const wholeList = 1_000_000

const inPlace = {
  json: ({ entry }: Entry<unknown>) => JSON.stringify(entry),
  position: ({ place }: Entry<unknown>) => [place]
}

export const layer = HttpApiBuilder.group(apiRoot.add(SiteHealthResultsApi), "site-health-results", (handlers) =>
  Effect.gen(function* () {
    const results = yield* Results
    return handlers
      .handle("pages", ({ path: { run_id: run }, urlParams: { cursor, limit, ...filter } }) =>
        answerList(
          {
            read: (account, batch) => results.pages(account, run, filter, batch),
            ...inPlace,
            columns: Object.keys(MeasuredPage.fields),
            // Each read parses the whole stored result.
            batch: maxRecords + 1,
            query: { cursor, limit, of: ["pages of run", run, ...valuesOf(pageNames, filter)] }
          },
          counted
        )
      )
      .handle("deadLinks", ({ path: { run_id: run }, urlParams: { cursor, limit, ...filter } }) =>
        answerList(
          {
            read: (account, batch) => results.deadLinks(account, run, filter, batch),
            ...inPlace,
            columns: Object.keys(ListedDeadLink.fields),
            batch: maxRecords + 1,
            query: { cursor, limit, of: ["dead links of run", run, ...valuesOf(linkNames, filter)] }
          },
          counted
        )
      )
      .handle("findings", ({ path: { run_id: run }, urlParams: { cursor, limit, ...filter } }) =>
        answerList(
          {
            read: (account, batch) => results.findings(account, run, filter, batch),
            ...inPlace,
            columns: Object.keys((filter.rows === undefined ? Finding : FindingUnit).fields),
            // Each read parses all findings of the result.
            batch: wholeList,
            query: { cursor, limit, of: ["findings of run", run, ...valuesOf(filterNames, filter)] }
          },
          counted
        )
      )
      .handle("diff", ({ path, urlParams: { against } }) =>
        answer((account) => results.diff(account, path.run_id, against))
      )
      .handle("fixes", ({ path }) => answer((account) => results.fixes(account, path.run_id)))
      .handle("fix", ({ path }) => answer((account) => results.fix(account, path.run_id, path.fix_id)))
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
