import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it as test } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import {
  crawled,
  navigation,
  numbered,
  origin,
  page,
  pagesOf,
  type Shown,
  script,
  shell,
  tea,
  type World
} from "./world.ts"

/** Busy machines take long for a crawl. */
const it: typeof test = (name, body, timeout = 60_000) => test(name, body, timeout)

const finding = ({ findings }: CrawlResult, id: string) => findings.find(({ rule }) => rule === id)
const lost = ({ score }: CrawlResult, id: string) =>
  score.score_version === 1 ? undefined : score.breakdown.lost.find(({ rule }) => rule === id)?.points

/** A page with scripts and without a heading. */
const bare = { body: tea(script).replace(/<h1>.*<\/h1>/, "") }

const throwing: Shown = (sent) => Effect.succeed({ errors: ["TypeError: x is undefined"], html: sent })
const filled: Shown = () => Effect.succeed(tea(navigation(["/", "/about"])))

describe("script_error", () => {
  const world = (app: World["pages"][string]): World => ({
    pages: { "/": page(navigation(["/app", "/about"])), "/about": page(""), "/app": app },
    shown: { "/app": throwing }
  })

  it("is info on a page with content, and a warning on a page that stays a shell", function* () {
    const { result: content } = yield* crawled(world(page(script)))
    const { result: empty } = yield* crawled(world(shell))
    expect(finding(content, "script_error")).toMatchObject({ severity: "info", status: "fail" })
    expect(finding(empty, "script_error")).toMatchObject({ severity: "warning", status: "fail" })
    expect(finding(empty, "script_error")?.evidence.items[0]?.detail).toStartWith("almost empty after scripts: ")
  })

  it("takes the points of a warning only from a page that stays a shell", function* () {
    const paths = ["/content", "/empty"]
    const pages = { "/": page(navigation(paths)), "/content": page(script), "/empty": shell }
    const { result } = yield* crawled({ pages, shown: { "/content": throwing, "/empty": throwing } })
    const { result: one } = yield* crawled({ pages, shown: { "/empty": throwing } })
    expect(finding(result, "script_error")).toMatchObject({ count: 2, severity: "warning" })
    // The page with content loses the 3 % of an info, the other issues aside.
    const [both = 0, alone = 0] = [lost(result, "script_error"), lost(one, "script_error")]
    expect(both - alone).toBeGreaterThan(0)
    expect(both - alone).toBeLessThan(1.5)
    expect(alone).toBeGreaterThan(2)
  })
})

describe("pages that scripts fill and that could not be rendered", () => {
  const apps = numbered("app", 4)
  const failing: Shown = () => Effect.fail("time")
  const world: World = {
    pages: {
      "/": page(navigation([...apps, "/about"])),
      "/about": page(navigation(["/"])),
      ...Object.fromEntries(apps.map((path) => [path, shell]))
    },
    shown: { ...Object.fromEntries(apps.slice(1).map((path) => [path, failing])), "/app/1": filled }
  }

  it("are unverified: they lower the coverage, widen the range, and no guess counts for the score", function* () {
    const { result } = yield* crawled(world)
    const whole = yield* crawled({ ...world, shown: Object.fromEntries(apps.map((path) => [path, filled])) })
    expect(whole.result.score).toMatchObject({ coverage: 1 })
    expect(result.score.coverage).toBe(0.5)
    expect(result.score.range.low).toBeLessThan(result.score.aggregate_score ?? 0)
    expect(result.score).toMatchObject({ provisional: true, range: { high: expect.any(Number) } })
  })

  it("are named by needs_javascript as k of n, which limits no score when the start page has content", function* () {
    const { result } = yield* crawled(world)
    const own = finding(result, "needs_javascript")
    expect(own).toMatchObject({ count: 1, severity: "warning", status: "fail" })
    expect(own?.evidence.items[0]?.detail).toBe(
      "almost empty without scripts: 3 of 6 pages; 1 of 4 pages with scripts were rendered"
    )
    expect(result.score.breakdown).toMatchObject({ factor: null })
    const { result: seen } = yield* crawled({ ...world, shown: Object.fromEntries(apps.map((path) => [path, filled])) })
    expect(finding(seen, "needs_javascript")?.status).toBe("pass")
  })

  it("are the whole site: the score is that of a shell, its coverage none, and its range wide", function* () {
    const all = { "/": shell, ...Object.fromEntries(apps.map((path) => [path, shell])) }
    const shown = Object.fromEntries(Object.keys(all).map((path) => [path, failing]))
    const { result } = yield* crawled({ pages: all, shown })
    expect(result.score).toMatchObject({
      breakdown: { factor: { name: "needs_javascript" } },
      coverage: 0,
      has_data: true,
      provisional: true,
      range: { high: 98, low: 0 }
    })
  })
})

