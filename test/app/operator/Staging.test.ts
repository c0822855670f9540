import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../cli.ts"
import * as Command from "../../command.ts"
import { html } from "../../crawl/site/Html.ts"
import { serve } from "../../crawl/site/Server.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

const secret = `Basic ${Buffer.from("ci:s3cret-of-staging").toString("base64")}`
const login = ["--header", `Authorization: ${secret}`, "--header", "X-Preview: s3cret-too"]

/** A staging site that returns 401 without its credentials, and another site that it links to and redirects its robots.txt to. */
const staging = Effect.gen(function* () {
  const [inside, outside]: [Array<IncomingHttpHeaders>, Array<IncomingHttpHeaders>] = [[], []]
  const asked: Array<string> = []
  const other = yield* serve(() => ({ headers, url }, response) => {
    outside.push(headers)
    response.writeHead(url === "/robots.txt" ? 200 : 404).end("User-agent: *\nDisallow: /closed")
  })
  const { origin } = yield* serve(() => ({ headers, url = "" }, response) => {
    asked.push(url)
    if (headers.authorization !== secret) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="staging"' }).end("no")
      return
    }
    inside.push(headers)
    if (url === "/robots.txt") return response.writeHead(301, { location: `${other.origin}/robots.txt` }).end()
    if (url === "/away") return response.writeHead(302, { location: `${other.origin}/landing` }).end()
    const pages: Record<string, string> = {
      "/": html({
        title: "Home",
        links: ["/docs/a", "/docs/b.pdf", "/admin/users", "/blog", "/away", `${other.origin}/x`]
      }),
      "/docs/a": html({ title: "", links: ["/"] }),
      "/blog": html({ title: "Blog", links: ["/"] }),
      "/admin/users": html({ title: "Users", links: ["/"] })
    }
    response.writeHead(pages[url] === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" })
    response.end(pages[url] ?? "no")
  })
  return { asked, inside, origin, other, outside }
})

const open = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" }

describe("a staging site behind a sign-in", () => {
  it("refuses a crawl without its header, and is crawled and rechecked with it, only within the given globs", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { asked, origin } = yield* staging
      const closed = yield* run({}, "crawl", origin)
      expect(closed).toMatchObject({ code: 1, stdout: "" })
      expect(closed.stderr).toContain("it returns 401")

      asked.length = 0
      const globs = ["--include", "/docs/*", "--include", "/admin/*", "--exclude", "*.pdf", "--exclude", "/admin/*"]
      const { code, stderr, stdout } = yield* run(open, "crawl", origin, ...login, ...globs, "--json")
      expect([code, stderr]).toEqual([0, ""])
      const isPage = (url: string) => !/^\/(?:findable-probe|robots\.txt|sitemap\.xml)/.test(url)
      expect(new Set(asked.filter(isPage))).toEqual(new Set(["/", "/docs/a"]))
      const { limits, pages } = JSON.parse(stdout).summary
      expect(limits).toMatchObject({ exclude: ["*.pdf", "/admin/*"], include: ["/docs/*", "/admin/*"] })
      expect(pages).toEqual({ discovered: 6, failed: 0, fetched: 2, skipped: 4 })

      const file = join(path, "report.json")
      writeFileSync(file, stdout)
      asked.length = 0
      const verified = yield* run(open, "verify", file, ...login, "--json")
      expect([verified.code, JSON.parse(verified.stdout).summary.limits.exclude]).toEqual([2, limits.exclude])
      expect(new Set(asked.filter(isPage))).toEqual(new Set(["/", "/docs/a"]))
    }).pipe(Effect.scoped))

  it("receives its headers with every request, and no other host and no report receives them", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { inside, origin, outside } = yield* staging
      const page = join(path, "report.html")
      const reports = yield* Effect.forEach(
        ["text", "json", "html", "csv", "sarif", "junit"],
        (format) => run(open, "crawl", origin, ...login, "--check-external-links", "--html", page, "--format", format),
        { concurrency: 2 }
      )
      expect(reports.map(({ code, stderr }) => [code, stderr])).toEqual(reports.map(() => [0, ""]))
      const said = [...reports.map(({ stdout }) => stdout), readFileSync(page, "utf8")].join("\n")
      for (const hidden of [secret, secret.slice(6), "s3cret"]) expect(said).not.toContain(hidden)
      expect(inside.every((headers) => headers["x-preview"] === "s3cret-too")).toBe(true)
      expect(outside.length).toBeGreaterThan(0)
      for (const headers of outside)
        expect([headers.authorization, headers["x-preview"]]).toEqual([undefined, undefined])
    }).pipe(Effect.scoped))
})

it("bad values are refused in one line that names the option and shows no part of a header's value", function* () {
  const wrong: ReadonlyArray<readonly [option: string, value: string, said: string]> = [
    ["--header", "s3cret", "needs a name"],
    ["--header", "Host: s3cret", "cannot set Host"],
    ["--header", "content-length: 3", "cannot set content-length"],
    ["--header", "Transfer-Encoding: s3cret", "cannot set Transfer-Encoding"],
    ["--header", "User-Agent: s3cret", "use the option for the user agent"],
    ["--header", "X-A: s3cret\r\nX-B: s3cret", "has a value for X-A that cannot be sent"],
    ["--header", "X-A: \u{1f511}s3cret", "has a value for X-A that cannot be sent"],
    ["--header", "X A: s3cret", "needs a name"],
    ["--header", "X-A:", "has no value for X-A"],
    ["--exclude", "admin/*", "begins with / or *"],
    ["--include", "https://site.test/*", "begins with / or *"],
    ["--rate", "0", "above 0"],
    ["--rate", "NaN", "above 0"],
    ["--rate", "Infinity", "above 0"],
    ["--user-agent", "caf\u00e9", "visible ASCII"],
    ["--user-agent", "", "visible ASCII"]
  ]
  yield* Effect.forEach(
    wrong,
    ([option, value, said]) =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* Command.run({}, "crawl", "http://127.0.0.1:2/", option, value)
        expect([value, code, stdout]).toEqual([value, 1, ""])
        expect(stderr).toStartWith(`findable: crawl: ${option} `)
        expect(stderr).toContain(said)
        expect(stderr).not.toContain("s3cret")
        expect(stderr.trim().split("\n")).toHaveLength(1)
      }),
    { concurrency: 2, discard: true }
  )
  const twice = yield* Command.run({}, "crawl", "http://127.0.0.1:2/", "--header", "X: 1", "--header", "x: 2")
  expect(twice.stderr).toStartWith("findable: crawl: --header names the same header field twice.")
})
