import { describe, expect } from "bun:test"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import type { MeasuredPage } from "../../src/crawl/report/MeasuredPage.ts"
import { suite } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import { type Handler, serve } from "./site/Server.ts"

type States = Pick<
  MeasuredPage,
  "fetch_state" | "indexability_state" | "health_state" | "health_reason" | "http_status"
>

/** A page of the hostile site: its response, and its expected states. */
interface Kind {
  readonly path: string
  readonly answer: Handler
  readonly states: States
  /** Not linked from the start page, but from another kind. */
  readonly hidden?: true
}

const state = (
  http_status: number | null,
  fetch_state: States["fetch_state"],
  indexability_state: States["indexability_state"],
  health_state: States["health_state"],
  health_reason: States["health_reason"]
): States => ({ http_status, fetch_state, indexability_state, health_state, health_reason })

const ok = state(200, "fetched", "indexable", "eligible", "ok")

const loop = state(302, "redirected", "not_indexable", "redirect", "redirect_loop")

const send = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer = ""
) => {
  response.writeHead(status, headers)
  response.end(body)
}

const page =
  (
    title: string,
    parts: { readonly head?: string; readonly body?: string; readonly links?: ReadonlyArray<string> } = {}
  ): Handler =>
  (_, response) =>
    send(response, 200, { "content-type": "text/html; charset=utf-8" }, html({ title, ...parts }))

const raw =
  (status: number, headers: Record<string, string>, body: string | Buffer = ""): Handler =>
  (_, response) =>
    send(response, status, headers, body)

const redirect = (status: number, location: string): Handler => raw(status, { location })

const type = { "content-type": "text/html" }

