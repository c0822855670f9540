import { describe, expect } from "bun:test"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { Audits } from "../../../../src/features/audits/Audits.ts"
import { checkEquipment } from "../../../../src/features/audits/run/Lighthouse.ts"
import type { ScheduleId } from "../../../../src/features/audits/schedule/Api.ts"
import { Schedules, workerLayer } from "../../../../src/features/audits/schedule/Schedules.ts"
import { suite } from "../../../harness.ts"
import { promptly } from "../../../promptly.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { events, layer } from "../auditing.ts"
import { type Answer, google } from "../google.ts"
import { report } from "../reports.ts"

const it = suite(promptly(layer))

const good: Answer = { status: 200, body: { lighthouseResult: report() } }
const noSuchHost: Answer = {
  status: 400,
  body: { error: { code: 400, message: "Lighthouse returned error: DNS_FAILURE. The host could not be resolved." } }
}

/** A worker with this stand-in for PageSpeed Insights and without a browser, unless given; it ends with the scope, gracefully. */
const worker = (psi: { readonly url: string }, browser = "/nowhere/chrome") =>
  Layer.build(
    workerLayer.pipe(
      Layer.provide(Logger.minimumLogLevel(LogLevel.Error)),
      Layer.provide(
        Layer.setConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["CHROME_PATH", browser],
              ["FINDABLE_PSI_URL", psi.url]
            ])
          )
        )
      )
    )
  )

/** A due schedule of a new customer. */
const due = (source: "lighthouse" | "psi" = "psi") =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    const { account, key } = yield* Server.customer()
    const url = "https://shop.example/page"
    const { id } = yield* schedules.add(account, { device: "mobile", every: "1h", source, url })
    return { account, id, key }
  })

const stateOf = (id: ScheduleId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ attempts: number; held: boolean; wait: number }>`
      SELECT attempts, lease IS NOT NULL AS held, extract(epoch FROM next_at - now())::float8 / 60 AS wait
      FROM audit_schedules WHERE id = ${id}`
    return row ?? (yield* Effect.dieMessage("the schedule is gone"))
  }).pipe(Effect.orDie)

const recorded = (account: AccountId, count = 1) =>
  Effect.flatMap(Audits, (audits) =>
    until(audits.list(account, 100), (list) => list.length >= count).pipe(Effect.map(([newest]) => newest))
  )

describe("a worker for scheduled audits", () => {
  it("runs a due audit once, publishes its event, and runs again at the next slot after any number of missed ones", function* () {
    const sql = yield* SqlClient.SqlClient
    const psi = yield* google(good)
    const { account, id, key } = yield* due()
    yield* sql`UPDATE audit_schedules SET next_at = now() - interval '10 hours 20 minutes' WHERE id = ${id}`
    yield* worker(psi)
    const audit = yield* recorded(account)
    expect(audit).toMatchObject({ device: "mobile", overall_score: 75, source: "psi", status: "completed" })
    const reply = yield* Server.send("GET", `/api/v1/audits/${audit?.id}`, { key })
    expect(reply.body.data).toMatchObject({ overall_score: 75, url: "https://shop.example/page" })
    expect(yield* events(account)).toMatchObject([{ data: { id: audit?.id }, type: "audit.completed" }])
    const { attempts, held, wait } = yield* stateOf(id)
    expect([attempts, held, Math.round(wait)]).toEqual([0, false, 40])
    expect(psi.asked).toHaveLength(1)
  })

  it("records a page that cannot be audited as failed, and publishes an event", function* () {
    const { account, id, key } = yield* due()
    yield* worker(yield* google(noSuchHost))
    const audit = yield* recorded(account)
    expect(audit).toMatchObject({ failure: { code: "dns_failure" }, status: "failed" })
    expect((yield* Server.send("GET", `/api/v1/audits/${audit?.id}`, { key })).status).toBe(404)
    expect(yield* events(account)).toMatchObject([
      { data: { id: audit?.id, outcome: { error: { code: "dns_failure" } } }, type: "audit.failed" }
    ])
    expect(yield* stateOf(id)).toMatchObject({ attempts: 0, held: false })
  })

  it("fails an audit that killed three workers", function* () {
    const sql = yield* SqlClient.SqlClient
    const psi = yield* google(good)
    const { account, id } = yield* due()
    yield* sql`UPDATE audit_schedules SET attempts = 3, lease = gen_random_uuid(),
      leased_until = now() - interval '1 second' WHERE id = ${id}`
    yield* worker(psi)
    expect(yield* recorded(account)).toMatchObject({ failure: { code: "worker_lost" }, status: "failed" })
    expect(yield* events(account)).toMatchObject([{ type: "audit.failed" }])
    expect(psi.asked).toHaveLength(0)
    const { attempts, wait } = yield* stateOf(id)
    expect([attempts, Math.round(wait)]).toEqual([0, 60])
  })

  it("records nothing after its lock has expired", function* () {
    const sql = yield* SqlClient.SqlClient
    const audits = yield* Audits
    const psi = yield* google("silence")
    const lost = yield* due()
    yield* worker(psi)
    yield* until(stateOf(lost.id), ({ held }) => held)
    yield* sql`UPDATE audit_schedules SET lease = gen_random_uuid(), leased_until = now() + interval '9 seconds'
        WHERE id = ${lost.id}`
    const next = yield* due()
    psi.answerWith({ status: 200, body: { lighthouseResult: report() } })
    yield* recorded(next.account)
    expect([yield* audits.list(lost.account, 10), yield* events(lost.account)]).toEqual([[], []])
    expect((yield* stateOf(lost.id)).held).toBe(true)
  })

  it("records nothing for a schedule that was removed meanwhile", function* () {
    const audits = yield* Audits
    const schedules = yield* Schedules
    const psi = yield* google("silence")
    const gone = yield* due()
    yield* worker(psi)
    yield* until(stateOf(gone.id), ({ held }) => held)
    yield* schedules.end(gone.id)
    const next = yield* due()
    psi.answerWith({ status: 200, body: { lighthouseResult: report() } })
    yield* recorded(next.account)
    expect(yield* audits.list(gone.account, 10)).toEqual([])
  })
})

const equipped = await Effect.runPromise(
  Effect.isSuccess(Effect.provide(checkEquipment, BunContext.layer)).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["CHROME_PATH", process.execPath]])))
  )
)
if (!equipped) console.warn("NOTICE: the optional package lighthouse is not installed, one test is skipped")

describe("the equipment of a worker", () => {
  it("decides its claims: without a browser it leaves Lighthouse audits to others", function* () {
    const { id } = yield* due("lighthouse")
    const { account } = yield* due()
    yield* worker(yield* google(good))
    yield* recorded(account)
    expect(yield* stateOf(id)).toMatchObject({ attempts: 0, held: false })
  })

  const whereEquipped = equipped ? it : () => {}
  whereEquipped("with a browser makes it claim Lighthouse audits, and a broken browser fails the audit", () =>
    Effect.gen(function* () {
      const { account } = yield* due("lighthouse")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE audit_schedules SET url = 'http://127.0.0.1:2/' WHERE account_id = ${account}`
      yield* worker(yield* google(good), "/bin/false")
      expect(yield* recorded(account)).toMatchObject({ failure: { code: "browser_failed" }, source: "lighthouse" })
    })
  )
})