describe("a crawl that runs no scripts", () => {
  const pages: World["pages"] = {
    "/": page(navigation(["/plain", "/scripted"])),
    "/plain": page(""),
    "/scripted": bare
  }
  const said = "scripts were not run"

  it("says so in the evidence of each check that scripts may change, with never as without a browser", function* () {
    const { result } = yield* crawled({ pages }, { render: "never" })
    const without = yield* Effect.provide(
      report(`${origin}/`),
      memoryOutbound(({ pathname }) => pages[pathname] ?? { status: 404 })
    )
    for (const { id, needsRendering, onlyRendered } of catalogue) {
      const { evidence, status } = finding(result, id) ?? {}
      const reason = evidence?.reason ?? ""
      if (onlyRendered === true) expect([id, status, reason]).toEqual([id, "not_assessed", said])
      else if (needsRendering === true && status !== "not_assessed")
        expect([id, reason.startsWith(said)]).toEqual([id, true])
      else expect([id, reason.includes(said)]).toEqual([id, false])
    }
    expect(without.findings).toEqual(result.findings)
  })

  it("says nothing of scripts on a site without any", function* () {
    const { result } = yield* crawled({ pages: { "/": page("") } }, { render: "never" })
    expect(result.findings.filter(({ evidence }) => evidence.reason?.includes(said))).toEqual([])
  })

  it("still tells a fixed issue from one that was not looked for", function* () {
    const two = { ...pages, "/plain": bare }
    const { result: before } = yield* crawled({ pages: two }, { render: "never" })
    const { result: after } = yield* crawled({ pages }, { render: "never" })
    expect(diffOf(before, after).findings.fixed).toContainEqual(
      expect.objectContaining({ rule: "h1_missing", url: `${origin}/plain` })
    )
  })

  it("has the reason as a code, and tells people the remedy", function* () {
    const off = yield* Effect.provide(
      report(`${origin}/`),
      memoryOutbound(() => page(script))
    )
    expect(off.summary.rendering).toMatchObject({ mode: "off", reason: "off" })
    expect(renderReport(off, { color: false })).toContain(
      "JavaScript: scripts were not run, because FINDABLE_RENDER is off. Set it to auto to render"
    )
    const broken = yield* crawled({ pages, shown: { "/scripted": () => Effect.fail("no_browser") } })
    expect(broken.result.summary.rendering).toMatchObject({ mode: "off", reason: "no_sandbox" })
    expect(yield* renderHtml(broken.result)).toContain("Allow user namespaces, or set FINDABLE_RENDER=unsandboxed")
    const sound = yield* crawled({ pages })
    expect(sound.result.summary.rendering).toMatchObject({ mode: "auto", reason: null })
    expect(renderReport(sound.result, { color: false })).toContain(
      "JavaScript: 1 of 1 pages with scripts were rendered; Scripted/1"
    )
  })
})

describe("crawls by two browsers", () => {
  const changing =
    (changed: string): Shown =>
    (sent) =>
      Effect.succeed(sent.replace("<h1>Tea</h1>", changed))
  const world = (browser: string, changed: string): World => ({
    browser,
    pages: { "/": page(navigation(["/scripted", "/same"])), ...pagesOf(["/scripted", "/same"]) },
    shown: { "/scripted": changing(changed) }
  })
  const compared = (before: World, after: World, options = {}) =>
    Effect.zipWith(crawled(before), crawled(after, options), ({ result: old }, { result: now }) => diffOf(old, now))

  it("say browser_differs of issues on pages that scripts change", function* () {
    const { findings } = yield* compared(world("Scripted/1", "<h1>A</h1>"), world("Scripted/2", ""))
    expect(findings.new).toEqual([])
    expect(findings.not_comparable).toContainEqual(
      expect.objectContaining({ cause: "browser_differs", found_in: "after", rule: "h1_missing" })
    )
    const alike = yield* compared(world("Scripted/1", "<h1>A</h1>"), world("Scripted/1", ""))
    expect(alike.findings.new.map(({ rule }) => rule)).toContain("h1_missing")
    expect(alike.findings.not_comparable).toEqual([])
  })

  it("are compared on pages that scripts do not change", function* () {
    const before = world("Scripted/1", "<h1>Tea</h1>")
    const after = world("Scripted/2", "<h1>Tea</h1>")
    const { findings } = yield* compared({ ...before, pages: { ...before.pages, "/same": bare } }, after)
    expect(findings.fixed).toContainEqual(expect.objectContaining({ rule: "h1_missing", url: `${origin}/same` }))
  })

  it("say options_differ where one of them ran no scripts", function* () {
    const { findings } = yield* compared(world("Scripted/1", ""), world("Scripted/1", ""), { render: "never" })
    expect(findings.not_comparable).toContainEqual(
      expect.objectContaining({ cause: "options_differ", found_in: "before", rule: "h1_missing" })
    )
    expect(findings.fixed.map(({ rule }) => rule)).not.toContain("h1_missing")
  })
})
