import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { renderCsv, renderJunit, renderSarif } from "../../src/crawl/formats/Formats.ts"
import { renderHtml } from "../../src/crawl/formats/Html.ts"
import { renderReport } from "../../src/crawl/formats/Terminal.ts"
import { maskedReference, maskedText } from "../../src/crawl/page/Credentials.ts"
import { it } from "../harness.ts"
import { notFound, origin, page, redirect, soundSite } from "./rules/SoundSite.ts"
import { events, report } from "./site/Crawled.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

describe("a reference is shown without user name and password", () => {
  const references = {
    "https://user:secret@site.test/a": "https://***@site.test/a",
    "  HTTPS:\\\\user:secret@site.test/a@b": "  HTTPS:\\\\***@site.test/a@b",
    "//user:secret@site.test?x=@": "//***@site.test?x=@",
    "https:user:secret@site.test": "https:***@site.test",
    "https://us er:se@cret@site.test#@": "https://***@site.test#@",
    "https://user:sec\nret@site.test": "https://***@site.test",
    "ftp://user:secret@site.test/": "ftp://***@site.test/",
    "user:secret@site.test/a": "***@site.test/a",
    "https://site.test/@user": "https://site.test/@user",
    "https://site.test?to=a@b": "https://site.test?to=a@b",
    "user@site.test": "user@site.test",
    "mailto:user:x@site.test": "mailto:user:x@site.test",
    "javascript:go('a@b.test')": "javascript:go('a@b.test')"
  }
  for (const [written, shown] of Object.entries(references))
    test(JSON.stringify(written), () => expect(maskedReference(written)).toBe(shown))
})

test("URLs in a text are shown without user name and password, also in JSON with escaped slashes", () => {
  expect(maskedText('see https://user:secret@site.test/a, "https:\\/\\/user:secret@site.test" and //a:b@c')).toBe(
    'see https://***@site.test/a, "https:\\/\\/***@site.test" and //***@c'
  )
  const plain = "https://site.test and mail me@site.test, https://cdn.test/npm/pkg@1.2"
  expect(maskedText(plain)).toBe(plain)
})

describe("an escaped text", () => {
  const texts = {
    "{&quot;@context&quot;:&quot;https://schema.org&quot;,&quot;@type&quot;:&quot;Person&quot;}": null,
    "{&#34;@context&#34;:&#34;https://schema.org&#34;,&#34;@type&#34;:&#34;Person&#34;}": null,
    "{&#x22;@context&#x22;:&#x22;https://schema.org&#X22;,&#x22;@type&#x22;:1}": null,
    "{&amp;quot;@context&amp;quot;:&amp;quot;https://schema.org&amp;quot;,&amp;quot;@type&amp;quot;:1}": null,
    "{&apos;@context&apos;:&apos;http://schema.org&apos;,&apos;@id&apos;:1}": null,
    "{“@context”:“https://schema.org”,“@type”:“Person”}": null,
    "{&ldquo;@context&rdquo;:&ldquo;https://schema.org&rdquo;,&ldquo;@type&rdquo;:1}": null,
    "{&quot;url&quot;:&quot;https://site.test&quot;,&quot;email&quot;:&quot;me@site.test&quot;}": null,
    "&lt;a href=https://site.test&gt;@me&lt;/a&gt;": null,
    "&quot;https://user:secret@site.test&quot;,&quot;@type": "&quot;https://***@site.test&quot;,&quot;@type",
    "https://user:a&amp;b&amp;c@site.test": "https://***@site.test",
    "https:&#x2F;&#x2F;user:secret@site.test&#x2F;a": "https:&#x2F;&#x2F;***@site.test&#x2F;a",
    "https&#58;//user&#58;secret&#64;site.test": "https&#58;//***@site.test",
    "https&colon;&sol;&sol;user&colon;secret&commat;site.test": "https&colon;&sol;&sol;***@site.test",
    "https:&amp;#x2F;&amp;#x2F;user:secret&amp;#64;site.test": "https:&amp;#x2F;&amp;#x2F;***@site.test"
  }
  for (const [text, shown] of Object.entries(texts))
    test(`${shown === null ? "keeps its JSON and names" : "shows no password"}: ${text}`, () =>
      expect(maskedText(text)).toBe(shown ?? text))
})

/** Spellings of a text within JSON or HTML, as templates escape it. */
const spellings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/'/g, "&#39;"),
  (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&#34;").replace(/'/g, "&apos;"),
  (text) => text.replace(/[&"'/=:@]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/&/g, "&amp;")
]

test("JSON without passwords stays as it is, and a URL in it never shows a password in any escaping", () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9._~!$*+-]{1,12}$/)
  const host = fc.constantFrom("schema.org", "site.test", "192.0.2.1", "localhost:4000")
  const key = fc.constantFrom("@type", "@id", "name", "email")
  const parts = fc.record({ host, key, name, scheme: fc.constantFrom("https", "http"), secret: name })
  fc.assert(
    fc.property(parts, fc.constantFrom(...spellings), ({ host, key, name, scheme, secret }, spell) => {
      const json = (address: string) => spell(JSON.stringify({ "@context": address, [key]: `${name}@${host}` }))
      expect(maskedText(json(`${scheme}://${host}`))).toBe(json(`${scheme}://${host}`))
      const hidden = `pass${secret}word`
      const shown = maskedText(json(`${scheme}://${name}:${hidden}@${host}/a`))
      expect(shown).not.toContain(hidden)
      expect(shown).toContain("***@")
    })
  )
})

