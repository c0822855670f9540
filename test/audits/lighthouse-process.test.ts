import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { assess } from "../../src/audits/assessment/Assess.ts"
import { childFailure } from "../../src/audits/run/ChildFailure.ts"
import { findChromium } from "../../src/audits/run/Chromium.ts"
import { Lighthouse } from "../../src/audits/run/Lighthouse.ts"
import { layer } from "../../src/audits/run/LighthouseProcess.ts"
import { guardProxy } from "../../src/audits/run/proxy/GuardProxy.ts"
import { vetReport } from "../../src/audits/run/VetPage.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { effect } from "../harness.ts"
import { client, names } from "../outbound/client.ts"
import { read, report } from "./reports.ts"
import { everyWay, neighbours } from "./trespassing.ts"

const search = process.env.PATH ?? ""
const chromium = await Effect.runPromise(findChromium().pipe(Effect.provide(BunContext.layer), Effect.option))
/** Leftovers are looked for in /proc. */
const cannotRun = chromium._tag === "None" || !existsSync("/proc/self/cmdline")
if (cannotRun) console.warn("NOTICE: no Chromium (or no /proc) on this machine, the real audit runs are skipped")

const home = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/slow.css"></head><body><main><h1 id="hero">Hello, audit</h1><img src="/a.png" width="9" height="9"></main></body></html>`

/** A shop of one page; `/silent` never answers. */
const shop = (more = "", redirects: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: (request) => {
          const { pathname } = new URL(request.url)
          if (pathname === "/silent") return new Promise<Response>(() => {})
          const moved = redirects[pathname]
          if (moved !== undefined) return Response.redirect(moved)
          if (pathname === "/slow.css")
            return new Response("h1 { color: #333 }", { headers: { "content-type": "text/css" } })
          return new Response(home + more, { headers: { "content-type": "text/html" } })
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )

/** The guarded client: it may reach 127.0.0.1, and knows where these names lead. */
const guarded = Layer.succeed(
  Outbound,
  client({
    allowed: ["127.0.0.1/32"],
    resolver: names({ "inside.example": ["10.0.0.1"], "shop.example": ["127.0.0.1"], "next.example": ["127.0.0.2"] })
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

const audit = (path: string, env: Record<string, string> = {}) =>
  Effect.flatMap(shop(), ({ port }) => run(`http://shop.example:${port}${path}`, env))

const prefix = `findable-audit-${process.pid}-`

/** Processes and directories of this test's runs that are still there. */
const leftovers = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const processes = (yield* files.readDirectory("/proc")).filter((entry) => /^\d+$/.test(entry))
  const commands = yield* Effect.forEach(processes, (pid) =>
    files.readFileString(`/proc/${pid}/cmdline`).pipe(Effect.orElseSucceed(() => ""))
  )
  const directories = (yield* files.readDirectory(tmpdir())).filter((entry) => entry.startsWith(prefix))
  return [...commands.filter((command) => command.includes(prefix)), ...directories]
}).pipe(Effect.provide(BunContext.layer))

/** Killed processes may take a moment to vanish. */
const nothingIsLeft = leftovers.pipe(
  Effect.filterOrFail(
    (left) => left.length === 0,
    (left) => `left behind: ${left.join(", ")}`
  ),
  Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.intersect(Schedule.recurs(150))))
)

const browserRuns = leftovers.pipe(
  Effect.filterOrFail((left) => left.some((command) => command.includes("--type=renderer"))),
  Effect.retry(Schedule.spaced("50 millis")),
  Effect.timeout("20 seconds")
)

