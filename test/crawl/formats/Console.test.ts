import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { progressLine, renderReport } from "../../../src/crawl/formats/Terminal.ts"
import { fit } from "../../../src/crawl/formats/Wording.ts"
import { it } from "../../harness.ts"
import { events, report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const nasty = "\u001b[2J<script>alert(1)</script>\u202egnp.exe '\" & 日本語".repeat(3)

const site = memoryOutbound((url) => {
  if (url.pathname === "/") {
    const body = `<a href="/gone?${"x".repeat(300)}">${nasty}</a><a href="/old">old</a>`
    return { body: html({ title: nasty, body, links: ["/a"] }) }
  }
  if (url.pathname === "/old") return { status: 301, headers: { location: "javascript:alert(1)" } }
  return url.pathname === "/a" ? { body: html({ title: "A" }) } : { status: 404 }
})

const made = Effect.provide(report("http://site.test/"), site)
const width = (line: string) => Bun.stringWidth(line)

it("the terminal report is at most a hundred columns wide except for URLs, and contains no control character", function* () {
  const text = renderReport(yield* made, { color: false })
  const wide = text.split("\n").filter((line) => width(line) > 100)
  expect(wide.filter((line) => !/\/gone\?x{200,}/.test(line))).toEqual([])
  expect(text).not.toMatch(/http:\/\/site\.test\/gone\?x{1,299}(?!x)/)
  expect(wide.length).toBeGreaterThan(0)
  expect(text).not.toContain("x…")
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(text).toContain("1 found, 4 checked")
  expect(text).toContain("broken_link")
})

it("a broken link is shown with its text once and with each page that links to it", function* () {
  const outbound = memoryOutbound((url) => {
    if (url.pathname === "/") {
      const body = "<a href=/gone>More</a><a href=/mute></a>"
      return { body: html({ title: "Home", body, links: ["/a"] }) }
    }
    return url.pathname === "/a" ? { body: html({ title: "A", links: ["/gone"] }) } : { status: 404 }
  })
  const result = yield* Effect.provide(report("http://site.test/"), outbound)
  const text = renderReport(result, { color: false })
  expect(text).toContain("  404  http://site.test/mute\n       linked as (no text)\n       from http://site.test/\n")
  expect(text).toContain("(no text) → http://site.test/mute (404)")
  expect(yield* renderHtml(result)).toContain("<small>(no text)</small>")
  expect(text).not.toContain('""')
  expect(text).toContain(
    [
      "  404  http://site.test/gone",
      '       linked as "More"',
      "       from http://site.test/",
      "       from http://site.test/a",
      ""
    ].join("\n")
  )
})

it("the HTML report breaks URLs after slashes, and keeps the links intact", function* () {
  const page = yield* renderHtml(yield* made, null)
  expect(page).toContain('<a href="http://site.test/a" rel="nofollow noreferrer">http://site.test/<wbr>a</a>')
  expect(page).toContain("http://site.test/<wbr>gone?<wbr>xxx")
})

it("colors change nothing but the color", function* () {
  const result = yield* made
  const colored = renderReport(result, { color: true })
  expect(colored).toContain("\u001b[31m")
  expect(Bun.stripANSI(colored)).toBe(renderReport(result, { color: false }))
})

it("the HTML report escapes all text of the site, and loads nothing", function* () {
  const result = yield* made
  const page = yield* renderHtml(result, diffOf(result, result))
  const scripts = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text ?? "")
  expect(scripts).toHaveLength(1)
  expect(page.match(/<script/g)).toHaveLength(1)
  const hash = new Bun.CryptoHasher("sha256").update(scripts[0] ?? "").digest("base64")
  expect(page).toContain(`script-src &#39;sha256-${hash}&#39;`)
  expect(page).not.toMatch(/href="(?!https?:)/)
  expect(page).not.toMatch(/\s(?:src|on\w+)=/)
  expect(page).not.toMatch(/url\(|@import|<link|<iframe|<img/)
  expect(page).toContain("&lt;script&gt;")
})

it("the HTML report names issues in words, opens failed checks, and shows no score as good beside critical issues", function* () {
  const result = yield* made
  const page = yield* renderHtml({ ...result, score: { ...result.score, aggregate_score: 97, status: "good" } })
  expect(page).toContain(
    '<details open class="critical"><summary><span class="tag critical">critical</span><b>Broken link</b>'
  )
  expect(page.replace(/<(?:title|a)\b.*?<\/(?:title|a)>/gs, "")).not.toMatch(/\bbroken_link\b/)
  expect(page).toContain('<div class="score needs_attention"><span><b>97</b>')
  expect(page).toContain(`Findable ${result.summary.crawl?.version}, as Mozilla/5.0 (compatible; FindableBot/1.0)`)
  expect(page.match(/<rect /g)?.length).toBeGreaterThanOrEqual(4)
})

it("the HTML report shows what changed since the baseline", function* () {
  const plain = memoryOutbound(({ pathname }) =>
    pathname === "/" || pathname === "/a" ? { body: html({ title: pathname, links: ["/", "/a"] }) } : { status: 404 }
  )
  const after = yield* made
  const before = yield* Effect.provide(report("http://site.test/"), plain)
  const page = yield* renderHtml(after, diffOf(before, after))
  expect(page).toContain("Since the baseline")
  expect(page).toContain("1 new and 0 fixed broken links")
  expect(yield* renderHtml(after)).not.toContain("Since the baseline")
})

it("progress lines fit the terminal for sites with any name", function* () {
  const lines = (yield* Effect.provide(events("http://site.test/"), site)).map(progressLine)
  expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(100)
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
})

test("a text is shortened at its end, never in its middle", () => {
  expect(fit("http://site.test/a/very/long/path/to/a/page.html", 20)).toBe("http://site.test/a/…")
  expect(Bun.stringWidth(fit("日本語".repeat(20), 21))).toBeLessThanOrEqual(21)
})
