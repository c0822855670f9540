import { describe, expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Crawler from "../../../../src/features/sitehealth/crawler/Crawler.ts"
import * as OutboundLive from "../../../../src/foundation/outbound/OutboundLive.ts"
import { shortLived } from "../../../../src/foundation/terminal/ShortLived.ts"
import { browser } from "../../../crawl/render/oracle.ts"
import { suite } from "../../../harness.ts"

const settings = Layer.setConfigProvider(
  ConfigProvider.fromMap(
    new Map(
      Object.entries({
        FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
        FINDABLE_CHILD_NICENESS: "0",
        PATH: process.env.PATH ?? ""
      })
    )
  )
)
const it = suite(Crawler.layer.pipe(Layer.provide(OutboundLive.layer), Layer.provide(settings)), { timeout: 60_000 })

const serve = (answer: (path: string, origin: string) => Response | Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: ({ url }) => answer(new URL(url).pathname, new URL(url).origin)
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    ),
    ({ url }) => url.href
  )

const html = (body: string) => new Response(body, { headers: { "content-type": "text/html" } })
const job = (url: string) => ({
  check_dead_links: true,
  check_external_links: false,
  crawler_url: null,
  max_pages: 10,
  render: "auto" as const,
  seconds: 20,
  url
})
const crawled = (url: string) =>
  Effect.flatMap(Crawler.Crawler, ({ crawl }) => Effect.map(Stream.runCollect(crawl(job(url))), Chunk.toReadonlyArray))

/** Crawl processes that this process has started. */
const children = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("sitehealth/crawler/child") &&
          readFileSync(`/proc/${pid}/status`, "utf8").includes(`PPid:\t${process.pid}\n`)
        )
      } catch {
        return false
      }
    })

/** What crawls of this process have left in the temporary folder, and the browsers that use it. */
const leftBehind = () => {
  const folder = `findable-crawl-${process.pid}-`
  const browsers = readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)
    } catch {
      return false
    }
  })
  return { browsers, folders: readdirSync(tmpdir()).filter((name) => name.startsWith(folder)) }
}

const within50Seconds = Schedule.spaced("50 millis").pipe(Schedule.upTo("50 seconds"))

const nothingLeft = Effect.retry(
  Effect.filterOrFail(Effect.sync(leftBehind), ({ browsers, folders }) => browsers.length + folders.length === 0),
  within50Seconds
)

const none = Effect.retry(
  Effect.filterOrFail(Effect.sync(children), (pids) => pids.length === 0),
  Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds"))
)

describe("a crawl in a process of its own", () => {
  it("emits its events and its report, and ends the process", function* () {
    const url = yield* serve((path) =>
      path === "/robots.txt"
        ? new Response("", { status: 404 })
        : html(path === "/" ? '<title>start</title><a href="/a">a</a><a href="/b">b</a>' : `<title>${path}</title>`)
    )
    const all = yield* crawled(url)
    const last = all.at(-1)
    expect(all.map(({ _tag }) => _tag)).toEqual(["Phase", "Page", "Phase", "Page", "Page", "Phase", "Finished"])
    expect(last?._tag === "Finished" ? last.report.pages.map(({ title }) => title) : []).toEqual(["start", "/a", "/b"])
    expect(last?._tag === "Finished" ? last.report.findings.length : 0).toBeGreaterThan(30)
    yield* none
  })

  it("fails in the same way as in this process", function* () {
    const error = yield* Effect.flip(crawled("http://127.0.0.1:2/"))
    expect(error).toMatchObject({ _tag: "CrawlFailed", code: "start_unreachable" })
    const refused = yield* Effect.flip(crawled("http://192.168.0.1/"))
    expect(refused.message).toEndWith(
      "192.168.0.1 is not a public IP address (private); set FINDABLE_ALLOW_PRIVATE_NETWORKS=192.168.0.0/16 to allow it"
    )
  })

  if (process.platform === "linux") {
    it("ends when its reader stops, and receives none of our settings", function* () {
      const url = yield* serve((path) =>
        path === "/hang" ? new Promise<Response>(() => {}) : html('<a href="/hang">h</a>')
      )
      const fiber = yield* Effect.fork(crawled(url))
      const [pid] = yield* Effect.retry(
        Effect.filterOrFail(Effect.sync(children), (pids) => pids.length === 1),
        Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds"))
      )
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      expect(
        environment
          .split("\u0000")
          .map((line) => line.split("=")[0])
          .filter((name) => /^(?:FINDABLE_|DATABASE_)/.test(name ?? ""))
      ).toEqual(["FINDABLE_ALLOW_PRIVATE_NETWORKS"])
      for (const [name, value] of Object.entries(shortLived)) expect(environment).toContain(`${name}=${value}`)
      yield* Fiber.interrupt(fiber)
      yield* none
    })

    const ifBrowser = browser === null ? describe.skip : describe
    ifBrowser("with a browser", () => {
      it("leaves none of it behind, when it ends and when its reader goes in the middle of a page", function* () {
        const url = yield* serve((path) =>
          path === "/robots.txt"
            ? new Response("", { status: 404 })
            : html(`<title>t</title>${path === "/" ? '<a href="/loop">x</a>' : "<script>for(;;){}</script>"}`)
        )
        const all = yield* crawled(url)
        const last = all.at(-1)
        const states = last?._tag === "Finished" ? last.report.pages.map(({ rendering }) => rendering?.state) : []
        expect(states).toEqual([undefined, "failed"])
        yield* nothingLeft
        const fiber = yield* Effect.fork(crawled(url))
        yield* Effect.retry(
          Effect.filterOrFail(Effect.sync(leftBehind), ({ browsers }) => browsers.length > 0),
          within50Seconds
        )
        yield* Fiber.interrupt(fiber)
        yield* nothingLeft
      })
    })

    it("fails when its process is killed, and says that it ended", function* () {
      const url = yield* serve((path) =>
        path === "/hang" ? new Promise<Response>(() => {}) : html('<a href="/hang">h</a>')
      )
      const fiber = yield* Effect.fork(Effect.exit(crawled(url)))
      const [pid] = yield* Effect.retry(
        Effect.filterOrFail(Effect.sync(children), (pids) => pids.length === 1),
        Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds"))
      )
      process.kill(Number(pid), "SIGKILL")
      expect(String(yield* Fiber.join(fiber))).toContain(
        "The process of this crawl ended before its result. Start a new crawl."
      )
    })
  }
})
