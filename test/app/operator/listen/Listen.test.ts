import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { receive } from "../../../../src/app/sdk/Receive.ts"
import type { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { Events } from "../../../../src/features/events/Events.ts"
import { spawn } from "../../../cli.ts"
import { run } from "../../../command.ts"
import { publishExample } from "../../../features/webhooks/pipeline.ts"
import { type Received, type Receiver, receiver } from "../../../features/webhooks/receiver.ts"
import { folder } from "../../../folder.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"

const it = suite(Layer.provideMerge(Events.Default, Server.layer), { timeout: 120_000 })

/** A customer with a folder, and the settings for commands. */
const listener = Effect.gen(function* () {
  const { base } = yield* Server.TestServer
  const { account, key } = yield* Server.customer()
  const directory = yield* folder
  return { account, environment: { FINDABLE_API_KEY: key, FINDABLE_DATA_DIR: directory, FINDABLE_URL: base }, key }
})

/** The output of a process so far. */
const collected = (stream: ReadableStream<Uint8Array>) => {
  const decoder = new TextDecoder()
  let text = ""
  void stream.pipeTo(
    new WritableStream({
      write: (part) => {
        text += decoder.decode(part, { stream: true })
      }
    })
  )
  return () => text
}

/** `webhooks listen`, once it posts events; killed when the scope ends. */
const listening = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("cli", environment, ["webhooks", "listen", ...words])),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const [printed, said] = [collected(child.stdout), collected(child.stderr)]
    yield* until(Effect.sync(said), (text) => text.includes("Forwarding events"))
    return { child, printed, said }
  })

const kill = ({ child }: Effect.Effect.Success<ReturnType<typeof listening>>) =>
  Effect.promise(() => {
    child.kill("SIGKILL")
    return child.exited
  })

const idsOf = (received: ReadonlyArray<Received>) => received.map(({ headers }) => headers["webhook-id"])

const stored = (key: string) =>
  Effect.map(Server.send("GET", "/api/v1/events?order=asc&limit=100", { key }), ({ body }) =>
    body.data.map(({ id }: { id: string }) => id)
  )

const publishSome = (account: AccountId, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => publishExample["audit.failed"](account), { discard: true })

