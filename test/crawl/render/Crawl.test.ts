import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it as test } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import {
  adding,
  crawled,
  navigation,
  numbered,
  origin,
  other,
  page,
  pagesOf,
  retitled,
  type Shown,
  script,
  stateOf,
  type World
} from "./world.ts"

/** Busy machines take long for a crawl. */
const it: typeof test = (name, body, timeout = 60_000) => test(name, body, timeout)

describe("which pages are rendered", () => {
  const [same, differing] = [numbered("same", 5), numbered("differing", 5)]
  const world: World = {
    pages: {
      "/": page(navigation([...same, ...differing, "/plain"])),
      "/plain": page(""),
      ...pagesOf([...same, ...differing])
    },
    shown: Object.fromEntries(differing.map((path) => [path, retitled]))
  }

  it("auto: two of a template without a difference, and all of one with a difference", function* () {
    const { rendered, result } = yield* crawled(world)
    expect(rendered.toSorted()).toEqual([...same.slice(0, 2), ...differing].toSorted())
    expect(same.map((path) => stateOf(result, path))).toEqual([
      "rendered",
      "rendered",
      ...Array.from({ length: 3 }, () => "not_rendered: template_same")
    ])
    expect([stateOf(result, "/"), stateOf(result, "/plain")]).toEqual([null, null])
    expect(result.summary.rendering).toMatchObject({
      browser: "Scripted/1",
      failed: 0,
      mode: "auto",
      not_rendered: { template_same: 3 },
      reason: null,
      rendered: 7,
      templates: [
        { differs: false, example: `${origin}/same/1`, pages: 5, rendered: 2 },
        { differs: true, example: `${origin}/differing/1`, pages: 5, rendered: 5 }
      ]
    })
    expect(result.pages.find(({ url }) => url.endsWith("/differing/5"))).toMatchObject({ h1: "By a script" })
  })

  it("always: every page that runs scripts", function* () {
    const { result } = yield* crawled(world, { render: "always" })
    expect(result.summary.rendering).toMatchObject({ mode: "always", not_rendered: {}, rendered: 10 })
  })

  it("never: none, and what is found is what a crawl without a browser finds", function* () {
    const { rendered, result } = yield* crawled(world, { render: "never" })
    const without = yield* Effect.provide(
      report(`${origin}/`),
      memoryOutbound(({ pathname }) => world.pages[pathname] ?? { body: "", headers: {}, status: 404 })
    )
    expect(rendered).toEqual([])
    expect(result.summary.rendering).toMatchObject({ mode: "never", not_rendered: { off: 10 }, rendered: 0 })
    expect(without.summary.rendering).toMatchObject({ mode: "off", not_rendered: { off: 10 }, rendered: 0 })
    expect(without.findings).toEqual(result.findings)
    expect(without.score).toEqual(result.score)
  })

  it("a budget of pages leaves room for the samples of later templates, and what it leaves out is counted", function* () {
    const { result } = yield* crawled(world, { render: "always", renderPages: 5 })
    const { not_rendered, rendered } = result.summary.rendering
    expect({ not_rendered, rendered }).toEqual({ not_rendered: { budget: 5 }, rendered: 5 })
    expect(stateOf(result, "/differing/1")).toBe("rendered")
  })

  it("three failures of a template end the rest of it", function* () {
    const hanging: Shown = () => Effect.fail("time")
    const { rendered, result } = yield* crawled({
      ...world,
      shown: Object.fromEntries(differing.map((path) => [path, hanging]))
    })
    expect(rendered.filter((path) => path.startsWith("/differing")).length).toBeLessThan(5)
    expect(differing.map((path) => stateOf(result, path))).toEqual(differing.map(() => "failed: time"))
    expect(result.summary.dead_links.state).toBe("partial")
  })

  it("no page that asks in its HTML not to be indexed, whatever scripts make of it", function* () {
    const hidden = {
      "/": page(navigation(["/hidden"])),
      "/hidden": page(script, '<meta name="robots" content="noindex">')
    }
    const shown: Shown = (sent) =>
      Effect.succeed(sent.replace(/<meta[^>]*noindex[^>]*>/, "").replace("</body>", '<a href="/secret">x</a></body>'))
    const { asked, result } = yield* crawled({ pages: hidden, shown: { "/hidden": shown } })
    expect(stateOf(result, "/hidden")).toBe("not_rendered: noindex")
    expect(result.pages.find(({ url }) => url.endsWith("/hidden"))).toMatchObject({ health_reason: "noindex_meta" })
    expect(asked).not.toContain("/secret")
  })
})

