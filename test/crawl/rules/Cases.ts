import type { CrawlOptions } from "../../../src/crawl/Crawl.ts"
import { probeUrl } from "../../../src/crawl/visit/CheckAddress.ts"
import type { Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, redirect, robots, sitemap } from "./SoundSite.ts"

/** A defect planted in the sound site, and the pages that exactly one check must name for it. */
export interface Case {
  readonly rule: string
  readonly changes: Readonly<Record<string, Reply>>
  readonly pages: ReadonlyArray<string>
  readonly unlinked?: ReadonlyArray<string>
  readonly options?: Partial<CrawlOptions>
}

const head = (text: string, canonical?: string): Reply =>
  page("/a", { head: text, ...(canonical === undefined ? {} : { canonical }) })
const body = (text: string): Reply => page("/a", { body: text })
const bare = (document: string): Reply => ({ body: document })
const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ")
const canonical = (href: string): Reply => ({
  body: `<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=x><title>A</title><meta name=description content=A>${href}</head><body><h1>A</h1><p>${words}</p><a href="/">home</a></body></html>`
})
const link = (href: string): string => `<link rel="canonical" href="${href}">`
const hreflang = (language: string, path: string): string =>
  `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`
const shell = bare("<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>")
const impossible = probeUrl(new URL(origin)).pathname
const listed = ["/", "/a", "/b", "/c"]
const start = ["/"]

