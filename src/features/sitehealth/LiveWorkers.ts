import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type { Render } from "../../crawl/report/Rendering.ts"
import { leaseSeconds, renewalSeconds } from "../../foundation/database/LeaseQueue.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Conflict, Invalid } from "../../foundation/schema/DomainError.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"

/** Whether a worker is live, as a condition. A lease that ends later than twice its length was renewed before the clock was set back. */
const live = (sql: SqlClient.SqlClient) => sql`leased_until > clock_timestamp()
  AND leased_until < clock_timestamp() + ${2 * leaseSeconds} * interval '1 second'`

/** Whether a live worker has a browser, as a condition. */
export const isRendering = Effect.map(
  SqlClient.SqlClient,
  (sql) => sql`EXISTS (SELECT FROM site_health_workers WHERE browser IS NOT NULL AND ${live(sql)})`
)

/** The browser of a worker for rendering: its path and version, or the reason why there is none. */
export const Equipment = Schema.Struct({
  browser: Schema.NullOr(Schema.String),
  /** Null until the browser has told it. */
  version: Schema.NullOr(Schema.String),
  problem: Schema.NullOr(Schema.String)
})
export type Equipment = typeof Equipment.Type

/** The worker processes of the installation. */
export class LiveWorkersRepo extends Effect.Service<LiveWorkersRepo>()("sitehealth/LiveWorkersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const condition = yield* isRendering
    const isLive = live(sql)

    const rendering = Query.one({
      Request: Schema.Void,
      Result: Schema.Struct({ any: Schema.Boolean }),
      execute: () => sql`SELECT ${condition} AS any`
    })

    /** The best equipped live worker: one with a browser, if there is any. No row without a live worker. */
    const best = Query.first({
      Request: Schema.Void,
      Result: Schema.Struct({ ...Equipment.fields, found: Schema.Boolean }).omit("browser"),
      execute: () => sql`
        SELECT browser IS NOT NULL AS found, browser_version AS version, browser_problem AS problem FROM site_health_workers WHERE ${isLive}
        ORDER BY browser IS NULL, browser_version IS NULL, id LIMIT 1`
    })

    /** Begins or renews the lease of a worker. */
    const renew = Query.none({
      Request: Schema.Struct({ ...Equipment.fields, id: Schema.UUID }),
      execute: ({ browser, id, problem, version }) => sql`
        INSERT INTO site_health_workers (id, leased_until, browser, browser_version, browser_problem)
        VALUES (${id}, clock_timestamp() + ${leaseSeconds} * interval '1 second', ${browser}, ${version}, ${problem})
        ON CONFLICT (id) DO UPDATE SET leased_until = excluded.leased_until, browser = excluded.browser,
          browser_version = excluded.browser_version, browser_problem = excluded.browser_problem`
    })

    /** Removes the worker, and those that died an hour ago or longer. */
    const leave = Query.none({
      Request: Schema.UUID,
      execute: (id) => sql`
        DELETE FROM site_health_workers WHERE id = ${id} OR leased_until < clock_timestamp() - interval '1 hour'`
    })

    return { best: best(undefined), leave, renew, rendering: Effect.map(rendering(undefined), ({ any }) => any) }
  })
}) {}

const missing =
  "No running worker has a browser. Install one where a worker runs (Debian: apt-get install chromium-headless-shell), and restart that worker."

/** Refuses crawls that render always while no live worker has a browser; the message says what to install. */
export class RequireBrowser extends Effect.Service<RequireBrowser>()("sitehealth/RequireBrowser", {
  dependencies: [LiveWorkersRepo.Default],
  effect: Effect.map(LiveWorkersRepo, ({ rendering }) => {
    const requiring =
      <E>(refuse: () => E) =>
      (render: Render | undefined) =>
        render === "always"
          ? Effect.flatMap(rendering, (any) => (any ? Effect.void : Effect.fail(refuse())))
          : Effect.void
    return {
      /** For a request that names `render`. */
      asked: requiring(() => Invalid.of("render", `cannot be always. ${missing}`)),
      /** For a recheck, which renders as the crawl that it rechecks. */
      inherited: requiring(() => new Conflict({ message: `This crawl rendered all pages. ${missing}` }))
    }
  })
}) {}

const newId = Effect.map(
  Effect.flatMap(Entropy.Entropy, ({ bytes }) => bytes(16)),
  (bytes) => Encoding.encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
).pipe(Effect.provide(Entropy.layer))

/** Holds the lease of this process until the scope ends; the version of its browser is asked for meanwhile. */
export const present = Effect.fnUntraced(function* (
  found: Omit<Equipment, "version">,
  versionOf: (browser: string) => Effect.Effect<string | null>
) {
  const repo = yield* LiveWorkersRepo
  const id = yield* newId
  let version: string | null = null
  const renew = Effect.catchAllCause(
    Effect.suspend(() => repo.renew({ ...found, id, version })),
    (cause) => Outages.report("The lock of this worker could not be renewed", cause)
  )
  const askVersion = Effect.flatMap(versionOf(found.browser ?? ""), (told) => {
    version = told
    return renew
  })
  yield* Effect.acquireRelease(renew, () => Effect.ignore(Effect.sandbox(repo.leave(id))))
  yield* Effect.sleep(`${renewalSeconds} seconds`).pipe(Effect.zipRight(renew), Effect.forever, Effect.forkScoped)
  if (found.browser !== null) yield* Effect.forkScoped(askVersion)
})