const kinds: ReadonlyArray<Kind> = [
  { path: "/plain", answer: page("Plain"), states: ok },
  {
    path: "/moved",
    answer: redirect(301, "/plain"),
    states: state(301, "redirected", "not_indexable", "redirect", "redirect_permanent")
  },
  {
    path: "/moved308",
    answer: redirect(308, "/plain"),
    states: state(308, "redirected", "not_indexable", "redirect", "redirect_permanent")
  },
  {
    path: "/found",
    answer: redirect(302, "/plain"),
    states: state(302, "redirected", "not_indexable", "redirect", "redirect_temporary")
  },
  {
    path: "/chain1",
    answer: redirect(301, "/chain2"),
    states: state(301, "redirected", "not_indexable", "redirect", "redirect_permanent")
  },
  {
    path: "/chain2",
    answer: redirect(307, "plain"),
    hidden: true,
    states: state(307, "redirected", "not_indexable", "redirect", "redirect_temporary")
  },
  { path: "/loop-a", answer: redirect(302, "/loop-b"), states: loop },
  { path: "/loop-b", answer: redirect(302, "/loop-a"), hidden: true, states: loop },
  { path: "/self", answer: redirect(302, "/self"), states: loop },
  {
    path: "/offsite",
    answer: redirect(302, "http://127.0.0.2:2/elsewhere"),
    states: state(302, "redirected", "not_indexable", "redirect", "redirect_offsite")
  },
  {
    path: "/to-private",
    answer: redirect(301, "/private/gate"),
    states: state(301, "redirected", "not_indexable", "redirect", "redirect_permanent")
  },
  {
    path: "/private/gate",
    answer: page("Never"),
    hidden: true,
    states: state(null, "blocked_by_robots", "blocked_by_robots", "hidden", "blocked_by_robots")
  },
  {
    path: "/private/linked",
    answer: page("Never"),
    states: state(null, "blocked_by_robots", "blocked_by_robots", "hidden", "blocked_by_robots")
  },
  {
    path: "/404",
    answer: raw(404, type, "no"),
    states: state(404, "http_error", "not_indexable", "failed", "http_4xx")
  },
  {
    path: "/410",
    answer: raw(410, type, "gone"),
    states: state(410, "http_error", "not_indexable", "failed", "http_4xx")
  },
  {
    path: "/403",
    answer: raw(403, type, "no"),
    states: state(403, "http_error", "not_indexable", "failed", "http_4xx")
  },
  {
    path: "/500",
    answer: raw(500, type, "oh"),
    states: state(500, "http_error", "not_indexable", "failed", "http_5xx")
  },
  {
    path: "/flaky503",
    answer: (request, response, asked) =>
      asked === 0 ? send(response, 503, { "retry-after": "0" }) : page("Recovered")(request, response, asked),
    states: ok
  },
  {
    path: "/flaky404",
    answer: (request, response, asked) =>
      asked === 0 ? send(response, 404, type) : page("Back")(request, response, asked),
    states: ok
  },
  { path: "/429", answer: raw(429, type), states: state(429, "http_error", "unknown", "unchecked", "rate_limited") },
  {
    path: "/challenge",
    answer: raw(403, { ...type, "cf-mitigated": "challenge" }, "wait"),
    states: state(403, "http_error", "unknown", "unchecked", "bot_challenge")
  },
  {
    path: "/interstitial",
    answer: raw(503, type, "<script>window._cf_chl_opt={}</script>"),
    states: state(503, "http_error", "unknown", "unchecked", "bot_challenge")
  },
  { path: "/hang", answer: () => undefined, states: state(null, "timed_out", "unknown", "unchecked", "timed_out") },
  {
    path: "/drip",
    answer: (_, response) => {
      response.writeHead(200, type)
      response.write("<p>never ends")
    },
    states: state(null, "timed_out", "unknown", "unchecked", "timed_out")
  },
  {
    path: "/reset",
    answer: (request) => void request.socket.resetAndDestroy(),
    states: state(null, "connection_failed", "unknown", "unchecked", "connection_failed")
  },
  {
    path: "/cut",
    answer: (request, response) => {
      response.writeHead(200, { ...type, "content-length": "5000" })
      response.write("<p>half", () => request.socket.destroy())
    },
    states: state(null, "connection_failed", "unknown", "unchecked", "connection_failed")
  },
  {
    path: "/noindex-meta",
    answer: page("Hidden", { head: '<meta name="ROBOTS" content="NOINDEX, follow">' }),
    states: state(200, "fetched", "noindex", "hidden", "noindex_meta")
  },
  {
    path: "/none",
    answer: page("None", { head: "<meta name=robots content=none>" }),
    states: state(200, "fetched", "noindex", "hidden", "noindex_meta")
  },
  {
    path: "/expired",
    answer: page("Expired", { head: '<meta name=robots content="unavailable_after: 2020-01-01">' }),
    states: state(200, "fetched", "noindex", "hidden", "noindex_meta")
  },
  {
    path: "/noindex-header",
    answer: raw(200, { ...type, "x-robots-tag": "noindex" }, html({ title: "Header" })),
    states: state(200, "fetched", "noindex", "hidden", "noindex_header")
  },
  {
    path: "/other-bot",
    answer: raw(200, { ...type, "x-robots-tag": "otherbot: noindex" }, html({ title: "Other bot" })),
    states: ok
  },
  {
    path: "/noindex-in-body",
    answer: page("In body", { head: "<img src=/x.png alt=x><meta name=robots content=noindex>" }),
    states: ok
  },
  {
    path: "/canonical",
    answer: page("Copy", { head: '<link rel=canonical href="/plain">' }),
    states: state(200, "fetched", "canonicalised", "hidden", "canonical_elsewhere")
  },
  {
    path: "/canonical-header",
    answer: raw(200, { ...type, link: '</plain>; rel="canonical"' }, html({ title: "Copy by header" })),
    states: state(200, "fetched", "canonicalised", "hidden", "canonical_elsewhere")
  },
  {
    path: "/canonical-self",
    answer: page("Self", { head: '<link rel=canonical href="/canonical-self#top">' }),
    states: ok
  },
  {
    path: "/canonical-both",
    answer: page("Both", { head: '<link rel=canonical href="/plain"><link rel=canonical href="/canonical-self">' }),
    states: ok
  },
  {
    path: "/file.pdf",
    answer: raw(200, { "content-type": "application/pdf" }, "%PDF-1.7"),
    states: state(200, "not_html", "unknown", "unchecked", "not_html")
  },
  {
    path: "/huge",
    answer: raw(200, { ...type, "content-encoding": "gzip" }, gzipSync(Buffer.alloc(11 * 1024 * 1024, 97))),
    states: state(200, "too_large", "unknown", "unchecked", "too_large")
  },
  {
    path: "/upper",
    answer: raw(
      200,
      type,
      `<HTML LANG=en><HEAD><TITLE>Upper</TITLE></HEAD><BODY><A HREF=/from-upper>x</A>${"word ".repeat(60)}</BODY></HTML>`
    ),
    states: ok
  },
  { path: "/from-upper", answer: page("From upper"), hidden: true, states: ok },
  { path: "/base", answer: page("Base", { head: "<base href=/deep/er/>", links: ["from-base"] }), states: ok },
  { path: "/deep/er/from-base", answer: page("From base"), hidden: true, states: ok },
  { path: "/entities", answer: page("Entities", { body: '<a href=" /q?a=1&amp;b=&#50; ">x</a>' }), states: ok },
  { path: "/q?a=1&b=2", answer: page("Query"), hidden: true, states: ok },
  {
    path: "/latin1",
    answer: raw(
      200,
      { "content-type": "text/html; charset=iso-8859-1" },
      Buffer.from(html({ title: "Caf\u00e9" }), "latin1")
    ),
    states: ok
  },
  {
    path: "/wrong-charset",
    answer: raw(200, { "content-type": "text/html; charset=x-no-such" }, html({ title: "Wrong charset" })),
    states: ok
  },
  {
    path: "/soft",
    answer: raw(200, type, "<!doctype html><title>Page not found</title><h1>Page not found</h1><a href=/>Home</a>"),
    states: state(200, "fetched", "not_indexable", "failed", "soft_404")
  },
  { path: "/empty", answer: raw(200, type), states: state(200, "fetched", "not_indexable", "failed", "soft_404") },
  {
    path: "/refresh",
    answer: page("Refresh", { head: '<meta http-equiv=refresh content="0; url=/plain">' }),
    states: state(200, "fetched", "not_indexable", "redirect", "redirect_permanent")
  }
]

