import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { run } from "../../cli.ts"
import { html } from "../../crawl/site/Html.ts"
import { serve } from "../../crawl/site/Server.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

// Without a browser, stderr would say that nothing is rendered.
const environment = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8", FINDABLE_RENDER: "off" }

/** A site of two pages; the second one's title and links change. */
const site = (second: { readonly title: string; readonly links: ReadonlyArray<string> }) =>
  serve(() => ({ url }, response) => {
    const send = (status: number, body: string) => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" })
      response.end(body)
    }
    if (url === "/") return send(200, html({ title: "Home", links: ["/second"] }))
    return url === "/second" ? send(200, html(second)) : send(404, "no")
  })

const explained = { ...environment, FINDABLE_CRAWLER_URL: "https://agency.example/bot" }

const crawl = (...words: ReadonlyArray<string>) => run(environment, "crawl", ...words)

describe("the gate of findable crawl", () => {
  it("ends with 0 when no condition fails, with 2 when one fails, and with 1 when one cannot be checked", () =>
    Effect.gen(function* () {
      const { origin } = yield* site({ title: "Second", links: ["/", '/gone,"1"'] })
      const [clean, failed, blind, unknown] = yield* Effect.all(
        [
          crawl(origin, "--fail-on", "score<10", "--format", "csv"),
          crawl(origin, "--fail-on", "score<10", "--fail-on", "warning", "--format", "junit"),
          crawl(origin, "--fail-on", "new:critical"),
          crawl(origin, "--fail-on", "severe")
        ],
        { concurrency: 2 }
      )
      expect(clean).toMatchObject({ code: 0, stderr: "" })
      expect(clean.stdout).toContain(`critical,broken_link,Broken link,links,${origin}/second,`)
      expect(failed.code).toBe(2)
      expect(failed.stderr).toContain("Failed by --fail-on warning: ")
      expect(failed.stdout).toStartWith('<?xml version="1.0" encoding="UTF-8"?>')
      expect(blind).toMatchObject({ code: 1, stdout: "" })
      expect(blind.stderr).toContain(
        "--fail-on new:critical needs an earlier report to compare with. Add --baseline FILE."
      )
      expect(unknown).toMatchObject({ code: 1 })
    }).pipe(Effect.scoped))

  it("compares with a baseline, and refuses a file that is no report", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [baseline, wrong] = [join(path, "before.json"), join(path, "wrong.json")]
      const page = { title: "Second", links: ["/"] }
      const { origin } = yield* site(page)
      const before = yield* crawl(origin, "--json")
      writeFileSync(baseline, before.stdout)
      writeFileSync(wrong, "{}")
      const result = yield* Schema.decode(Schema.parseJson(CrawlResult))(before.stdout)
      expect(result.summary.crawl).toMatchObject({
        version: "0.1.0",
        user_agent: expect.stringContaining("FindableBot")
      })

      const words = [origin, "--baseline", baseline, "--fail-on", "new:info", "--format"]
      const same = yield* crawl(...words, "json")
      expect({ code: same.code, stderr: same.stderr }).toEqual({ code: 0, stderr: "" })
      expect(JSON.parse(same.stdout)).toMatchObject({
        gate: { failed: [] },
        diff: { findings: { new: [], fixed: [], not_comparable: [] }, pages: { changed: [] } }
      })
      page.title = "Second page, a title that is far longer than the seventy characters that are shown"
      const worse = yield* crawl(...words, "sarif")
      expect(worse.code).toBe(2)
      expect(JSON.parse(worse.stdout).runs[0].results).toContainEqual(
        expect.objectContaining({ ruleId: "title_long", level: "note", baselineState: "new" })
      )
      expect(yield* crawl(origin, "--baseline", wrong)).toMatchObject({
        code: 1,
        stderr: `findable: The baseline ${wrong} is not a crawl report. Create one with crawl --format json.\n`
      })
    }).pipe(Effect.scoped))
})

it("a crawl names the page that explains it, and refuses a setting that is no URL", () =>
  Effect.gen(function* () {
    const { origin } = yield* site({ title: "Second", links: ["/"] })
    const { stdout } = yield* run(explained, "crawl", origin, "--json")
    expect(JSON.parse(stdout).summary.crawl.user_agent).toBe(
      "Mozilla/5.0 (compatible; FindableBot/1.0; +https://agency.example/bot)"
    )
    const refused = yield* run({ ...environment, FINDABLE_CRAWLER_URL: "bot" }, "crawl", origin)
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain("FINDABLE_CRAWLER_URL")
  }).pipe(Effect.scoped))

it("a crawl ends with its report, not when the site closes its idle connections", () =>
  Effect.gen(function* () {
    const site = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const page = html({ title: "Home" })
        const fetch = () => new Response(page, { headers: { "content-type": "text/html" } })
        return Bun.serve({ fetch, hostname: "127.0.0.1", idleTimeout: 120, port: 0 })
      }),
      (server) => Effect.promise(() => server.stop(true))
    )
    // The campaign `deadlines` measures the time.
    expect((yield* crawl(site.url.href, "--json")).code).toBe(0)
  }).pipe(Effect.scoped))
