import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { KnownRule } from "../../../src/app/operator/Reports.ts"
import { run } from "../../cli.ts"
import { html } from "../../crawl/site/Html.ts"
import { serve } from "../../crawl/site/Server.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

// Without a browser, stderr would say that nothing is rendered.
const environment = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8", FINDABLE_RENDER: "off" }
const cli = (...words: ReadonlyArray<string>) => run(environment, ...words)

/** Three pages; the links of the second and the title of the third change. */
const shop = Effect.gen(function* () {
  const asked: Array<string> = []
  const state = { link: "/gone", title: "" }
  const { origin } = yield* serve(() => ({ url = "" }, response) => {
    asked.push(url)
    const pages: Record<string, string> = {
      "/": html({ title: "Home", links: ["/oak", "/ash"] }),
      "/oak": html({ title: "Oak", links: [state.link] }),
      "/ash": html({ title: state.title, links: ["/"] })
    }
    response.writeHead(pages[url] === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" })
    response.end(pages[url] ?? "no")
  })
  return { asked, origin, state }
})

it("a report is rechecked, fixed by its directives, and compared without a database", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const { asked, origin, state } = yield* shop
    const [before, after, again] = ["before", "after", "again"].map((name) => join(path, `${name}.json`))
    if (before === undefined || after === undefined || again === undefined) return
    writeFileSync(before, (yield* cli("crawl", origin, "--format", "json")).stdout)

    const fixes = yield* cli("fixes", before, "--rule", "broken_link")
    expect(fixes.stdout).toContain("recheck before.json, the report behind them, for broken_link")
    expect(fixes.stdout).not.toContain(path)
    expect(fixes.stdout.match(/^## /gm)).toHaveLength(1)

    state.link = "/"
    asked.length = 0
    const half = yield* cli("verify", before, "--rule", "broken_link", "--rule", "title_missing")
    expect(half).toMatchObject({ code: 2, stderr: "findable: 1 of 2 issues is not fixed\n" })
    expect(half.stdout).toContain("Rechecked  1 fixed, 1 still failing, 0 not checked")
    expect(half.stdout).toMatch(/^ {2}still failing +\S+\/ash/m)
    expect(new Set(asked.filter((url) => url === "/oak" || url === "/ash"))).toEqual(new Set(["/oak", "/ash"]))

    state.title = "Ash"
    const done = yield* cli("verify", before, "--rule", "broken_link", "--rule", "title_missing", "--json")
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(done.stdout)).toMatchObject({
      score: { has_data: false },
      verification: [{ verdict: "fixed" }, { verdict: "fixed" }]
    })
    writeFileSync(again, done.stdout)
    writeFileSync(after, (yield* cli("crawl", origin, "--json")).stdout)

    const [whole, part] = yield* Effect.all([cli("diff", before, after), cli("diff", before, again)], {
      concurrency: 2
    })
    expect(whole.stdout).toStartWith("Changes  0 new, 4 fixed, ")
    expect(whole.stdout).toContain("broken links: 0 new, 1 fixed")
    expect(part).toMatchObject({ code: 1, stderr: expect.stringContaining("covers only a part") })
  }).pipe(Effect.scoped))

test("an unknown check is refused with the most similar known check", () => {
  const said = Either.mapLeft(Schema.decodeEither(KnownRule)("broken_links"), ({ message }) => message)
  expect(said).toEqual(Either.left(expect.stringContaining("Did you mean broken_link?")))
  expect(Schema.is(KnownRule)("broken_link")).toBe(true)
})

it("a crawl that checked external links is rechecked by requesting them again", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const asked: Array<string> = []
    const other = yield* serve(() => ({ method, url = "" }, response) => {
      asked.push(`${method} ${url}`)
      response.writeHead(404).end("no")
    })
    const { origin } = yield* serve(() => ({ url }, response) => {
      response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" })
      response.end(html({ title: "Home", links: [`${other.origin}/lost`] }))
    })
    const [plain, before] = [join(path, "plain.json"), join(path, "before.json")]
    writeFileSync(plain, (yield* cli("crawl", origin, "--format", "json")).stdout)
    expect((yield* cli("verify", plain, "--rule", "external_link_broken")).code).toBe(0)
    expect(asked).toEqual([])
    writeFileSync(before, (yield* cli("crawl", origin, "--check-external-links", "--format", "json")).stdout)
    const confirmed = ["GET /robots.txt", "HEAD /lost", "GET /lost", "GET /lost"]
    expect(asked).toEqual(confirmed)
    const again = yield* cli("verify", before, "--rule", "external_link_broken")
    expect(again.stdout).toContain("Rechecked  0 fixed, 1 still failing, 0 not checked")
    expect(asked).toEqual([...confirmed, ...confirmed])
  }).pipe(Effect.scoped))
