/** A program on everything that runs in Node.js and in Bun; its argument is the URL of a server. */
export const program = `
import { Api, ended, make, records, SiteHealthRun } from "findable/api"
import type { Audit, AuditCompletedEvent, Experiment, KeywordRanking, Project, RankingDroppedEvent, WebhookEvent } from "findable/api"
import { crawl } from "findable/crawl"
import { rows } from "findable/rankings"
import { analyse, ArmMetrics } from "findable/statistics"
import { sign, verify } from "findable/webhooks"
import * as HttpApi from "@effect/platform/HttpApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export type Named = [Audit, Experiment, KeywordRanking, SiteHealthRun, RankingDroppedEvent]
export const hostOf = (project: Project): string => project.host
export const isCompleted = (event: WebhookEvent): event is AuditCompletedEvent => event.type === "audit.completed"
export const isRun = Schema.is(SiteHealthRun)

const asked = Effect.gen(function* () {
  const client = yield* make({ baseUrl: process.argv[2] ?? "", key: "fnd_test_x" })
  const project = yield* client.projects.create({ body: { url: "https://example.com" } })
  const hosts = yield* Stream.runCollect(records((start) => client.projects.list({ query: { limit: 1, ...start } })))
  const run = yield* client.siteHealth.start({ idempotencyKey: "one-run-only", path: { project_id: project.data.id } })
  const { data } = yield* ended(client, run.data.id)
  return [project.status, hosts.length, run.status, data.result?.score.aggregate_score ?? null]
})
const refused = await Effect.runPromise(Effect.flip(asked).pipe(Effect.provide(FetchHttpClient.layer)))

const metrics = { preImpressions: 1000, postImpressions: 1000, preConversions: 10, postConversions: 10 }
const counts = Schema.decodeSync(ArmMetrics)
const analysis = analyse(counts(metrics), counts({ ...metrics, postConversions: 40 }))
const endpoints: Array<string> = []
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => { endpoints.push(endpoint.path) } })
console.log(JSON.stringify({ crawl: typeof crawl, endpoints: endpoints.length > 20, rows: typeof rows, significant: analysis.isSignificant, sign: typeof sign, verify: typeof verify, refused: refused._tag === "ApiError" ? refused.code : refused._tag }))
`

/** Its last line of output, if the server returns 401 to every request. */
export const answer = {
  crawl: "function",
  endpoints: true,
  refused: "unauthorized",
  rows: "function",
  sign: "function",
  significant: true,
  verify: "function"
}

/** Options of a strict compiler over files. */
export const strictly = (files: ReadonlyArray<string>) => ({
  compilerOptions: {
    exactOptionalPropertyTypes: true,
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    strict: true,
    target: "ES2022",
    types: ["bun-types"]
  },
  files
})

/**
 * The one known gap, which the guide describes: declarations of the platform's Bun server, which programs that import it have to read, use names of types
 * that newer Bun types no longer have.
 */
export const isKnownGap = (line: string): boolean =>
  /@effect\/platform-bun\/dist\/dts\/BunHttpServer\.d\.ts\(.*'(?:RouterTypes|TLSServeOptions|UnixServeOptions|UnixTLSServeOptions)'/.test(
    line
  )
