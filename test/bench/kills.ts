/**
 * `bun run kills [workers] [backends]`: kills worker processes with SIGKILL (300 by default), then ends all database sessions (30 times by default),
 * in the middle of their work; an embedded PostgreSQL with a node's settings, two workers at a time, a receiver that checks each delivery with three
 * foreign libraries. It fails when a delivery is lost, stuck or not genuine, or repeated oftener than a kill can account for.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Accounts } from "../../src/accounts/Accounts.ts"
import * as Database from "../../src/database/Database.ts"
import { Location, layerEmbedded } from "../../src/database/Location.ts"
import { EventBody } from "../../src/events/EventBody.ts"
import { makeEventId } from "../../src/events/EventId.ts"
import { EventsRepo } from "../../src/events/Repo.ts"
import * as OutboundLive from "../../src/outbound/OutboundLive.ts"
import * as Entropy from "../../src/secrets/Entropy.ts"
import { Subscriptions } from "../../src/webhooks/subscriptions/Subscriptions.ts"
import { WebhookUrl } from "../../src/webhooks/subscriptions/WebhookUrl.ts"
import { acceptedBy, everybody } from "../webhooks/verifiers.ts"

const kills = { backends: Number(process.argv[3] ?? 30), workers: Number(process.argv[2] ?? 300) }
const webhooks = 4
const directory = mkdtempSync(join(tmpdir(), "findable-kills-"))
chmodSync(directory, 0o755)
const settings = {
  FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
  FINDABLE_DATA_DIR: directory,
  FINDABLE_LOG_LEVEL: "off",
  FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
}
const runtime = ManagedRuntime.make(
  Layer.mergeAll(Accounts.Default, EventsRepo.Default, Subscriptions.Default, Entropy.layer).pipe(
    Layer.provide(OutboundLive.layer),
    Layer.provideMerge(Database.layerNoDeps),
    Layer.provideMerge(layerEmbedded({})),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))))
  )
)
const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>) =>
  runtime.runPromise(effect)
const sql = await run(SqlClient.SqlClient)
const { connection } = await run(Location)
const url = `postgresql://${connection.username}@localhost/${connection.database}?host=${encodeURIComponent(connection.host ?? "")}`

const receptions = new Map<string, number>()
const secrets = new Map<string, string>()
let forged = 0
let open = 0
let most = 0
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    most = Math.max(most, ++open)
    const { pathname } = new URL(request.url)
    const headers = Object.fromEntries(request.headers)
    const body = await request.text()
    const verdicts = await acceptedBy({ body, headers, method: "POST", path: pathname }, secrets.get(pathname) ?? "")
    if (verdicts.length !== everybody.length) forged++
    const name = `${pathname} ${headers["service-event-id"]}`
    receptions.set(name, (receptions.get(name) ?? 0) + 1)
    await Bun.sleep(3)
    open--
    return new Response("")
  }
})
const { id: account } = await run(Effect.flatMap(Accounts, (accounts) => accounts.create("kills", "agency_team")))
for (let index = 0; index < webhooks; index++) {
  const asked = {
    description: null,
    events: ["audit.failed" as const],
    url: WebhookUrl.make(`http://127.0.0.1:${receiver.port}/${index}`)
  }
  const { secret } = await run(Effect.flatMap(Subscriptions, ({ create }) => create(account, asked)))
  secrets.set(`/${index}`, secret)
}

let published = 0
const publish = async (count: number) => {
  const ids = await run(Effect.replicateEffect(makeEventId, count))
  const events = ids.map((id) => ({ body: EventBody.make(`{"id":"${id}"}`), id, occurrence: null }))
  const told = { account, createdAt: DateTime.unsafeNow(), events, except: null, type: "audit.failed" }
  await run(Effect.flatMap(EventsRepo, (repo) => repo.insert(told)))
  published += count * webhooks
}
const worker = () =>
  Bun.spawn([process.execPath, join(import.meta.dir, "../../src/main.ts")], {
    env: { ...process.env, ...settings, DATABASE_URL: url, FINDABLE_ROLE: "worker" },
    stderr: "ignore",
    stdout: "ignore"
  })
const queued = async () => {
  const [row] = await run(sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_queue`)
  return row?.count ?? 0
}
/** Waits until somebody works again, and a little, so that what is killed is in the middle of something. */
const busy = async () => {
  if ((await queued()) < 200) await publish(100)
  const before = receptions.size
  while (receptions.size === before) await Bun.sleep(5)
  await Bun.sleep(Math.random() * 60)
}
const drained = async () => {
  const began = performance.now()
  while ((await queued()) > 0) await Bun.sleep(50)
  return Math.round((performance.now() - began) / 100) / 10
}
const repeated = () => [...receptions.values()].reduce((sum, count) => sum + count - 1, 0)

const pool = [worker(), worker()]
for (let kill = 0; kill < kills.workers; kill++) {
  await busy()
  const [victim] = pool.splice(0, 1)
  victim?.kill("SIGKILL")
  await victim?.exited
  pool.push(worker())
}
const seconds = await drained()
const afterWorkers = repeated()
console.log(
  `${kills.workers} workers killed: ${published} deliveries, ${published - receptions.size} lost, ${afterWorkers} repeated (${most} in flight at most), the last taken over within ${seconds} s`
)
for (let kill = 0; kill < kills.backends; kill++) {
  await busy()
  // As after a crash of a session: what was not committed is gone.
  await run(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name <> ${`findable ${process.pid}`}`)
}
await drained()
console.log(
  `${kills.backends} times all database sessions ended: ${published} deliveries, ${published - receptions.size} lost, ${repeated() - afterWorkers} repeated, ${forged} not genuine`
)
for (const child of pool) child.kill("SIGKILL")
const fine =
  receptions.size === published && forged === 0 && repeated() <= (kills.workers + kills.backends) * 2 * (most + 200)
receiver.stop(true)
await runtime.dispose()
rmSync(directory, { force: true, recursive: true })
process.exit(fine ? 0 : 1)