describe("a rendered page", () => {
  const site = (shown: Shown, body = script): World => ({
    pages: {
      "/": page(navigation(["/raw-1", "/raw-2"]) + body),
      ...pagesOf(["/raw-1", "/raw-2", "/added-1", "/added-2"], "")
    },
    shown: { "/": shown }
  })

  it("has its links followed behind those of the server", function* () {
    const { asked, result } = yield* crawled(site(adding(navigation(["/added-1", "/raw-1", "/added-2"]))))
    expect(asked.filter((path) => /raw|added/.test(path))).toEqual(["/raw-1", "/raw-2", "/added-1", "/added-2"])
    expect(result.pages[0]?.rendering).toMatchObject({ links_only_rendered: 2, state: "rendered" })
  })

  it("keeps the links that a script takes out", function* () {
    const { asked } = yield* crawled(site((sent) => Effect.succeed(sent.replaceAll(/<a [^>]*>[^<]*<\/a>/g, ""))))
    expect(asked).toContain("/raw-2")
  })

  it("is hidden by a noindex of its scripts, and not by another canonical than the server's", function* () {
    const canonical = (to: string) => `<link rel="canonical" href="${origin}${to}">`
    const pages = {
      "/": page(navigation(["/noindex", "/canonical"])),
      "/canonical": page(script, canonical("/canonical")),
      "/noindex": page(script)
    }
    const { result } = yield* crawled({
      pages,
      shown: {
        "/canonical": (sent) => Effect.succeed(sent.replace(canonical("/canonical"), canonical("/"))),
        "/noindex": (sent) => Effect.succeed(sent.replace("</head>", '<meta name="robots" content="noindex"></head>'))
      }
    })
    expect(result.pages.map(({ canonical_url, health_reason }) => [health_reason, canonical_url])).toEqual([
      ["ok", null],
      ["noindex_meta", null],
      ["ok", `${origin}/`]
    ])
  })

  it("gets each file once a run, what fails is asked for twice, and what robots.txt closes is not asked for", function* () {
    const loads: Shown = (sent, fetch) =>
      Effect.forEach(
        ["/app.js", "/missing.js", "/closed.js", "/ours.js", `${other}/x.js`, "/cart?add-to-cart=1"],
        (path) => Effect.ignore(fetch({ headers: {}, kind: "Script", method: "GET", url: new URL(path, origin) }))
      ).pipe(Effect.as(sent))
    const robots = "User-agent: Googlebot\nDisallow: /closed.js\n\nUser-agent: *\nDisallow: /ours.js\n"
    const paths = numbered("p", 4)
    const { asked } = yield* crawled(
      {
        pages: {
          "/": page(navigation(paths)),
          "/app.js": { body: "1", headers: { "content-type": "text/javascript" } },
          "/robots.txt": { body: robots, headers: {} },
          [`${other}/x.js`]: { body: "1", headers: { "content-type": "text/javascript" } },
          ...pagesOf(paths, "<script>load()</script>")
        },
        shown: Object.fromEntries(paths.map((path) => [path, loads]))
      },
      { render: "always" }
    )
    const count = (path: string) => asked.filter((each) => each === path).length
    expect(["/app.js", `${other}/x.js`, "/missing.js", "/closed.js", "/ours.js", "/cart"].map(count)).toEqual([
      1, 1, 2, 0, 0, 0
    ])
  })
})

it("the same site gives the same report, whatever the delays", function* () {
  const paths = [...numbered("a", 6), ...numbered("b", 6)]
  const pages = { "/": page(navigation(paths) + script), ...pagesOf(paths) }
  const shown = Object.fromEntries(paths.slice(3).map((path) => [path, adding(navigation([`${path}/more`]))]))
  const reports = yield* Effect.forEach([1, 7, 13], (seed) =>
    Effect.map(
      crawled({ delay: (path) => (path.length * 31 * seed) % 23, pages, shown }),
      ({ result: { findings, pages, score, summary } }) => ({
        findings,
        pages: pages.map((each) => ({ ...each, response_ms: 0 })),
        score,
        summary: { ...summary, crawl: null }
      })
    )
  )
  expect(reports[1]).toEqual(reports[0])
  expect(reports[2]).toEqual(reports[0])
})
