import { describe, expect } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type PageFacts, readText } from "../../../src/crawl/page/Page.ts"
import { canonicalUrls, headingOf } from "../../../src/crawl/render/Differences.ts"
import { type Answer, Renderer } from "../../../src/crawl/render/Rendering.ts"
import { suite } from "../../harness.ts"
import { browser, fetching, oracles, patient, siteOf } from "./oracle.ts"

const isThere = existsSync(oracles)
if (browser === null || !isThere)
  console.warn("Skipped: pages by a browser's own --dump-dom, which take a browser and ../shared/oracles/rendering.")

/** A folder as a site on a port of this machine. The folder that robots.txt closes has nothing for a browser that does not read robots.txt. */
const served = (site: (url: URL) => Answer) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ url }) => {
          const address = new URL(url)
          if (address.pathname.startsWith("/private/")) return new Response(null, { status: 404 })
          const { body, headers, status } = site(address)
          return new Response(Uint8Array.from(body), { headers: headers.map(([name, value]) => [name, value]), status })
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )

const flags = [
  "--headless",
  "--dump-dom",
  "--virtual-time-budget=5000",
  "--window-size=412,12140",
  "--hide-scrollbars",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--lang=en-US",
  // The sandbox needs a user other than root.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])
]

/** The document that a browser prints by its own command, in a profile of its own. It ends with all its processes, and after a minute. */
const dumped = (program: string, address: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const profile = mkdtempSync(join(tmpdir(), "findable-dump-"))
      const words = [program, ...flags, `--user-data-dir=${profile}`, address]
      return { child: Bun.spawn(words, { detached: true, stderr: "ignore" }), profile }
    }),
    ({ child }) =>
      Effect.timeout(
        Effect.promise(() => new Response(child.stdout).text()),
        "1 minute"
      ),
    ({ child, profile }) =>
      Effect.promise(async () => {
        if (child.exitCode === null) process.kill(-child.pid, "SIGKILL")
        await child.exited
        rmSync(profile, { force: true, recursive: true })
      })
  )

const utf8 = { name: "utf-8", source: "bom" } as const

const factsOf = (url: string, html: string): PageFacts => readText(url, html, utf8, html.length)

/** What engines index of a document. */
const indexed = (facts: PageFacts) => ({
  canonicals: canonicalUrls(facts),
  description: facts.descriptions[0] ?? null,
  h1: headingOf(facts),
  links: [...new Set(facts.links.flatMap(({ target }) => (target.followable ? [target.url] : [])))].sort(),
  robots: facts.robots.flatMap(({ directives }) => directives.tokens),
  title: facts.title,
  words: facts.text.words
})

type Indexed = ReturnType<typeof indexed>

/** Pages of `differences` where the two are to differ, and in what. */
const explained: Readonly<Record<string, readonly [why: string, differs: ReadonlyArray<keyof Indexed>]>> = {
  "/random": ["our random numbers and dates are the same each time", ["title"]],
  "/shadow": ["the command prints no shadow roots, which engines flatten", ["links", "words"]]
}

/** Pages of which only one has a document: the command waits for a click on a dialog and for loops, and follows a script to another page. */
const without = new Set(["/dialogs", "/loop", "/loop-late", "/redirect"])

const pathsOf = Schema.decodeUnknownSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** The facts of one page, by our rendering and by the browser's command. */
const both = (program: string, site: (url: URL) => Answer, address: URL) =>
  Effect.gen(function* () {
    const renderer = yield* Renderer
    const { fetch } = fetching(site, () => 0)
    const page = { ...site(address), url: address, userAgent: "Test/1.0" }
    const [{ html }, theirs] = yield* Effect.all([renderer.render(page, fetch), dumped(program, address.href)], {
      concurrency: "unbounded"
    })
    return { ours: indexed(factsOf(address.href, html)), theirs: indexed(factsOf(address.href, theirs)) }
  })

/** A few of the pages of each application: its kinds of route. */
const routes: Readonly<Record<string, ReadonlyArray<string>>> = {
  react: ["/", "/about", "/buttons", "/p/1", "/c/steel"],
  svelte: ["/", "/p/1"]
}

describe.skipIf(browser === null || !isThere)("a rendered page, beside the document that the browser prints", () => {
  const test = suite(patient, { timeout: 300_000 })

  test("says the same to engines on every page that scripts change", function* () {
    const site = siteOf(join(oracles, "differences"), false)
    const { url } = yield* served(site)
    const paths = Object.keys(pathsOf(readFileSync(join(oracles, "differences/expected.json"), "utf8"))).filter(
      (path) => !without.has(path)
    )
    const differing = yield* Effect.forEach(
      paths,
      (path) =>
        Effect.map(both(browser ?? "", site, new URL(path, url)), ({ ours, theirs }) => {
          const names: ReadonlyArray<string> = Object.keys(ours).filter(
            (name) => JSON.stringify(Object(ours)[name]) !== JSON.stringify(Object(theirs)[name])
          )
          return [path, names] as const
        }),
      { concurrency: 2 }
    )
    expect(differing).toEqual(
      paths.map((path): readonly [string, ReadonlyArray<string>] => [path, explained[path]?.[1] ?? []])
    )
  })

  for (const [application, paths] of Object.entries(routes)) {
    test(`says the same to engines on the routes of the application in ${application}`, function* () {
      const site = siteOf(join(oracles, "spa", application), true)
      const { url } = yield* served(site)
      const compared = yield* Effect.forEach(paths, (path) => both(browser ?? "", site, new URL(path, url)), {
        concurrency: 2
      })
      expect(compared.map(({ ours }) => ours)).toEqual(compared.map(({ theirs }) => theirs))
      expect(compared.filter(({ ours }) => ours.h1 === null)).toEqual([])
    })
  }
})
