import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import {
  childFailure,
  explainRefusal,
  findChromium,
  Lighthouse,
  layer,
  vetReport
} from "../../../../src/features/audits/run/Lighthouse.ts"
import { guardProxy } from "../../../../src/features/audits/run/Proxy.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import { client, names } from "../../../foundation/outbound/client.ts"
import { it } from "../../../harness.ts"
import { leftovers, nothingIsLeft, prefixOf } from "../leftovers.ts"
import { read, report } from "../reports.ts"

const search = process.env.PATH ?? ""
const chromium = await Effect.runPromise(findChromium().pipe(Effect.provide(BunContext.layer), Effect.option))
/** Leftovers are searched in /proc. */
const cannotRun = chromium._tag === "None" || !existsSync("/proc/self/cmdline")
if (cannotRun) console.warn("NOTICE: no Chromium (or no /proc) on this machine, the real audit runs are skipped")

/** A shop whose page never responds. */
const shop = Effect.acquireRelease(
  Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => {}) })),
  (server) => Effect.promise(() => server.stop(true))
)

/** The protected client: it may reach 127.0.0.1, and resolves these names. */
const guarded = Layer.succeed(
  Outbound,
  client({
    allowed: ["127.0.0.1/32"],
    resolver: names({ "inside.example": ["10.0.0.1"], "shop.example": ["127.0.0.1"] })
  })
)

const lighthouse = (env: Record<string, string>) => {
  const settings = ConfigProvider.fromMap(new Map(Object.entries({ PATH: search, ...env })))
  return layer.pipe(
    Layer.provide(Layer.merge(guarded, BunContext.layer)),
    Layer.provideMerge(Layer.setConfigProvider(settings)),
    Layer.orDie
  )
}

const run = (url: string, env: Record<string, string> = {}) =>
  Effect.flatMap(Lighthouse, (lighthouse) => lighthouse.run(new URL(url), "mobile")).pipe(
    Effect.provide(lighthouse(env))
  )

const audit = (env: Record<string, string> = {}) =>
  Effect.flatMap(shop, ({ port }) => run(`http://shop.example:${port}/`, env))

const mine = leftovers(process.pid)

const browserRuns = mine.pipe(
  Effect.filterOrFail((left) => left.some((command) => command.includes("--type=renderer"))),
  Effect.retry(Schedule.spaced("50 millis")),
  Effect.timeout("50 seconds")
)

describe.skipIf(cannotRun)("Lighthouse with this machine's Chromium", () => {
  it("kills the browser at the time limit", function* () {
    const error = yield* Effect.flip(audit({ FINDABLE_AUDIT_TIMEOUT: "2 seconds" }))
    expect(error.failure).toMatchObject({ code: "run_timed_out", message: "The audit took longer than 2s." })
    yield* nothingIsLeft(process.pid)
  })

  it("kills the browser when the audit is interrupted", function* () {
    const fiber = yield* Effect.fork(audit())
    const started = mine.pipe(Effect.filterOrFail((left) => left.some((command) => command.includes("--type="))))
    yield* started.pipe(Effect.retry(Schedule.spaced("50 millis")), Effect.timeout("50 seconds"))
    yield* Fiber.interrupt(fiber)
    yield* nothingIsLeft(process.pid)
  })
})

const script = Bun.fileURLToPath(new URL("../../../../src/features/audits/run/child/main.ts", import.meta.url))

describe.skipIf(cannotRun)("the process of an audit", () => {
  it("ends with its browser and its files when its parent is gone", () =>
    Effect.gen(function* () {
      const server = yield* shop
      const { port: proxy } = yield* Effect.provide(guardProxy, guarded)
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectory({ prefix: prefixOf(process.pid) })
      const browser = Option.getOrThrow(chromium)
      const url = `http://127.0.0.1:${server.port}/`
      yield* files.writeFileString(`${directory}/job.json`, JSON.stringify({ url, device: "mobile", browser, proxy }))
      const child = Bun.spawn([process.execPath, script, directory], {
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore"
      })
      yield* browserRuns
      child.stdin.end()
      yield* Effect.promise(() => child.exited)
      yield* nothingIsLeft(process.pid)
    }).pipe(Effect.provide(BunContext.layer)))
})

describe("a browser behind the proxy", () => {
  test("shows no page when the connection to the server was refused, and the audit says why", () => {
    const unreachable = { runtimeError: { code: "CHROME_INTERSTITIAL_ERROR", message: "Chrome prevented page load" } }
    const told = (page: string, refused: string, more: Record<string, unknown> = unreachable) =>
      explainRefusal(read(report({}, more)), new URL(page), new Set([refused])).runtimeError?.code
    expect(told("https://shop.example/", "shop.example:443")).toBe("connection_refused")
    expect(told("http://shop.example:81/", "shop.example:81")).toBe("connection_refused")
    // A refused resource does not explain why the page did not respond.
    expect(told("https://shop.example/", "cdn.example:443")).toBe("page_unreachable")
    expect(told("https://shop.example/", "shop.example:443", {})).toBeUndefined()
  })
})

describe("Lighthouse without a browser", () => {
  const bare = { PATH: "", CHROME_PATH: "/nowhere/chrome" }

  it("says that CHROME_PATH is no file", function* () {
    const error = yield* Effect.flip(audit(bare))
    expect(error.failure).toMatchObject({ code: "browser_missing", message: "CHROME_PATH is not the path of a file." })
  })

  test("reports a failure of its process without details", () => {
    expect(childFailure("lighthouse_error", "PROTOCOL_TIMEOUT").failure.code).toBe("page_timed_out")
    expect(childFailure("lighthouse_error", "page says: evil").failure).toEqual({
      code: "lighthouse_error",
      message: "Lighthouse could not audit the page.",
      lighthouse_code: "UNKNOWN_ERROR"
    })
    expect(childFailure("lighthouse_missing", "x").message).toContain("optional package lighthouse")
  })

  const refusals = [
    ["http://inside.example/", "address_refused"],
    ["http://127.0.0.2/", "address_refused"],
    ["ftp://shop.example/", "address_refused"],
    ["http://unknown.example/", "dns_failure"]
  ] as const
  for (const [url, code] of refusals)
    it(`starts no browser for ${url}: ${code}`, function* () {
      const error = yield* Effect.flip(run(url, bare))
      expect(error.failure.code).toBe(code)
    })

  it("names the setting that allows its URL", () =>
    Effect.map(Effect.flip(run("http://127.0.0.2/", bare)), ({ failure }) =>
      expect(failure.message).toEndWith("(loopback); set FINDABLE_ALLOW_PRIVATE_NETWORKS=127.0.0.0/8 to allow it.")
    ))

  it("returns no report about a private URL that the page redirected to", () =>
    Effect.gen(function* () {
      const moved = read(report({}, { finalUrl: "http://inside.example/" }))
      const error = yield* Effect.flip(vetReport(moved))
      expect(error.failure).toMatchObject({
        code: "address_refused",
        message: "The page is on a private network, which this server does not visit."
      })
      expect(yield* vetReport(read(report()))).toBeUndefined()
    }).pipe(Effect.provide(guarded)))

  it("says what to install when there is no browser", function* () {
    const nothing = Layer.mergeAll(
      BunContext.layer,
      FileSystem.layerNoop({}),
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["PATH", "/usr/bin"]])))
    )
    const error = yield* Effect.flip(Effect.provide(findChromium(), nothing))
    expect(error.failure.code).toBe("browser_missing")
    expect(error.message).toContain("CHROME_PATH")
  })
})
