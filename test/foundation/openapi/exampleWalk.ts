import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import type { Names } from "./exampleNames.ts"
import type { Site } from "./exampleSite.ts"

const v1 = "/api/v1"

/** The services of a step. */
export interface Walk {
  readonly key: string
  readonly names: Names
  readonly site: Site
}

/** An operation at its place in the order of examples: its preparations, and the values of its response for later examples. */
interface Step {
  readonly operation: string
  readonly before?: (walk: Walk) => Effect.Effect<unknown, unknown, Needed>
  readonly after?: (walk: Walk, answer: Server.Reply["body"]) => Effect.Effect<unknown, unknown, Needed>
}
type Needed = Effect.Effect.Context<ReturnType<typeof Server.send>> | SqlClient.SqlClient

/** The example id of each kind of thing. */
const id = {
  audit: "01937f4e-2b6d-7a10-8c55-3f0e9d2b7a41",
  auditSchedule: "8a4f4f0c-6a7b-4a55-8a64-0f4d3f1c9b22",
  backlink: "9e2f4b1c-5a7d-4c3e-8b60-1d2c3e4f5a6b",
  backlinkImport: "2f6d8c1a-3b4e-4f5a-9c7d-8e9f0a1b2c3d",
  delivery: "dlv_01kakx3q7m8v2b5n9r4t6w0yzc",
  designed: "0b7c5a1e-93d4-4e2f-8a6b-5c1d2e3f4a5b",
  earlier: "0192e8a1-0c1f-7d52-8a3b-9f1c2d3e4f50",
  event: "evt_01kakx3q7m8v2b5n9r4t6w0yzc",
  experiment: "e7d0b6c8-1a2b-4c3d-8e9f-0a1b2c3d4e5f",
  geoPrompt: "1e5d9c3b-7a2f-4b6e-8d10-5c4b3a2f1e0d",
  geoRun: "6c1f0b7d-2e3a-4d58-9f41-8a7b6c5d4e3f",
  geoSchedule: "5a9e3d7c-1b4f-4c82-a6d0-2f3e4d5c6b7a",
  growth: "c2a9a1f4-5d3b-4c7e-9f10-7a6b5c4d3e21",
  import: "5b0c6c0e-6f0a-4f0b-9d43-0f7a54f0f1aa",
  intervention: "0193c1aa-90d1-7d57-b0e6-61a3c6d5e2f0",
  key: "4d9c2b7a-8e1f-4a3b-9c5d-6e7f8a9b0c1d",
  keyword: "kw_b7128a076afc74fcf8313c76821db484",
  project: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
  run: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
  running: "0192f0d2-1b1c-7a06-b3a0-64a2f1d09c77",
  schedule: "3f1d1a52-9c4e-4a0c-8a47-2b9b0f6f7d10",
  snapshot: "2d4e6f80-1a3c-4b5d-9e7f-0a1b2c3d4e5f",
  sync: "c5f0a3d2-7e64-4b19-9a80-2d1f6b7c8e93",
  webhook: "wh_01kakx3q7m8v2b5n9r4t6w0yzc"
} as const

const learned = (name: string): Required<Pick<Step, "after">> => ({
  after: ({ names }, { data }) => Effect.sync(() => names.learn(name, data.id))
})

/** Sends a request, and again after a second while the key is over its limit per second. */
export const send: typeof Server.send = (method, path, options) =>
  Effect.filterOrElse(
    Server.send(method, path, options),
    ({ status }) => status !== 429,
    () => Effect.delay(send(method, path, options), "1 second")
  )

const get = ({ key, names }: Walk, path: string) => send("GET", names.toReal(`${v1}${path}`), { key })

const post = ({ key, names }: Walk, path: string, body: unknown) =>
  send("POST", names.toReal(`${v1}${path}`), { body, key })

/** Slow enough for the limits of a key; a refusal is retried. */
const pause = "200 millis"
const isOver = ({ body }: Server.Reply) => typeof body.data?.finished_at === "string"