/** Retention has removed the first of these events. */
const removeOldest = (count: number) => (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM events WHERE id = ANY (${ids.slice(0, count)}::text[])`)

const secretFor = (environment: Record<string, string>, { url }: Receiver) =>
  Effect.map(run(environment, "webhooks", "listen", "--forward-to", url, "--print-secret"), ({ code, stdout }) => {
    expect(code).toBe(0)
    return stdout.trim()
  })

/** The result of the product's own verification of a received request. */
const judged = ({ body, headers }: Received, secret: string) =>
  Effect.promise(() => receive(new Request("http://local.test/", { body, headers, method: "POST" }), { secret }))

describe("events that webhooks listen posts to one's own machine", () => {
  it("begin with the next event, arrive as they happen, and are signed with a secret that does not change", function* () {
    const { account, environment, key } = yield* listener
    const target = yield* receiver()
    yield* publishSome(account, 2)
    const secret = yield* secretFor(environment, target)
    yield* listening(environment, "--forward-to", target.url, "-H", "X-Tunnel: mine")
    yield* publishExample["backlink.lost"](account)
    const [request] = yield* target.arrived(1)
    if (request === undefined) return expect.unreachable("nothing came")
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "service-event-type": "backlink.lost",
      "user-agent": "Findable-Webhooks/1",
      "x-tunnel": "mine"
    })
    expect(yield* judged(request, secret)).toMatchObject({ event: { type: "backlink.lost" }, valid: true })
    expect(yield* secretFor(environment, target)).toBe(secret)
    expect((yield* stored(key)).slice(2)).toEqual(idsOf(target.received))
  })

  it("are never lost after the command is killed and restarted, and at most the one in flight is posted twice", function* () {
    const { account, environment, key } = yield* listener
    const target = yield* receiver()
    const first = yield* listening(environment, "--forward-to", target.url)
    yield* publishSome(account, 10)
    yield* target.arrived(4)
    yield* kill(first)
    const before = target.received.length
    // While nothing listens.
    yield* publishSome(account, 5)
    const second = yield* listening(environment, "--forward-to", target.url)
    const all = yield* stored(key)
    yield* until(
      Effect.sync(() => new Set(idsOf(target.received)).size),
      (count) => count === 15
    )
    yield* kill(second)
    const came = idsOf(target.received)
    const again = came.slice(before)
    // The second process begins with the event in flight, or the one after it.
    expect([all.slice(before - 1), all.slice(before)]).toContainEqual(again)
    expect(came.slice(0, before)).toEqual(all.slice(0, before))
  })

  it("are tried four times, and then skipped", function* () {
    const { account, environment } = yield* listener
    const target = yield* receiver(({ headers }) =>
      headers["service-event-type"] === "audit.failed" ? new Response("no", { status: 500 }) : new Response("yes")
    )
    const { printed } = yield* listening(environment, "--forward-to", target.url, "--format", "json")
    yield* publishExample["audit.failed"](account)
    yield* publishExample["backlink.lost"](account)
    const received = yield* target.arrived(5)
    const types = received.map(({ headers }) => headers["service-event-type"])
    expect(types).toEqual([...Array(4).fill("audit.failed"), "backlink.lost"])
    expect(new Set(idsOf(received)).size).toBe(2)
    const lines = yield* until(
      Effect.sync(() => printed().trim().split("\n")),
      ({ length }) => length === 2
    )
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { attempts: 4, delivered: false, status_code: 500, type: "audit.failed" },
      { attempts: 1, delivered: true, error: null, status_code: 200, type: "backlink.lost" }
    ])
  })

  it("begin earlier with --since, and are filtered with --events", function* () {
    const { account, environment } = yield* listener
    const target = yield* receiver()
    for (const type of ["audit.failed", "backlink.lost", "audit.completed"] as const) {
      yield* publishExample[type](account)
    }
    yield* listening(
      environment,
      "--forward-to",
      target.url,
      "--since",
      "10m",
      "--events",
      "audit.completed,audit.failed"
    )
    const received = yield* target.arrived(2)
    expect(received.map(({ headers }) => headers["service-event-type"])).toEqual(["audit.failed", "audit.completed"])
  })

  it("continue with the oldest stored event when the last posted event is deleted, and the command says so", function* () {
    const { account, environment, key } = yield* listener
    const target = yield* receiver()
    const first = yield* listening(environment, "--forward-to", target.url)
    yield* publishExample["audit.failed"](account)
    yield* target.arrived(1)
    yield* publishExample["backlink.lost"](account)
    yield* target.arrived(2)
    yield* kill(first)
    yield* publishExample["audit.completed"](account)
    yield* removeOldest(2)(yield* stored(key))
    const second = yield* listening(environment, "--forward-to", target.url)
    const received = yield* target.arrived(3)
    expect(received[2]?.headers["service-event-type"]).toBe("audit.completed")
    yield* kill(second)
    expect(second.said()).toContain("has been deleted. Continuing with the oldest")
  })

  it("are triggered on demand for the URL that listened last, or for another URL", function* () {
    const { environment } = yield* listener
    const [target, other] = [yield* receiver(), yield* receiver()]
    const early = yield* run(environment, "events", "trigger", "audit.failed")
    expect({ code: early.code, named: early.stderr.includes("--to") }).toEqual({ code: 1, named: true })
    yield* Effect.flatMap(listening(environment, "--forward-to", target.url), kill)
    expect((yield* run(environment, "events", "trigger", "audit.failed")).code).toBe(0)
    expect((yield* run(environment, "events", "trigger", "ranking.dropped", "--to", other.url)).code).toBe(0)
    for (const [where, type] of [
      [target, "audit.failed"],
      [other, "ranking.dropped"]
    ] as const) {
      const [request] = yield* where.arrived(1)
      if (request === undefined) return expect.unreachable("nothing came")
      expect(yield* judged(request, yield* secretFor(environment, where))).toMatchObject({
        event: { type },
        valid: true
      })
    }
  })

  it("are refused in one sentence when the server, the key or an option is wrong", function* () {
    const { environment } = yield* listener
    const to = ["webhooks", "listen", "--forward-to", "http://127.0.0.1:2/"]
    for (const [settings, words, reason] of [
      [{ ...environment, FINDABLE_API_KEY: "fnd_test_wrong" }, to, "rejected FINDABLE_API_KEY"],
      [{ FINDABLE_URL: environment.FINDABLE_URL }, to, "Set FINDABLE_API_KEY"],
      [environment, [...to, "--events", "nonsense"], "--events must be comma-separated names"],
      [environment, [...to, "--since", "yesterday"], "--since must be a number"],
      [environment, ["webhooks", "listen", "--forward-to", "nowhere"], "--forward-to must be a URL"]
    ] as const) {
      const { code, stderr } = yield* run(settings, ...words)
      expect({ code, lines: stderr.trim().split("\n").length, said: stderr.includes(reason), stderr }).toEqual({
        code: 1,
        lines: 1,
        said: true,
        stderr
      })
    }
  })
})
