import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import puppeteer from "puppeteer-core"
import { chromium } from "../../browser.ts"
import { suite } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { browser, patient } from "./oracle.ts"

/** A variable, so that type checks do not need the optional package. */
const packageName: string = "lighthouse"
const lighthouse: unknown = await import(packageName).then(
  (loaded) => loaded.default,
  () => null
)
const isThere = typeof lighthouse === "function" && chromium !== null && browser !== null
if (!isThere)
  console.warn("Skipped: crawls beside audits of Lighthouse, which take Chromium and the optional package lighthouse.")

/** Links as a script writes them: whether a search engine can follow each by Lighthouse, and whether a check of ours names it. */
const anchors = {
  path: ['<a data-case="path" href="/fine">x</a>', "crawlable", "sound"],
  fragment: ['<a data-case="fragment" href="#part">x</a>', "crawlable", "sound"],
  mail: ['<a data-case="mail" href="mailto:a@site.test">x</a>', "crawlable", "sound"],
  placeholder: ['<a data-case="placeholder">x</a>', "crawlable", "sound"],
  script: ['<a data-case="script" href="javascript:void(0)">x</a>', "uncrawlable", "named"],
  broken: ['<a data-case="broken" href="http://[x">x</a>', "uncrawlable", "named"],
  // Listeners are not in the document that engines and we read.
  listener: ['<a data-case="listener" onclick="open()">x</a>', "uncrawlable", "sound"],
  // Lighthouse knows one script that leads nowhere, we know that none leads anywhere.
  call: ['<a data-case="call" href="javascript:open()">x</a>', "crawlable", "named"],
  empty: ['<a data-case="empty" href="">x</a>', "crawlable", "sound"]
} as const satisfies Readonly<Record<string, readonly [string, "crawlable" | "uncrawlable", "named" | "sound"]>>

const robots = (content: string, name = "robots") => `<meta name="${name}" content="${content}">`
const added = (markup: string) =>
  `<script>document.head.insertAdjacentHTML("beforeend", ${JSON.stringify(markup)})</script>`

/** Pages by what asks engines to stay away: whether they may come by Lighthouse, and what a crawl makes of it. */
const hidden: Readonly<
  Record<string, readonly [Omit<Extract<Reply, { body?: unknown }>, "body"> & { head?: string }, number, string]>
> = {
  "/open": [{ head: added(robots("index, follow")) }, 1, "ok"],
  "/meta": [{ head: robots("noindex") }, 0, "noindex_meta"],
  "/none": [{ head: robots("none") }, 0, "noindex_meta"],
  "/added": [{ head: added(robots("noindex")) }, 0, "noindex_meta"],
  "/header": [{ headers: { "content-type": "text/html", "x-robots-tag": "noindex" } }, 0, "noindex_header"],
  "/closed/": [{}, 0, "blocked_by_robots"],
  // Lighthouse lets pass what one of the engines that it knows may index; we judge for Google.
  "/googlebot": [{ head: robots("noindex", "googlebot") }, 1, "noindex_meta"],
  // Google may stop at the noindex of the HTML and never run the script.
  "/removed": [
    { head: `${robots("noindex")}<script>document.querySelector("[name=robots]").remove()</script>` },
    1,
    "noindex_meta"
  ]
}

const words = "word ".repeat(80)
const writing = (markup: string) =>
  `<script>document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(markup)})</script>`