const ended = (walk: Walk, run: string) => until(get(walk, `/runs/${run}`), isOver, pause)

const answered = (walk: Walk, run: string) => until(get(walk, `/projects/${id.project}/geo/runs/${run}`), isOver, pause)

const imported = (walk: Walk, upload: string) =>
  until(get(walk, `/projects/${id.project}/rankings/imports/${upload}`), isOver, pause)

const topQueries =
  "Top queries,Clicks,Impressions,CTR,Position\nrunning shoes,90,1200,7.5%,5.4\ntrail shoes,12,400,3%,8.1\n"

/** Two windows of search data, without the latest day, which the example imports. */
const history = ({ names }: Walk) => {
  const row = (day: string, path: string, impressions: number, position: number) => ({
    clicks: 3,
    impressions,
    keys: [day, "running shoes", `https://www.example.com${path}`],
    position
  })
  const rows = [
    row("2026-11-10", "/shoes", 40, 12),
    row("2026-11-17", "/shoes", 80, 6),
    row("2026-11-17", "/boots", 20, 15)
  ]
  return names.toReal(JSON.stringify({ rows }))
}

/** Rows of the API's JSON: the same queries and pages on every day of some weeks up to 20 November 2026. */
const weeks = ({ names }: Walk, days: number, dimension: "page" | "query,page,device") => {
  const newest = Date.UTC(2026, 10, 20)
  const rows = Array.from({ length: days }, (_, ago) =>
    new Date(newest - ago * 86_400_000).toISOString().slice(0, 10)
  ).flatMap((day, ago) =>
    Array.from({ length: 14 }, (_, n) => ({
      clicks: Math.round((60 - 4 * n) * (0.8 + 0.1 * ((ago * 7 + n * 3) % 5))),
      impressions: 900,
      keys:
        dimension === "page"
          ? [day, `https://www.example.com/guides/${n}`]
          : [day, `guide number ${n}`, `https://www.example.com/guides/${n}`, "MOBILE"],
      position: 1 + n
    }))
  )
  return names.toReal(JSON.stringify({ rows }))
}

/** Search data of eight weeks by query, and of sixteen by page. */
const measured = (walk: Walk) =>
  Effect.forEach(
    [
      [56, "query,page,device"],
      [112, "page"]
    ] as const,
    ([days, dimension]) =>
      Effect.flatMap(
        post(
          walk,
          `/projects/${id.project}/rankings/imports?format=gsc-api&dimensions=date,${dimension}`,
          weeks(walk, days, dimension)
        ),
        ({ body }) => imported(walk, body.data.id)
      )
  )

/** The code of the example, as the administrator's command stores one. */
const invited = (walk: Walk) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { body } = yield* get(walk, "/key")
    yield* sql`
      INSERT INTO console_codes (hash, account_id, scopes, lasts, expires_at)
      VALUES (sha256('AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'), ${body.data.account.id}, '{projects:read}', '12 hours', now() + interval '5 minutes')`
  })

