import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { page, siteOf } from "./site.ts"
import { call } from "./wire.ts"

const it = suite(Server.layerWithWorkers)

describe("an agent's loop", () => {
  it("finds a site's faults, reads how to repair them, and has its repairs verified", function* () {
    const { key } = yield* Server.customer()
    const site = yield* siteOf({
      "about.html": page("About the shop", 'Back to the <a href="/">start</a>.').replace(/<title>.*<\/title>/, ""),
      "index.html": page(
        "A small shop",
        'Read <a href="/about.html">about us</a>, or see the <a href="/sale.html">sale</a>.'
      )
    })
    const added = yield* call(key, "add_site", { url: site.url })
    expect(added.answer).toMatchObject({ created: true, url: site.url })
    expect((yield* call(key, "add_site", { url: site.url })).answer).toMatchObject({
      created: false,
      id: added.answer.id
    })
    expect((yield* call(key, "list_sites", { host: "127.0.0" })).answer).toMatchObject({
      next_cursor: null,
      rows: [{ id: added.answer.id }],
      total: 1
    })

    const first = yield* call(key, "start_run", { site: new URL(site.url).host, wait_seconds: 50 })
    expect(first.answer).toMatchObject({ phase: "finished", site: added.answer.id, status: "completed" })
    expect(first.answer.worst.map(({ rule }: { rule: string }) => rule)).toContain("title_missing")

    const fixes = yield* call(key, "read_fixes", { limit: 1, severity: "critical", site: added.answer.id })
    const ids = fixes.answer.rows.map(({ id }: { id: string }) => id)
    expect(ids).toContain("fix_title_missing")
    expect(ids).toContain("fix_broken_link")
    expect(fixes.answer.rows[0].agent_prompt).toContain("Goal: ")
    expect(fixes.answer.rows[1].agent_prompt).toBeUndefined()
    const one = yield* call(key, "read_fixes", { fix: "fix_title_missing", run: first.answer.id })
    const [, tag] = /^<(evidence-[a-z0-9]+)>$/m.exec(one.answer.agent_prompt) ?? []
    expect(tag).toBeString()
    expect(one.answer.agent_prompt).toContain(`</${tag}>`)
    expect(one.answer.agent_prompt).toContain("about.html")

    const found = yield* call(key, "list_findings", { rule: "title_missing", url: "about" })
    expect(found.answer).toMatchObject({ next_cursor: null, run: first.answer.id, total: 1 })
    expect(found.answer.rows).toEqual([
      { detail: expect.any(String), rule: "title_missing", severity: "critical", url: `${site.url}about.html` }
    ])

    yield* site.edit("about.html", (text) => text.replace("<head>", "<head><title>About the shop</title>"))
    yield* site.edit("index.html", (text) => text.replace('<a href="/sale.html">sale</a>', "sale"))
    const verified = yield* call(key, "verify_fixes", {
      rules: ["title_missing", "broken_link"],
      run: first.answer.id,
      wait_seconds: 50
    })
    expect(verified.answer).toMatchObject({ rows: [], total: 0, verifies: first.answer.id })
    expect(new Set(verified.answer.rules)).toEqual(
      new Set(["title_missing", "broken_link"].map((rule) => ({ fixed: 1, not_assessable: 0, rule, still_failing: 0 })))
    )

    const second = yield* call(key, "start_run", { site: added.answer.id, wait_seconds: 50 })
    const compared = yield* call(key, "compare_runs", { site: added.answer.id })
    expect(compared.answer).toMatchObject({ against: first.answer.id, run: second.answer.id })
    expect(compared.answer.score.delta).toBeGreaterThan(0)
    const repaired = compared.answer.rows.flatMap((row: { kind: string; rule: string }) =>
      row.kind === "fixed" ? [row.rule] : []
    )
    expect(repaired).toContain("title_missing")
    expect(repaired).toContain("broken_link")
    expect(compared.answer.total.new).toBe(0)
  })
})