const robots = "User-agent: *\nDisallow: /private/\n"

/** The whole hostile site: the start page links to every kind that is not reached through another. */
const site: Handler = (request, response, asked) => {
  const path = request.url ?? "/"
  if (path === "/robots.txt") return send(response, 200, { "content-type": "text/plain" }, robots)
  if (path === "/")
    return page("Home", { links: kinds.filter(({ hidden }) => hidden === undefined).map((kind) => kind.path) })(
      request,
      response,
      asked
    )
  const kind = kinds.find((each) => each.path === path)
  return kind === undefined ? send(response, 404, type) : kind.answer(request, response, asked)
}

class Crawled extends Effect.Service<Crawled>()("test/Crawled", {
  scoped: Effect.gen(function* () {
    const server = yield* serve(() => site)
    // 11 MiB are decoded meanwhile, which takes a busy machine longer than the short timeouts of other tests.
    const timing = { ...shortTiming, idleTimeout: 2000, pageDeadline: 2000 }
    const result = yield* report(`${server.origin}/`, { maxPages: 200, timing })
    return { result, server }
  }),
  dependencies: [loopback]
}) {}

describe("every kind of page gets its states", () => {
  const it = suite(Crawled.Default)
  for (const kind of kinds) {
    it(`${kind.path} is ${kind.states.health_reason}`, function* () {
      const { result, server } = yield* Crawled
      const page = result.pages.find(({ url }) => url === `${server.origin}${kind.path}`)
      expect(page).toMatchObject(kind.states)
    })
  }
  it("robots.txt is requested first, and no URL that it blocks is requested", function* () {
    const { server } = yield* Crawled
    expect(server.seen[0]?.path).toBe("/robots.txt")
    expect(server.seen.filter(({ path }) => path.startsWith("/private"))).toEqual([])
  })
  it("the crawl of the whole site is complete", function* () {
    const { result } = yield* Crawled
    expect(result.summary).toMatchObject({ complete: true, termination: "complete" })
  })
})
