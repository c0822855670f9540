/** An embedded PostgreSQL with the settings of a server, an account, and helpers of campaigns; each worker is a process of its own. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { EventBody, makeEventId } from "../../../src/features/events/EventKind.ts"
import { EventsRepo } from "../../../src/features/events/Events.ts"
import { WebhookUrl } from "../../../src/features/webhooks/Domain.ts"
import { Subscriptions } from "../../../src/features/webhooks/subscriptions/Subscriptions.ts"
import * as Database from "../../../src/foundation/database/Database.ts"
import { Location, layerEmbedded } from "../../../src/foundation/database/Location.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import * as Entropy from "../../../src/foundation/secrets/Entropy.ts"

export const directory = mkdtempSync(join(tmpdir(), "findable-bench-"))
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
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )
)
export const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>) =>
  runtime.runPromise(effect)

export const sql = await run(SqlClient.SqlClient)
const { connection } = await run(Location)
const url = `postgresql://${connection.username}@localhost/${connection.database}?host=${encodeURIComponent(connection.host ?? "")}`

/** What makes a process a part of it. */
export const environment = { ...process.env, ...settings, DATABASE_URL: url }

export const account = (name: string) =>
  run(
    Effect.map(
      Effect.flatMap(Accounts, (accounts) => accounts.create(name, "agency_team")),
      ({ id }) => id
    )
  )

/** Subscribes an address of the account to the event that campaigns publish; answers the secret. */
export const subscribe = (account: AccountId, address: string) => {
  const asked = {
    description: null,
    events: ["audit.failed" as const],
    format: "json" as const,
    url: WebhookUrl.make(address)
  }
  return run(Effect.flatMap(Subscriptions, ({ create }) => Effect.map(create(account, asked), ({ secret }) => secret)))
}

/** The text of an event whose data say when it was made. */
export const bodyOf = (id: string, data: object = {}) =>
  EventBody.make(JSON.stringify({ id, type: "audit.failed", data: { ...data, sent: Date.now() } }))

/** Publishes so many events through the outbox. */
export const publish = async (account: AccountId, count: number, data?: object) => {
  const ids = await run(Effect.replicateEffect(makeEventId, count))
  const events = ids.map((id) => ({ body: bodyOf(id, data), id, occurrence: null }))
  const told = { account, createdAt: DateTime.unsafeNow(), events, except: null, type: "audit.failed" }
  await run(Effect.asVoid(Effect.flatMap(EventsRepo, (repo) => repo.insert(told))))
}

export const worker = () =>
  Bun.spawn([process.execPath, join(import.meta.dir, "../../../src/main.ts")], {
    env: { ...environment, FINDABLE_ROLE: "worker" },
    stderr: "ignore",
    stdout: "ignore"
  })

/** Asks the database, again while it is not there. */
export const query = <Row extends object>(text: string) =>
  run(
    Effect.retry(
      Effect.sandbox(sql.unsafe<Row>(text)),
      Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(600))
    )
  )

export const remove = async () => {
  await runtime.dispose()
  rmSync(directory, { force: true, recursive: true })
}