const document = (title: string, head: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><h1>${title}</h1><p>${words}</p>${body}</body></html>`

const paths = [...Object.keys(anchors).map((name) => `/anchor-${name}`), ...Object.keys(hidden)]

/** The site of all these pages; `/open` has all links together. */
const site = ({ pathname }: URL): Reply => {
  if (pathname === "/robots.txt")
    return { body: "User-agent: *\nDisallow: /closed/\n", headers: { "content-type": "text/plain" } }
  const start = paths.map((path) => `<a href="${path}">to ${path}</a>`).join(" ")
  if (pathname === "/") return { body: document("Start", "", start) }
  const back = '<a href="/">Start</a>'
  const anchor = Object.entries(anchors).find(([name]) => pathname === `/anchor-${name}`)?.[1][0]
  if (anchor !== undefined) return { body: document(pathname, "", back + writing(anchor)) }
  const page = hidden[pathname]?.[0]
  if (page === undefined) return { body: "", status: 404 }
  const { head = "", ...reply } = page
  const markup = Object.values(anchors).map(([written]) => written)
  const all = pathname === "/open" ? writing(markup.join(" ")) : ""
  return { ...reply, body: document(pathname, head, back + all) }
}

const served = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        const reply = site(new URL(url))
        if ("fault" in reply) return new Response(null, { status: 500 })
        const headers = { "content-type": "text/html; charset=utf-8", ...Object(reply.headers) }
        return new Response(String(reply.body), { headers, status: reply.status ?? 200 })
      }
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

/** A whole browser, which Lighthouse drives. */
const driven = (program: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const profile = await mkdtemp(join(tmpdir(), "findable-lighthouse-"))
      // The sandbox needs a user other than root.
      const args = ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])]
      const running = await puppeteer.launch({ args, executablePath: program, timeout: 120_000, userDataDir: profile })
      return { page: await running.newPage(), profile, running }
    }),
    ({ profile, running }) =>
      Effect.promise(async () => {
        await running.close()
        rmSync(profile, { force: true, recursive: true })
      })
  )

const Audited = Schema.Struct({
  lhr: Schema.Struct({
    audits: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({
        details: Schema.optional(
          Schema.Struct({
            items: Schema.Array(Schema.Struct({ node: Schema.optional(Schema.Struct({ snippet: Schema.String })) }))
          })
        ),
        score: Schema.NullOr(Schema.Number)
      })
    })
  })
})

const config = {
  extends: "lighthouse:default",
  settings: {
    cpuQuietThresholdMs: 0,
    disableFullPageScreenshot: true,
    maxWaitForLoad: 120_000,
    networkQuietThresholdMs: 0,
    onlyAudits: ["crawlable-anchors", "is-crawlable"],
    pauseAfterFcpMs: 0,
    pauseAfterLoadMs: 0,
    // Other methods wait for 5 seconds three times (Lighthouse, overrideThrottlingWindows).
    throttlingMethod: "simulate"
  }
}

/** The two audits of one page. */
const audited = (page: unknown, url: string) =>
  Effect.promise(async () => (typeof lighthouse === "function" ? await lighthouse(url, {}, config, page) : null)).pipe(
    Effect.flatMap(Schema.decodeUnknown(Audited)),
    Effect.map(({ lhr }) => lhr.audits)
  )

/** The audits of all pages that ask engines to stay away, and one crawl: both tests compare them. */
const compared = Effect.gen(function* () {
  const { url } = yield* served
  const { page } = yield* driven(chromium ?? "")
  const audits = yield* Effect.forEach(Object.keys(hidden), (path) =>
    Effect.map(audited(page, new URL(path, url).href), (made) => [path, made] as const)
  )
  const options = { deadline: "10 minutes", maxPages: 60, render: "always" } as const
  const { findings, pages } = yield* report("http://site.test/", options).pipe(Effect.provide(memoryOutbound(site)))
  return { audits: new Map(audits), findings, pages }
}).pipe(Effect.scoped, Effect.cached, Effect.runSync)

const caseOf = (markup: string) => /data-case="(\w+)"/.exec(markup)?.[1] ?? ""

describe.skipIf(!isThere)("a crawl that renders, beside Lighthouse", () => {
  const test = suite(patient, { timeout: 600_000 })

  test("names the links that Lighthouse calls uncrawlable, but for differences that are explained", function* () {
    const { audits, findings } = yield* compared
    const failing = new Set(
      audits.get("/open")?.["crawlable-anchors"]?.details?.items.map(({ node }) => caseOf(node?.snippet ?? "")) ?? []
    )
    const named = new Set(
      findings.flatMap(({ pages, rule }) => (rule === "link_script" || rule === "link_invalid" ? pages : []))
    )
    const told = Object.keys(anchors).map((name) => [
      name,
      failing.has(name) ? "uncrawlable" : "crawlable",
      named.has(`http://site.test/anchor-${name}`) ? "named" : "sound"
    ])
    expect(told).toEqual(Object.entries(anchors).map(([name, [, theirs, ours]]) => [name, theirs, ours]))
  })

  test("hides the pages that Lighthouse calls blocked from indexing, but for differences that are explained", function* () {
    const { audits, pages } = yield* compared
    const told = Object.keys(hidden).map((path) => [
      path,
      audits.get(path)?.["is-crawlable"]?.score ?? null,
      pages.find((each) => each.url === `http://site.test${path}`)?.health_reason ?? null
    ])
    expect(told).toEqual(Object.entries(hidden).map(([path, [, theirs, ours]]) => [path, theirs, ours]))
  })
})