export const cases: ReadonlyArray<Case> = [
  {
    rule: "needs_javascript",
    changes: { "/": shell, [impossible]: shell, "/a": shell, "/b": shell, "/c": shell },
    unlinked: [impossible],
    pages: start
  },
  { rule: "page_client_error", changes: { "/gone": notFound }, pages: ["/gone"] },
  { rule: "page_server_error", changes: { "/oh": { status: 500 } }, pages: ["/oh"] },
  {
    rule: "soft_404",
    changes: { "/soft": bare("<!doctype html><title>Page not found</title><h1>Not found</h1>") },
    pages: ["/soft"]
  },
  {
    rule: "missing_page_answers_200",
    changes: { [impossible]: page("/x") },
    unlinked: [impossible],
    pages: start
  },
  { rule: "page_timed_out", changes: { "/slow": { fault: "timeout" } }, pages: ["/slow"] },
  { rule: "connection_lost", changes: { "/lost": { fault: "reset" } }, pages: ["/lost"] },
  { rule: "rate_limited", changes: { "/limit": { status: 429 } }, pages: ["/limit"] },
  {
    rule: "bot_challenge",
    changes: { "/shield": { status: 403, headers: { "cf-mitigated": "challenge" } } },
    pages: ["/shield"]
  },
  { rule: "redirect_loop", changes: { "/r1": redirect("/r2"), "/r2": redirect("/r1") }, pages: ["/r1", "/r2"] },
  { rule: "redirect_to_error", changes: { "/r": redirect("/gone"), "/gone": notFound }, pages: ["/r"] },
  { rule: "redirect_chain", changes: { "/r1": redirect("/r2"), "/r2": redirect("/a") }, pages: ["/r1"] },
  { rule: "redirect_temporary", changes: { "/r": redirect("/a", 302) }, pages: ["/r"] },
  { rule: "redirect_offsite", changes: { "/r": redirect("https://other.test/") }, pages: ["/r"] },
  { rule: "redirect_without_target", changes: { "/r": { status: 301, headers: {} } }, pages: ["/r"] },
  { rule: "redirect_downgrade", changes: { "/r": redirect("http://site.test/a") }, pages: ["/r"] },
  { rule: "link_to_redirect", changes: { "/r": redirect("/a") }, pages: ["/"] },
  { rule: "meta_refresh", changes: { "/a": head('<meta http-equiv="refresh" content="9; url=/b">') }, pages: ["/a"] },
  {
    rule: "noscript_only",
    changes: { "/a": head('<noscript><meta name="robots" content="noindex"></noscript>') },
    pages: ["/a"]
  },
  {
    rule: "noscript_ends_head",
    changes: { "/a": canonical(`<noscript><img src="/pixel.gif" alt=""></noscript>${link(`${origin}/a`)}`) },
    pages: ["/a"]
  },
  { rule: "robots_unreachable", changes: { "/robots.txt": { status: 503 } }, pages: start },
  {
    rule: "robots_truncated",
    changes: { "/robots.txt": { headers: {}, body: `User-agent: *\nDisallow:\n${"# long\n".repeat(80_000)}` } },
    pages: start
  },
  {
    rule: "robots_txt_html",
    changes: { "/robots.txt": { body: "\n<!DOCTYPE html><html><body>App</body></html>" } },
    pages: start
  },
  { rule: "robots_txt_lines", changes: { "/robots.txt": robots("Noindex: /x\nDisallow: /y") }, pages: start },
  { rule: "robots_txt_lines", changes: { "/robots.txt": robots("Dissallow: /y") }, pages: start },
  {
    rule: "robots_txt_lines",
    changes: { "/robots.txt": bare("User-agent: *\nDisallow:\nSitemap: site.test/map.xml"), "/sitemap.xml": notFound },
    pages: start
  },
  {
    rule: "robots_directive_unreadable",
    changes: { "/a": head('<meta name=robots content="index follow">') },
    pages: ["/a"]
  },
  {
    rule: "noindex_file",
    changes: { "/x.pdf": { headers: { "content-type": "application/pdf", "x-robots-tag": "noindex" }, body: "%PDF" } },
    pages: ["/x.pdf"]
  },
  { rule: "start_blocked", changes: { "/robots.txt": robots("Disallow: /") }, pages: start },
  {
    rule: "no_eligible_page",
    changes: Object.fromEntries(
      listed.map((path) => [path, page(path, { head: "<meta name=robots content=noindex>", links: listed })])
    ),
    pages: start
  },
  { rule: "start_unavailable", changes: { "/": page("/", { canonical: "/a", links: listed }) }, pages: start },
  {
    rule: "mostly_hidden",
    changes: Object.fromEntries(
      ["/a", "/b", "/c"].map((path) => [path, page(path, { head: "<meta name=robots content=noindex>" })])
    ),
    pages: start
  },
  {
    rule: "bingbot_blocked",
    changes: { "/robots.txt": robots("Disallow: /private\nUser-agent: bingbot\nDisallow: /b") },
    pages: ["/b"]
  },
  {
    rule: "ai_bots_blocked",
    changes: { "/robots.txt": robots("Disallow: /private\nUser-agent: GPTBot\nDisallow: /") },
    pages: start
  },
  {
    rule: "start_hidden",
    changes: { "/": page("/", { head: "<meta name=robots content=noindex>", links: ["/a", "/b", "/c"] }) },
    pages: start
  },
  { rule: "blocked_but_linked", changes: { "/private/x": page("/private/x") }, pages: ["/private/x"] },
  {
    rule: "noindex_page",
    changes: { "/x": page("/x", { head: "<meta name=robots content=noindex>" }) },
    pages: ["/x"]
  },
  {
    rule: "noindex_with_canonical",
    changes: { "/x": page("/x", { head: "<meta name=robots content=noindex>", canonical: "/a" }) },
    pages: ["/x"]
  },
  { rule: "robots_meta_outside_head", changes: { "/a": body("<meta name=robots content=noindex>") }, pages: ["/a"] },
  {
    rule: "robots_directives_conflict",
    changes: { "/x": page("/x", { head: '<meta name=robots content="index, noindex">' }) },
    pages: ["/x"]
  },
  { rule: "canonical_missing", changes: { "/a": canonical("") }, pages: ["/a"] },
  { rule: "canonical_conflicting", changes: { "/a": head(link(`${origin}/b`)) }, pages: ["/a"] },
  { rule: "canonical_invalid", changes: { "/a": canonical(link("http://[bad")) }, pages: ["/a"] },
  { rule: "canonical_relative", changes: { "/a": canonical(link("/a")) }, pages: ["/a"] },
  { rule: "canonical_fragment", changes: { "/a": canonical(link(`${origin}/a#part`)) }, pages: ["/a"] },
  { rule: "canonical_outside_head", changes: { "/a": body(link(`${origin}/b`)) }, pages: ["/a"] },
  {
    rule: "canonical_to_error",
    changes: { "/x": page("/x", { canonical: "/gone" }), "/gone": notFound },
    pages: ["/x"],
    unlinked: ["/gone"]
  },
  {
    rule: "canonical_to_redirect",
    changes: { "/x": page("/x", { canonical: "/r" }), "/r": redirect("/a") },
    pages: ["/x"]
  },
  { rule: "canonical_to_hidden", changes: { "/x": page("/x", { canonical: "/private/y" }) }, pages: ["/x"] },
  {
    rule: "canonical_chain",
    changes: { "/x": page("/x", { canonical: "/y" }), "/y": page("/y", { canonical: "/a" }) },
    pages: ["/x"]
  },
  {
    rule: "canonical_to_first_page",
    changes: {
      "/list": page("/list", { links: ["/", "/list?page=2"] }),
      "/list?page=2": page("/list?page=2", { canonical: "/list" })
    },
    pages: ["/list?page=2"]
  },
  {
    rule: "canonical_unreachable",
    changes: { "/a": canonical(link("http://localhost:4000/a")), "/b": canonical(link("http://192.168.1.10/b")) },
    pages: ["/a", "/b"]
  },
  { rule: "canonical_cross_site", changes: { "/x": canonical(link("https://other.test/")) }, pages: ["/x"] },
  { rule: "title_missing", changes: { "/a": page("/a", { title: " " }) }, pages: ["/a"] },
  { rule: "title_multiple", changes: { "/a": head("<title>Another</title>") }, pages: ["/a"] },
  {
    rule: "title_outside_head",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en><head><meta charset=utf-8><img alt=x src=/x><title>A</title></head><h1>A</h1>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  { rule: "title_long", changes: { "/a": page("/a", { title: `A ${"very ".repeat(20)} long title` }) }, pages: ["/a"] },
  {
    rule: "description_missing",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en><head><meta charset=utf-8><title>A</title></head><h1>A</h1>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  { rule: "description_multiple", changes: { "/a": head('<meta name=description content="again">') }, pages: ["/a"] },
  {
    rule: "description_long",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en><head><meta charset=utf-8><title>A</title><meta name=description content="${words}"></head><h1>A</h1>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  {
    rule: "h1_missing",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en><meta charset=utf-8><title>A</title><h2>A</h2>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  { rule: "h1_multiple", changes: { "/a": body("<h1>Second</h1>") }, pages: ["/a"] },
  {
    rule: "thin_content",
    changes: {
      "/a": bare(
        "<!doctype html><html lang=en><meta charset=utf-8><title>A</title><h1>A</h1>few words<a href=/>home</a>"
      )
    },
    pages: ["/a"]
  },
  { rule: "image_alt_missing", changes: { "/a": body("<img src=/x.png>") }, pages: ["/a"] },
  {
    rule: "title_duplicate",
    changes: { "/a": page("/a", { title: "Same" }), "/b": page("/b", { title: " same " }) },
    pages: ["/a", "/b"]
  },
  {
    rule: "description_duplicate",
    changes: { "/a": page("/a", { title: "Same" }), "/b": page("/b", { title: "Same" }) },
    pages: ["/a", "/b"]
  },
  {
    rule: "content_duplicate",
    changes: { "/a": page("/a", { title: "Same" }), "/b": page("/b", { title: "Same" }) },
    pages: ["/a", "/b"]
  },
  {
    rule: "content_near_duplicate",
    changes: {
      "/a": page("/a", { title: "Same", body: `<p>${words} ${words} ${words}</p>` }),
      "/b": page("/b", { title: "Same", body: `<p>${words} ${words} ${words} end</p>` })
    },
    pages: ["/a", "/b"]
  },
  {
    rule: "address_twins",
    changes: {
      "/t/": page("/t/", { title: "Twin", links: ["/", "/t/index.html"] }),
      "/t/index.html": page("/t/index.html", { title: "Twin" })
    },
    pages: ["/t/", "/t/index.html"],
    unlinked: ["/t/index.html"]
  },
  {
    rule: "broken_link",
    changes: { "/a": page("/a", { links: ["/", "/r"] }), "/r": redirect("/gone"), "/gone": notFound },
    pages: ["/a"],
    unlinked: ["/r", "/gone"]
  },
  { rule: "link_invalid", changes: { "/a": page("/a", { links: ["/", "http://[bad"] }) }, pages: ["/a"] },
  {
    rule: "url_credentials",
    changes: { "/a": page("/a", { links: ["/", "https://user:secret@site.test/b"] }) },
    pages: ["/a"]
  },
  { rule: "link_script", changes: { "/a": page("/a", { links: ["/", "javascript:go()"] }) }, pages: ["/a"] },
  { rule: "link_text_missing", changes: { "/a": body("<a href=/b></a>") }, pages: ["/a"] },
  { rule: "control_unnamed", changes: { "/a": body("<button class=menu><i></i></button>") }, pages: ["/a"] },
  { rule: "link_nofollow_internal", changes: { "/a": body("<a href=/b rel=nofollow>b</a>") }, pages: ["/a"] },
  { rule: "dead_end", changes: { "/a": page("/a", { links: [] }) }, pages: ["/a"] },
  {
    rule: "page_deep",
    changes: Object.fromEntries(
      [1, 2, 3, 4, 5]
        .map((depth) => [`/d${depth}`, page(`/d${depth}`, { links: ["/", `/d${depth + 1}`] })] as const)
        .concat([["/d6", page("/d6")]])
    ),
    unlinked: ["/d2", "/d3", "/d4", "/d5", "/d6"],
    pages: ["/d5", "/d6"]
  },
  {
    rule: "orphan_page",
    changes: { "/sitemap.xml": sitemap([...listed, "/alone"]), "/alone": page("/alone") },
    unlinked: ["/alone"],
    pages: ["/alone"]
  },
  { rule: "endless_addresses", changes: { "/a": page("/a", { links: ["/", "/x/x/x/x"] }) }, pages: start },
  { rule: "sitemap_missing", changes: { "/robots.txt": notFound, "/sitemap.xml": notFound }, pages: start },
  {
    rule: "sitemap_invalid",
    changes: { "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: "<urlset><url>" } },
    pages: start
  },
  {
    rule: "sitemap_values_invalid",
    changes: {
      "/sitemap.xml": {
        headers: { "content-type": "application/xml" },
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.map((path) => `<url><loc>${origin}${path}</loc><lastmod>2024-31-05</lastmod></url>`).join("")}</urlset>`
      }
    },
    pages: start
  },
  { rule: "sitemap_named_but_absent", changes: { "/sitemap.xml": notFound }, pages: start },
  {
    rule: "sitemap_foreign_urls",
    changes: { "/sitemap.xml": sitemap([...listed, "https://other.test/"]) },
    pages: start
  },
  { rule: "sitemap_lists_errors", changes: { "/sitemap.xml": sitemap([...listed, "/gone"]) }, pages: ["/gone"] },
  {
    rule: "sitemap_lists_redirects",
    changes: { "/sitemap.xml": sitemap([...listed, "/r"]), "/r": redirect("/a") },
    pages: ["/r"]
  },
  {
    rule: "sitemap_lists_noindex",
    changes: {
      "/sitemap.xml": sitemap([...listed, "/x"]),
      "/x": page("/x", { head: "<meta name=robots content=none>" })
    },
    pages: ["/x"]
  },
  {
    rule: "sitemap_lists_canonicalised",
    changes: { "/sitemap.xml": sitemap([...listed, "/x"]), "/x": page("/x", { canonical: "/a" }) },
    pages: ["/x"]
  },
  {
    rule: "sitemap_lists_blocked",
    changes: { "/sitemap.xml": sitemap([...listed, "/private/x"]) },
    pages: ["/private/x"]
  },
  { rule: "page_not_in_sitemap", changes: { "/x": page("/x") }, pages: ["/x"] },
  { rule: "hreflang_invalid", changes: { "/a": head(`${hreflang("english", "/a")}`) }, pages: ["/a"] },
  {
    rule: "hreflang_relative",
    changes: { "/a": head('<link rel="alternate" hreflang="en" href="/a">') },
    pages: ["/a"]
  },
  {
    rule: "hreflang_conflicting",
    changes: { "/a": head(`${hreflang("en", "/a")}${hreflang("en", "/b")}`) },
    pages: ["/a"]
  },
  {
    rule: "hreflang_default_conflicting",
    changes: Object.fromEntries(
      ["/a", "/b"].map((path) => [
        path,
        page(path, { head: `${hreflang("en", "/a")}${hreflang("de", "/b")}${hreflang("x-default", path)}` })
      ])
    ),
    pages: ["/a", "/b"]
  },
  {
    rule: "hreflang_self_missing",
    changes: {
      "/a": head(hreflang("de", "/b")),
      "/b": page("/b", { head: `${hreflang("en", "/a")}${hreflang("de", "/b")}` })
    },
    pages: ["/a"]
  },
  {
    rule: "hreflang_no_return",
    changes: { "/a": head(`${hreflang("en", "/a")}${hreflang("de", "/b")}`) },
    pages: ["/a"]
  },
  {
    rule: "hreflang_to_unindexable",
    changes: { "/a": head(`${hreflang("en", "/a")}${hreflang("de", "/gone")}`), "/gone": notFound },
    pages: ["/a"],
    unlinked: ["/gone"]
  },
  {
    rule: "next_to_error",
    changes: { "/a": head('<link rel="next" href="/a/2">'), "/a/2": notFound },
    pages: ["/a"],
    unlinked: ["/a/2"]
  },
  {
    rule: "language_missing",
    changes: { "/a": bare(`<!doctype html><meta charset=utf-8><title>A</title><h1>A</h1>${words}<a href=/>home</a>`) },
    pages: ["/a"]
  },
  {
    rule: "language_invalid",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en-en><meta charset=utf-8><title>A</title><h1>A</h1>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  {
    rule: "viewport_missing",
    changes: {
      "/a": bare(
        `<!doctype html><html lang=en><meta charset=utf-8><title>A</title><h1>A</h1>${words}<a href=/>home</a>`
      )
    },
    pages: ["/a"]
  },
  {
    rule: "quirks_mode",
    changes: { "/a": bare(`<html lang=en><meta charset=utf-8><title>A</title><h1>A</h1>${words}<a href=/>home</a>`) },
    pages: ["/a"]
  },
  {
    rule: "charset_undeclared",
    changes: {
      "/a": {
        headers: { "content-type": "text/html" },
        body: `<!doctype html><title>A</title><h1>A</h1>${words}<a href=/>home</a>`
      }
    },
    pages: ["/a"]
  },
  {
    rule: "charset_not_utf8",
    changes: {
      "/a": {
        headers: { "content-type": "text/html; charset=iso-8859-1" },
        body: `<!doctype html><title>A</title><h1>A</h1>${words}<a href=/>home</a>`
      }
    },
    pages: ["/a"]
  },
  { rule: "page_over_2mb", changes: { "/a": body(`<!--${"x".repeat(2_200_000)}-->`) }, pages: ["/a"] },
  { rule: "markup_too_deep", changes: { "/a": body("<b>".repeat(500_000)) }, pages: ["/a"] },
  {
    rule: "structured_data_syntax",
    changes: { "/a": head('<script type="application/ld+json">{"@context":}</script>') },
    pages: ["/a"]
  },
  {
    rule: "structured_data_empty",
    changes: { "/a": head('<script type="application/ld+json">[]</script>') },
    pages: ["/a"]
  },
  {
    rule: "structured_data_untyped",
    changes: { "/a": head('<script type="application/ld+json">{"name":"x"}</script>') },
    pages: ["/a"]
  },
  { rule: "mixed_content", changes: { "/a": body('<img alt=x src="http://site.test/x.png">') }, pages: ["/a"] },
  {
    rule: "page_over_http",
    changes: {
      "/a": body('<a href="http://site.test/plain">plain</a>'),
      "/plain": page("/plain", { links: [`${origin}/`] })
    },
    pages: [`http://site.test/plain`],
    unlinked: ["/plain"]
  },
  {
    rule: "resource_broken",
    changes: { "/a": body('<script src="/gone.js"></script>'), "/gone.js": notFound },
    unlinked: ["/gone.js"],
    pages: ["/a"]
  },
  {
    rule: "image_heavy",
    changes: {
      "/a": body('<img src="/large.png" alt="Large">'),
      "/large.png": { headers: { "content-length": "300001" }, body: "" }
    },
    unlinked: ["/large.png"],
    pages: ["/a"]
  },
  {
    rule: "external_link_broken",
    changes: { "/a": body('<a href="https://elsewhere.test/lost">lost</a>') },
    options: { checkExternalLinks: true },
    pages: ["/a"]
  },
  {
    rule: "unreachable_page",
    changes: {
      "/sitemap.xml": sitemap([...listed, "/island"]),
      "/island": page("/island", { links: ["/", "/beach"] }),
      "/beach": page("/beach", { links: ["/", "/island/end"] }),
      "/island/end": page("/island/end")
    },
    unlinked: ["/island", "/beach", "/island/end"],
    pages: ["/beach", "/island/end"]
  },
  {
    rule: "hreflang_missing",
    changes: Object.fromEntries(["/en/x", "/de/x", "/en/y", "/de/y"].map((path) => [path, page(path)])),
    pages: ["/en/x", "/de/x", "/en/y", "/de/y"]
  },
  { rule: "image_dimensions_missing", changes: { "/a": body("<img alt=x src=/x.png>") }, pages: ["/a"] },
  { rule: "link_fragment_missing", changes: { "/a": page("/a", { links: ["/", "/b#nowhere"] }) }, pages: ["/a"] },
  { rule: "link_text_generic", changes: { "/a": body('<a href="/b">Read more …</a>') }, pages: ["/a"] },
  {
    rule: "open_graph_relative",
    changes: { "/a": head('<meta property="og:image" content="/card.png">') },
    pages: ["/a"]
  },
  { rule: "open_graph_missing", changes: { "/a": canonical(link(`${origin}/a`)) }, pages: ["/a"] },
  {
    rule: "structured_data_required",
    changes: {
      "/a": head(
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"x"}</script>'
      )
    },
    pages: ["/a"]
  },
  {
    rule: "sitemap_lastmod_implausible",
    changes: {
      "/sitemap.xml": {
        headers: { "content-type": "application/xml" },
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.map((path) => `<url><loc>${origin}${path}</loc><lastmod>2999-01</lastmod></url>`).join("")}</urlset>`
      }
    },
    pages: start
  },
  {
    rule: "response_slow",
    changes: Object.fromEntries(["/a", "/b", "/c"].map((path) => [path, { ...page(path), firstByte: 801 }])),
    pages: start
  }
]
