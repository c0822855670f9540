import { describe, expect } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../src/features/visibility/engines/Client.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import { eventually } from "../../waiting.ts"
import { keys } from "./engines.ts"

const key = keys.openai

/** Asks an engine that answers so. */
const asking = (answer: (request: Request) => Response | Promise<Response>) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ fetch: answer, hostname: "127.0.0.1", idleTimeout: 200, port: 0 })),
      (server) => Effect.promise(() => server.stop(true))
    )
    return yield* asked(server.url.origin)
  })

const asked = (url: string) => {
  const settings = new Map([
    ["FINDABLE_OPENAI_KEY", key],
    ["FINDABLE_OPENAI_URL", url]
  ])
  return Effect.flatMap(Client.EngineClient, ({ ask }) => Effect.either(ask({ body: {}, engine: "openai" }))).pipe(
    Effect.provide(Layer.provide(Client.layer, Layer.setConfigProvider(ConfigProvider.fromMap(settings))))
  )
}

describe("an engine", () => {
  effectWithTestClock("that never answers is left after 150 seconds, and may have worked", function* () {
    const arrived = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const fiber = yield* Effect.fork(
      asking(({ signal }) => {
        arrived.resolve()
        signal.addEventListener("abort", () => left.resolve())
        return new Promise(() => {})
      })
    )
    yield* Effect.promise(() => arrived.promise)
    yield* TestClock.adjust("150 seconds")
    expect(yield* Fiber.join(fiber)).toMatchObject({ left: { code: "unavailable", isPassing: false, mayCost: true } })
    yield* Effect.promise(() => left.promise)
  })

  it("that sends without end is left after 1 MiB", function* () {
    let [sent, isOver] = [0, false]
    const part = new Uint8Array(65_536).fill(32)
    const found = yield* asking(
      () =>
        new Response(
          new ReadableStream({
            cancel: () => {
              isOver = true
            },
            pull: (controller) => {
              sent += part.length
              if (sent > 1_073_741_824) controller.close()
              else controller.enqueue(part)
            }
          })
        )
    )
    expect(found).toMatchObject({ left: { code: "invalid_answer", mayCost: true } })
    yield* eventually(() => isOver)
    expect(sent).toBeLessThan(100_000_000)
  })

  it("that closes midway has not answered, and may have worked", function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.listen({
          hostname: "127.0.0.1",
          port: 0,
          socket: {
            data: (socket) => {
              socket.end(
                'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"output": ['
              )
            }
          }
        })
      ),
      (server) => Effect.sync(() => server.stop(true))
    )
    expect(yield* asked(`http://127.0.0.1:${server.port}`)).toMatchObject({ left: { mayCost: true } })
  })

  it("that cannot be reached costs nothing", function* () {
    expect(yield* asked("http://127.0.0.1:2")).toMatchObject({ left: { code: "unavailable", mayCost: false } })
  })

  it("that redirects gets no second request", function* () {
    let requests = 0
    const found = yield* asking(({ url }) => {
      requests += 1
      return Response.redirect(new URL("/elsewhere", url).href, 307)
    })
    expect(found).toMatchObject({ left: { code: "invalid_request" } })
    expect(requests).toBe(1)
  })

  it("that repeats its key, or sends what no text of the database may hold, is stored without", function* () {
    const escaped = Array.from(key, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    const found = yield* asking(
      () => new Response(`{"a": "my key is ${key}", "b": ["${escaped}"], "c": "n\\u0000ul", "d": "\\ud800"}`)
    )
    expect(found).toMatchObject({ right: { a: "my key is [key]", b: ["[key]"], c: "nul", d: "\ufffd" } })
  })

  for (const [status, headers, expected] of [
    [408, {}, { code: "unavailable", isPassing: true, mayCost: true, retryAfter: null }],
    [429, { "retry-after": "34" }, { code: "rate_limited", isPassing: true, mayCost: false, retryAfter: 34_000 }],
    [
      503,
      { date: "Tue, 24 Nov 2026 12:00:00 GMT", "retry-after": "Tue, 24 Nov 2026 12:01:00 GMT" },
      { code: "unavailable", isPassing: true, mayCost: true, retryAfter: 60_000 }
    ],
    [401, {}, { code: "credentials", isPassing: false, mayCost: false, retryAfter: null }],
    [400, {}, { code: "invalid_request", isPassing: false, mayCost: false, retryAfter: null }]
  ] as const)
    it(`that answers ${status} ${JSON.stringify(headers)} fails in its own way, without its words`, function* () {
      const found = yield* asking(() => Response.json({ error: { message: `bad ${key}` } }, { headers, status }))
      expect(found).toMatchObject({ left: expected })
      expect(JSON.stringify(found)).not.toContain(key)
    })
})