const secret = "s3cret"
const at = (host: string, path = "/b") => `https://user:${secret}@${host}${path}`
const found = (changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.provide(
    report(`${origin}/`, { checkExternalLinks: true }),
    memoryOutbound(soundSite(changes, unlinked), ({ username }) => expect(username).toBe(""))
  )
const detailOf = (result: Effect.Effect.Success<ReturnType<typeof found>>, rule: string) =>
  result.findings.find((each) => each.rule === rule)?.evidence.items.map(({ detail }) => detail)

it("a link with credentials is blocked, and not reported as a lost connection", function* () {
  const body = `<a class=x href="${at("site.test")}">in</a><a href="${at("other.test")}">${at("other.test")}</a>`
  const result = yield* found({ "/a": page("/a", { body }) })
  const item = result.findings.find(({ rule }) => rule === "url_credentials")?.evidence.items[0]
  expect(item).toEqual({
    url: `${origin}/a`,
    detail:
      'blocked: has credentials: 2 URLs: "in" → https://***@site.test/b, "https://***@other.test/b" → https://***@other.test/b',
    value: "https://***@site.test/b",
    markup: '<a class="x" href="https://***@site.test/b">in</a>',
    place: "main"
  })
  for (const rule of ["connection_lost", "broken_link", "external_link_broken"])
    expect(result.findings.find((each) => each.rule === rule)?.status).toBe("pass")
  expect(result.summary.external_links).toMatchObject({ checked: 0, unverified: 0 })
})

/** A page with a password in a URL at every possible place. */
const telltale = (long: string): Reply => ({
  headers: {
    "content-type": "text/html; charset=utf-8",
    link: `<${at("site.test")}>; rel="canonical", <${at("site.test")}>; rel="alternate"; hreflang="de"`,
    refresh: `9; url=${at("site.test")}`
  },
  body: `<!doctype html><html lang=en><head><meta charset=utf-8><title>${at("site.test")}</title>
<link rel=canonical href="${at("site.test")}"><link rel=alternate hreflang=fr href="${at("site.test")}">
<link rel=stylesheet href="${at("site.test", "/x.css")}"><meta name=description content="${at("site.test")} ${long}">
<meta property=og:image content="${at("site.test")}"><meta property=og:url content="//user:${secret}@site.test/">
<noscript><link rel=canonical href="${at("site.test")}"></noscript>
<script type=application/ld+json>{"@type":"Article","url":"https:\\/\\/user:${secret}@site.test",}</script></head>
<body><h1>${at("site.test")}</h1><p>few words <a href="${at("site.test")}">${at("site.test")}</a>
<a href="${at("site.test")}"><img src="${at("site.test", "/x.png")}" srcset="/y.png 1x, ${at("site.test", "/z.png")} 2x"></a>
<a href="user:${secret}@site.test:8080/">x</a><a href="http://user:${secret}@[bad">x</a><a href="/gone?u=1" title="${at("site.test")}">x</a>
<button data-to="${at("site.test")}" style="background: url(${at("site.test")})"><i></i></button>
<a href="${at("site.test")}" data-long="${long}" rel=nofollow><i>${at("site.test")}</i></a>
<iframe src="${at("site.test")}"></iframe><script src="http://user:${secret}@site.test/x.js"></script>
<svg><a xlink:href="${at("site.test")}"><text>x</text></a></svg><map><area href="${at("site.test")}" alt=x></map></body></html>`
})

it("no field of a report shows a password, in any format", function* () {
  const changes: Readonly<Record<string, Reply>> = {
    "/a": telltale("long ".repeat(100)),
    "/r": redirect(at("site.test")),
    "/r2": redirect(at("other.test")),
    "/gone?u=1": notFound,
    "/robots.txt": {
      headers: { "content-type": "text/plain" },
      body: `User-agent: *\nDisallow: ${at("site.test")}\nNoindex: ${at("site.test")}\nSitemap: ${at("site.test", "/s.xml")}\nSitemap: ${origin}/sitemap.xml\n`
    },
    "/sitemap.xml": {
      headers: { "content-type": "application/xml" },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/a</loc></url><url><loc>${at("site.test")}</loc></url><url><loc>${at("other.test")}</loc></url></urlset>`
    }
  }
  const site = memoryOutbound(soundSite(changes, ["/gone?u=1"]), ({ username }) => expect(username).toBe(""))
  const all = yield* Effect.provide(events(`${origin}/`, { checkExternalLinks: true }), site)
  expect(JSON.stringify(all)).not.toContain(secret)
  const result = yield* found(changes, ["/gone?u=1"])
  const texts = [
    renderCsv(result, null),
    renderSarif(result, null),
    renderJunit(result),
    yield* renderHtml(result),
    renderReport(result, { color: false })
  ]
  for (const text of texts) expect(text).not.toContain(secret)
  expect(detailOf(result, "redirect_without_target")).toEqual([
    "301, blocked: the Location has credentials",
    "301, blocked: the Location has credentials"
  ])
  expect(detailOf(result, "canonical_invalid")).toEqual(['"https://***@site.test/b", blocked: has credentials'])
  expect(detailOf(result, "hreflang_invalid")?.[0]).toContain("fr https://***@site.test/b, blocked: has credentials")
  expect(detailOf(result, "sitemap_invalid")?.[0]).toContain("has credentials")
  expect(detailOf(result, "mixed_content")?.[0]).toContain("http://***@site.test/x.js")
  expect(result.pages.filter(({ health_reason }) => health_reason === "connection_failed")).toEqual([])
})

it("the error of a failed crawl shows no password", function* () {
  const site = memoryOutbound(() => ({ fault: "blocked_url" }))
  const failure = yield* Effect.flip(Effect.provide(report(at("site.test", "/")), site))
  expect(failure.message).toContain("https://***@site.test/")
  expect(failure.message).not.toContain(secret)
})
