import { expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../cli.ts"
import { html } from "../../crawl/site/Html.ts"
import { serve } from "../../crawl/site/Server.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

// No setting allows a private range here: a URL is reached only because it was typed.
const cli = (...words: ReadonlyArray<string>) => run({}, ...words)

/** A server that must never receive a request. */
const neighbour = serve(() => (_, response) => {
  response.writeHead(200, { "content-type": "text/html" })
  response.end(html({ title: "Neighbour" }))
})

it("a private URL on the command line is crawled, but no other private URL that it links to", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const other = yield* neighbour
    const { origin } = yield* serve((own) => ({ url }, response) => {
      const to = (location: string) => response.writeHead(302, { location }).end()
      if (url === "/robots.txt") return response.end(`Sitemap: ${other.origin}/sitemap.xml\nSitemap: ${own}/map.xml`)
      if (url === "/map.xml") return to(`${other.origin}/map.xml`)
      if (url === "/away") return to(`${other.origin}/private`)
      if (url === "/there") return to(`${other.origin}/back`)
      if (url === "/meta") return to("http://169.254.169.254/latest/meta-data/")
      if (url === "/again") return to(`${own}/page`)
      if (url !== "/" && url !== "/page") return response.writeHead(404).end("no")
      const elsewhere = [`${other.origin}/link`, "http://169.254.169.254/latest/meta-data/", "http://[::1]:1/"]
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
      response.end(html({ title: `Page ${url}`, links: ["/page", "/away", "/there", "/meta", "/again", ...elsewhere] }))
    })
    const { code, stderr, stdout } = yield* cli("crawl", origin, "--check-external-links", "--json")
    expect([code, stderr]).toEqual([0, ""])
    const report = JSON.parse(stdout)
    const reasons = report.pages.map((page: { health_reason: string; url: string }) => [
      new URL(page.url).pathname,
      page.health_reason
    ])
    expect(Object.fromEntries(reasons)).toEqual({
      "/": "ok",
      "/page": "ok",
      "/away": "redirect_offsite",
      "/there": "redirect_offsite",
      "/meta": "redirect_offsite",
      "/again": "redirect_temporary"
    })
    expect(report.summary.external_links).toMatchObject({ checked: 0, found: 0, unverified: 3 })
    expect(other.seen).toEqual([])

    const file = join(path, "report.json")
    writeFileSync(file, stdout)
    const verified = yield* cli("verify", file, "--json")
    expect([verified.code, verified.stderr]).toEqual([2, expect.stringContaining("not fixed")])
    expect(other.seen).toEqual([])
  }).pipe(Effect.scoped))

it("a private URL on the command line whose robots.txt or start page redirects to another private port is not followed", () =>
  Effect.gen(function* () {
    const other = yield* neighbour
    const robots = yield* serve(() => (_, response) => {
      response.writeHead(301, { location: `${other.origin}/robots.txt` }).end()
    })
    const unread = yield* cli("crawl", robots.origin, "--json")
    expect(JSON.parse(unread.stdout).summary.robots.state).toBe("unreachable")

    const moved = yield* serve(() => ({ url }, response) => {
      if (url === "/robots.txt") return response.writeHead(404).end()
      return response.writeHead(302, { location: `${other.origin}/` }).end()
    })
    const refused = yield* cli("crawl", moved.origin)
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain(`redirects to another site: ${other.origin}/`)
    expect(other.seen).toEqual([])
  }).pipe(Effect.scoped))

it("a host name of this machine is crawled over http; a URL with credentials is refused without being shown", () =>
  Effect.gen(function* () {
    const { origin } = yield* neighbour
    const { host, port } = new URL(origin)
    const bare = yield* cli("crawl", host, "--json")
    expect([bare.code, bare.stderr]).toEqual([0, ""])
    const secret = yield* cli("crawl", `http://me:hunter2@127.0.0.1:${port}/`)
    expect(secret).toMatchObject({ code: 1, stdout: "" })
    expect(secret.stderr).toContain("--header 'Authorization: Basic …'")
    expect(secret.stderr).not.toContain("hunter2")
  }).pipe(Effect.scoped))