/** Every operation once. */
export const steps: ReadonlyArray<Step> = [
  ...[
    "system.health",
    "system.ready",
    "system.metrics",
    "system.openapi",
    "key.get",
    "server.get",
    "rules.list",
    "events.types"
  ].map((operation) => ({ operation })),
  { operation: "projects.create", ...learned(id.project) },
  ...["list", "get", "patch"].map((name) => ({ operation: `projects.${name}` })),
  { operation: "webhooks.create", ...learned(id.webhook) },
  ...["list", "get", "patch", "ping", "test", "rotateSecret"].map((name) => ({ operation: `webhooks.${name}` })),
  {
    operation: "site-health.start",
    before: (walk) =>
      Effect.gen(function* () {
        const { body } = yield* post(walk, `/projects/${id.project}/site-health/runs`, {})
        walk.names.learn(id.earlier, body.data.id)
        yield* ended(walk, id.earlier)
        yield* walk.site.grow
      }),
    after: (walk, { data }) =>
      Effect.suspend(() => {
        walk.names.learn(id.run, data.id)
        return ended(walk, id.run)
      })
  },
  { operation: "site-health.get" },
  { operation: "site-health.list" },
  { operation: "site-health.latest" },
  { operation: "site-health.history" },
  { operation: "site-health-results.pages" },
  { operation: "site-health-results.deadLinks" },
  { operation: "site-health-results.findings" },
  { operation: "site-health-results.diff" },
  { operation: "site-health-results.fixes" },
  { operation: "site-health-results.fix" },
  { operation: "site-health-results.report" },
  { operation: "site-health.verify", after: (walk, { data }) => ended(walk, data.id) },
  {
    operation: "site-health.cancel",
    before: (walk) =>
      Effect.gen(function* () {
        yield* walk.site.hold
        const { body } = yield* post(walk, `/projects/${id.project}/site-health/runs`, { max_pages: 1 })
        walk.names.learn(id.running, body.data.id)
      }),
    after: ({ site }) => site.release
  },
  { operation: "site-health.remove" },
  { operation: "site-health-schedules.create", ...learned(id.schedule) },
  ...["list", "get", "change", "remove"].map((name) => ({ operation: `site-health-schedules.${name}` })),
  {
    operation: "ranking-imports.create",
    before: (walk) =>
      Effect.gen(function* () {
        const { body } = yield* post(
          walk,
          `/projects/${id.project}/rankings/imports?format=gsc-api&dimensions=date,query,page`,
          history(walk)
        )
        yield* imported(walk, body.data.id)
      }),
    after: (walk, { data }) =>
      Effect.suspend(() => {
        walk.names.learn(id.import, data.id)
        return imported(walk, id.import)
      })
  },
  { operation: "ranking-imports.list" },
  { operation: "ranking-imports.get" },
  {
    operation: "ranking-snapshots.list",
    before: (walk) =>
      Effect.gen(function* () {
        const { body } = yield* send(
          "POST",
          walk.names.toReal(
            `${v1}/projects/${id.project}/rankings/imports?format=gsc-csv&start=2026-08-24&end=2026-11-23`
          ),
          { body: topQueries, key: walk.key }
        )
        yield* imported(walk, body.data.id)
      }),
    after: ({ names }, { data }) => Effect.sync(() => names.learn(id.snapshot, data[0].id))
  },
  { operation: "ranking-snapshots.rows" },
  {
    operation: "keywords.list",
    after: ({ names }, { data }) => Effect.sync(() => names.learn(id.keyword, data[0].id))
  },
  { operation: "keywords.get" },
  { operation: "keywords.series" },
  { operation: "performance.performance" },
  { operation: "performance.summary" },
  { operation: "performance.cannibalisation" },
  {
    operation: "opportunities.list",
    before: (walk) =>
      Effect.zipRight(
        measured(walk),
        until(
          get(walk, `/projects/${id.project}/opportunities?kind=striking_distance&device=MOBILE`),
          ({ body }) => body.data.length > 0
        )
      )
  },
  { operation: "opportunities.curve" },
  { operation: "ranking-source.put" },
  { operation: "ranking-source.get" },
  { operation: "ranking-source.sync", ...learned(id.sync) },
  { operation: "ranking-source.getSync" },
  { operation: "inspections.create" },
  { operation: "inspections.list" },
  { operation: "backlink-imports.create", ...learned(id.backlinkImport) },
  {
    operation: "backlink-imports.get",
    before: (walk) => until(get(walk, `/projects/${id.project}/backlinks/imports/${id.backlinkImport}`), isOver, pause)
  },
  { operation: "backlink-imports.list" },
  {
    operation: "backlinks.list",
    after: ({ names }, { data }) => Effect.sync(() => names.learn(id.backlink, data[0].id))
  },
  ...["domains", "changes", "check", "checkDue"].map((name) => ({ operation: `backlinks.${name}` })),
  { operation: "geo-prompts.create", ...learned(id.geoPrompt) },
  { operation: "geo-prompts.list" },
  {
    operation: "geo-runs.create",
    after: (walk, { data }) =>
      Effect.suspend(() => {
        walk.names.learn(id.geoRun, data.id)
        return answered(walk, id.geoRun)
      })
  },
  { operation: "geo-runs.get" },
  { operation: "geo-runs.list" },
  {
    operation: "geo.visibility",
    before: (walk) =>
      Effect.flatMap(post(walk, `/projects/${id.project}/geo/runs`, { engines: ["openai"], repeats: 2 }), ({ body }) =>
        answered(walk, body.data.id)
      )
  },
  ...["history", "answers", "domains", "power", "import"].map((name) => ({ operation: `geo.${name}` })),
  { operation: "geo-schedules.create", ...learned(id.geoSchedule) },
  ...["list", "get", "change", "remove"].map((name) => ({ operation: `geo-schedules.${name}` })),
  { operation: "geo-prompts.remove" },
  { operation: "geo-prompts.clear" },
  ...["putGitHub", "getGitHub", "removeGitHub", "putWordPress", "getWordPress", "removeWordPress"].map((name) => ({
    operation: `connectors.${name}`
  })),
  { operation: "interventions.create", ...learned(id.intervention) },
  ...["list", "get", "refresh", "rollBack"].map((name) => ({ operation: `interventions.${name}` })),
  { operation: "ranking-source.remove" },
  { operation: "ranking-imports.removeDay" },
  { operation: "ranking-imports.remove" },
  { operation: "ranking-snapshots.remove" },
  { operation: "audits.create" },
  { operation: "audits.import", ...learned(id.audit) },
  ...["audits.list", "audits.pages", "audits.get", "audits.fixes"].map((operation) => ({ operation })),
  { operation: "audit-schedules.create", ...learned(id.auditSchedule) },
  ...["list", "get", "patch", "remove"].map((name) => ({ operation: `audit-schedules.${name}` })),
  { operation: "growth-projects.create", ...learned(id.growth) },
  ...["list", "get", "patch"].map((name) => ({ operation: `growth-projects.${name}` })),
  { operation: "experiments.create", ...learned(id.experiment) },
  ...["list", "patch", "start", "evaluate", "get", "report", "remove"].map((name) => ({
    operation: `experiments.${name}`
  })),
  {
    operation: "experiment-designs.assign",
    before: (walk) =>
      Effect.gen(function* () {
        const { body } = yield* post(walk, "/experiments", {
          design: { change_date: "2026-10-12", metric: "clicks", site_id: walk.names.toReal(id.project) },
          name: "Shorter titles",
          project_id: walk.names.toReal(id.growth)
        })
        walk.names.learn(id.designed, body.data.id)
      })
  },
  { operation: "experiment-designs.power" },
  { operation: "experiment-designs.series" },
  {
    operation: "experiment-designs.preview",
    before: (walk) => post(walk, `/experiments/${id.designed}/start`, undefined),
    after: (walk) =>
      Effect.zipRight(
        post(walk, `/experiments/${id.designed}/evaluate`, {}),
        send("DELETE", walk.names.toReal(`${v1}/experiments/${id.designed}`), { key: walk.key })
      )
  },
  { operation: "growth-projects.remove" },
  {
    operation: "webhooks.deliveries",
    before: (walk) =>
      Effect.gen(function* () {
        const { body } = yield* until(
          get(walk, `/webhooks/${id.webhook}/deliveries?status=delivered&event_type=audit.completed`),
          ({ body }) => body.data?.length > 0,
          pause
        )
        walk.names.learn(id.delivery, body.data[0].id)
        walk.names.learn(id.event, body.data[0].event_id)
      })
  },
  ...["delivery", "allDeliveries", "redeliver", "recover", "remove"].map((name) => ({ operation: `webhooks.${name}` })),
  { operation: "events.list" },
  { operation: "events.get" },
  { operation: "keys.create", ...learned(id.key) },
  ...["list", "get", "patch", "rotate", "remove"].map((name) => ({ operation: `keys.${name}` })),
  { operation: "console-sessions.enter", before: invited },
  { operation: "projects.remove" },
  { operation: "key.remove" }
]
