import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { Finding } from "../../../src/crawl/report/Finding.ts"
import { it } from "../../harness.ts"
import { notFound, origin, page, sitemap, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const findingsOf = (changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))), ({ findings }) => {
    const failing = findings.filter(({ status }) => status === "fail")
    return new Map(failing.map((finding): readonly [string, Finding] => [finding.rule, finding]))
  })

const links = ["/", "/a", "/b", "/c"]

describe("an issue without score impact names what carries it:", () => {
  it("the broken link for its missing target", function* () {
    const found = yield* findingsOf({ "/a": page("/a", { links: ["/", "/gone"] }), "/gone": notFound }, ["/gone"])
    expect(found.get("page_client_error")?.charged_by).toBe("broken_link")
    expect(found.get("broken_link")?.charged_by).toBeNull()
  })

  it("the sitemap for an error that only the sitemap lists", function* () {
    const listing = sitemap([...links, "/gone"])
    const found = yield* findingsOf({ "/sitemap.xml": listing, "/gone": notFound }, ["/gone"])
    expect(found.get("page_client_error")?.charged_by).toBe("sitemap_lists_errors")
  })

  it("the factor for a start page that is not indexable", function* () {
    const noindex = page("/", { head: "<meta name=robots content=noindex>", links: links.slice(1) })
    const found = yield* findingsOf({ "/": noindex })
    expect(found.get("start_hidden")?.charged_by).toBe("start_unavailable")
    expect(found.get("start_unavailable")?.charged_by).toBeNull()
  })
})

describe("the effort of an issue", () => {
  const broken = '<footer><a href="/p"></a></footer>'

  it("is the site for one element on most pages, and for what all checked pages lack", function* () {
    const found = yield* findingsOf(
      Object.fromEntries(links.map((path) => [path, page(path, { body: broken, links })]))
    )
    expect(found.get("link_text_missing")?.effort).toBe("site")
  })

  it("is a template for an element that three of many pages share", function* () {
    const paths = Array.from({ length: 12 }, (_, index) => `/p${index}`)
    const changes = Object.fromEntries(
      paths.map((path, index) => [path, page(path, index < 3 ? { body: broken, links } : { links })])
    )
    expect((yield* findingsOf(changes)).get("link_text_missing")?.effort).toBe("template")
  })

  it("is single pages for elements of their own", function* () {
    const found = yield* findingsOf({ "/a": page("/a", { body: broken, links }) })
    expect(found.get("link_text_missing")?.effort).toBe("pages")
  })

  it("is absent without an issue", function* () {
    const { findings } = yield* Effect.provide(report(`${origin}/`), memoryOutbound(soundSite({})))
    expect(new Set(findings.map(({ effort }) => effort))).toEqual(new Set([null]))
  })
})