describe.skipIf(cannotRun)("Lighthouse on this machine's Chromium", () => {
  effect(
    "audits a page, lets it reach no address that may not be visited, and leaves no process and no file behind",
    () =>
      Effect.gen(function* () {
        const { html, redirects, seen } = yield* neighbours("next.example")
        const { port } = yield* shop(html, redirects)
        const made = yield* run(`http://shop.example:${port}/`)
        const { fixes, report: found } = Either.getOrThrow(assess(made, null))
        expect(seen()).toEqual({ asked: everyWay, connections: 0, datagrams: 0 })
        expect(made.device).toBe("mobile")
        expect(made.version).toStartWith("13.")
        expect(found.url).toStartWith("http://shop.example:")
        expect(found.core_web_vitals.metrics.lcp_ms).toBeGreaterThan(0)
        expect(found.core_web_vitals.metrics.inp_ms).toBeNull()
        expect(found.findings_summary.passed).toBeGreaterThan(20)
        expect(fixes.map(({ id }) => String(id))).toContain("fix_image-alt")
        yield* nothingIsLeft
      }),
    { timeout: 60_000 }
  )

  effect(
    "kills the browser when the time limit passes",
    () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(audit("/silent", { FINDABLE_AUDIT_TIMEOUT: "2 seconds" }))
        expect(error.failure).toMatchObject({ code: "run_timed_out", message: "The audit took longer than 2s." })
        yield* nothingIsLeft
      }),
    { timeout: 30_000 }
  )

  effect(
    "kills the browser when the audit is interrupted",
    () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(audit("/silent"))
        const started = leftovers.pipe(
          Effect.filterOrFail((left) => left.some((command) => command.includes("--type=")))
        )
        yield* started.pipe(Effect.retry(Schedule.spaced("50 millis")), Effect.timeout("20 seconds"))
        yield* Fiber.interrupt(fiber)
        yield* nothingIsLeft
      }),
    { timeout: 30_000 }
  )
})

const script = Bun.fileURLToPath(new URL("../../src/audits/run/child/main.ts", import.meta.url))

describe.skipIf(cannotRun)("the audit child process", () => {
  effect(
    "ends with its browser and its files when its parent is gone",
    () =>
      Effect.gen(function* () {
        const server = yield* shop()
        const proxy = yield* Effect.provide(guardProxy, guarded)
        const files = yield* FileSystem.FileSystem
        const directory = yield* files.makeTempDirectory({ prefix })
        const browser = Option.getOrThrow(chromium)
        const url = `http://127.0.0.1:${server.port}/silent`
        yield* files.writeFileString(`${directory}/job.json`, JSON.stringify({ url, device: "mobile", browser, proxy }))
        const child = Bun.spawn([process.execPath, script, directory], {
          stdin: "pipe",
          stdout: "ignore",
          stderr: "ignore"
        })
        yield* browserRuns
        child.stdin.end()
        yield* Effect.promise(() => child.exited)
        yield* nothingIsLeft
      }).pipe(Effect.provide(BunContext.layer)),
    { timeout: 30_000 }
  )
})

describe("Lighthouse without a run", () => {
  const bare = { PATH: "", CHROME_PATH: "/nowhere/chrome" }

  effect("says that CHROME_PATH names nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(audit("/", bare))
      expect(error.failure).toMatchObject({ code: "browser_missing", message: "CHROME_PATH does not name a file." })
    })
  )

  test("a failure of the child process is told without its details", () => {
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
    effect(`starts no browser for ${url}: ${code}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(run(url, bare))
        expect(error.failure.code).toBe(code)
      })
    )

  effect("gives out no report about an address that a redirect led to and that may not be visited", () =>
    Effect.gen(function* () {
      const moved = read(report({}, { finalUrl: "http://inside.example/" }))
      const error = yield* Effect.flip(vetReport(moved))
      expect(error.failure.code).toBe("address_refused")
      expect(yield* vetReport(read(report()))).toBeUndefined()
    }).pipe(Effect.provide(guarded))
  )

  effect("says what to install when there is no browser", () =>
    Effect.gen(function* () {
      const nothing = Layer.mergeAll(
        BunContext.layer,
        FileSystem.layerNoop({}),
        Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["PATH", "/usr/bin"]])))
      )
      const error = yield* Effect.flip(Effect.provide(findChromium(), nothing))
      expect(error.failure.code).toBe("browser_missing")
      expect(error.message).toContain("CHROME_PATH")
    })
  )
})
