import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ExportLimits } from "../../../src/features/accounts/Exports.ts"
import { Run } from "../../../src/features/sitehealth/Domain.ts"
import { Following, Runs } from "../../../src/features/sitehealth/Runs.ts"
import { Stopping } from "../../../src/foundation/http/Request.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually } from "../../waiting.ts"
import { customerOf, html, site } from "./crawled.ts"

const it = suite(
  Layer.mergeAll(Following.Default, Runs.Default).pipe(
    Layer.provideMerge(Layer.merge(ExportLimits.Default, Stopping.Default)),
    Layer.provideMerge(Server.layer)
  )
)

const ndjson = { accept: "application/x-ndjson" }
const decode = Schema.decodeUnknownSync(Schema.parseJson(Run))

const runsIn = (body: string) =>
  body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decode(line, { onExcessProperty: "error" }))

/** A queued crawl without a worker. */
const queued = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const project = yield* Server.projectOf(account)
  const { body } = yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
  const runs = yield* Runs
  const [run] = yield* runs.list(account, project.id, undefined, { after: undefined, count: 1 })
  return run === undefined
    ? yield* Effect.dieMessage("the run was not started")
    : { account, key, path: `/api/v1/runs/${body.data.id}`, run }
})

/** A response that is read line by line. */
const following = (path: string, key: string) =>
  Effect.gen(function* () {
    const { base } = yield* Server.TestServer
    const lines: Array<string> = []
    const abort = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (abort) => Effect.sync(() => abort.abort())
    )
    const response = yield* Effect.promise(() =>
      fetch(new URL(path, base), { headers: { ...ndjson, "x-api-key": key }, signal: abort.signal })
    )
    const reading = async () => {
      let rest = ""
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        const parts = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n")
        rest = parts.pop() ?? ""
        lines.push(...parts)
      }
      return lines
    }
    return { lines, response, whole: yield* Effect.forkScoped(Effect.promise(reading)) }
  })

describe("following a crawl", () => {
  it("yields its state immediately, at each change, and ends with the final state", function* () {
    const { key, path, run } = yield* queued
    const { lines, response, whole } = yield* following(path, key)
    expect(response.headers.get("content-type")).toBe("application/x-ndjson")
    yield* eventually(() => lines.length === 1)
    expect(runsIn(lines.join("\n"))).toEqual([run])
    yield* Server.send("POST", `${path}/cancel`, { key })
    const told = runsIn((yield* Fiber.join(whole)).join("\n"))
    expect(told.map(({ status }) => status)).toEqual(["queued", "cancelled"])
  })

  it("yields its states during the crawl, and ends with the response that polling returns", function* () {
    const { url } = yield* site({ "/": html("Start", '<a href="/a">a</a>'), "/a": html("A", "") })
    const { key, project, send } = yield* customerOf(url)
    const { body } = yield* send("POST", `/projects/${project.id}/site-health/runs`)
    const { whole } = yield* following(`/api/v1/runs/${body.data.id}`, key)
    const told = runsIn((yield* Fiber.join(whole)).join("\n"))
    expect(new Set(told.map((run) => JSON.stringify(run))).size).toBe(told.length)
    expect(told.at(-1)).toEqual((yield* send("GET", `/runs/${body.data.id}`)).body.data)
    expect(told.at(-1)?.status).toBe("completed")
  })

  it("yields one line for a finished crawl", function* () {
    const { key, path } = yield* queued
    yield* Server.send("POST", `${path}/cancel`, { key })
    const { body, headers } = yield* Server.send("GET", path, { headers: ndjson, key })
    expect(body.status).toBe("cancelled")
    expect(headers.get("vary")).toContain("Accept")
  })

  it("ends when the crawl is deleted", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, path, run } = yield* queued
    const { lines, whole } = yield* following(path, key)
    yield* eventually(() => lines.length === 1)
    yield* sql`DELETE FROM site_health_runs WHERE id = ${run.id}`
    expect(yield* Fiber.join(whole)).toHaveLength(1)
  })

  it("counts as one request against the limits of the key", function* () {
    const { key, path } = yield* queued
    const left = Effect.map(Server.send("GET", "/api/v1/key", { key }), ({ headers }) =>
      Number(headers.get("x-ratelimit-remaining"))
    )
    const before = yield* left
    const { lines, response } = yield* following(path, key)
    yield* eventually(() => lines.length === 1)
    expect(Number(response.headers.get("x-ratelimit-remaining"))).toBe(before - 1)
    expect(yield* left).toBe(before - 2)
  })

  it("is refused for another account's crawl, and never includes the result", function* () {
    const { key, path } = yield* queued
    const stranger = yield* Server.customer()
    expect((yield* Server.send("GET", path, { headers: ndjson, key: stranger.key })).status).toBe(404)
    const refused = yield* Server.send("GET", `${path}?include=result`, { headers: ndjson, key })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "include"])
  })

  it("is refused for more concurrent readers than an account may have", function* () {
    const { key, path } = yield* queued
    const all = yield* Effect.forEach(Array.from({ length: 20 }), () => following(path, key))
    expect(all.map(({ response }) => response.status)).toEqual(all.map(() => 200))
    const refused = yield* Server.send("GET", path, { headers: ndjson, key })
    expect([refused.status, refused.body.error.code]).toEqual([429, "quota_exceeded"])
  })
})

/** A clock whose waits of 15 seconds end immediately, `beats` times, while all others last. */
const beating = (clock: Clock.Clock, beats: number): Clock.Clock => {
  let left = beats
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanos: clock.currentTimeNanos,
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
    sleep: (duration) => (Duration.toSeconds(duration) === 15 && left-- > 0 ? Effect.void : Effect.never)
  }
}

describe("a reader who follows a crawl without changes", () => {
  it("gets a blank line every 15 seconds", function* () {
    const { lines } = yield* Following
    const { account, run } = yield* queued
    const told = yield* Effect.clockWith((clock) =>
      Effect.withClock(Stream.runCollect(Stream.take(lines(account, run), 3)), beating(clock, 2))
    )
    expect(Chunk.toReadonlyArray(told)).toEqual([`${JSON.stringify(run)}\n`, "\n", "\n"])
  })

  it("gets the current state as the last line when the server stops", function* () {
    const [{ lines }, stopping] = [yield* Following, yield* Stopping]
    const { account, run } = yield* queued
    const seen: Array<string> = []
    const reader = yield* Effect.fork(
      Effect.clockWith((clock) =>
        Effect.withClock(
          Stream.runForEach(lines(account, run), (line) => Effect.sync(() => seen.push(line))),
          beating(clock, 0)
        )
      )
    )
    yield* eventually(() => seen.length === 1)
    yield* stopping.begin
    yield* Fiber.join(reader)
    expect(seen).toEqual([`${JSON.stringify(run)}\n`, `${JSON.stringify(run)}\n`])
  })
})
