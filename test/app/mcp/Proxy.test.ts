import { describe, expect } from "bun:test"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { proxy } from "../../../src/app/mcp/Proxy.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import { run as command } from "../../cli.ts"
import { it as alone, suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { page, siteOf } from "./site.ts"
import { accepting, call, modern } from "./wire.ts"

const it = suite(Server.layerWithWorkers)

const utf8 = new TextEncoder()

const initialize = {
  id: 0,
  jsonrpc: "2.0",
  method: "initialize",
  params: { capabilities: {}, clientInfo: { name: "test", version: "1" }, protocolVersion: "2025-06-18" }
}

/** Sends lines to a server, split where a pipe may split them, and returns the responses. */
const carried = (url: string, key: string, lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const bytes = utf8.encode(lines.map((line) => `${line}\n`).join(""))
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.slice(at * 7, at * 7 + 7))
    yield* proxy({ key: Redacted.make(key), url }, Stream.fromIterable(pieces), (line) =>
      Effect.sync(() => void written.push(line))
    ).pipe(Effect.provide(FetchHttpClient.layer))
    return written.map((line) => JSON.parse(line))
  })

const through = (key: string, lines: ReadonlyArray<unknown>) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    carried(
      base,
      key,
      lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    )
  )

describe("findable mcp on standard input and output", () => {
  it("has the tools of the server, in the protocol version that both agreed on", function* () {
    const { account, key } = yield* Server.customer()
    yield* Server.projectOf(account, "https://größe.example/")
    const answers = yield* through(key, [
      initialize,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { id: "list", jsonrpc: "2.0", method: "tools/list" },
      { id: "sites", jsonrpc: "2.0", method: "tools/call", params: { name: "list_sites" } },
      modern("server/discover").message
    ])
    const of = (id: string | number) => answers.find((answer) => answer.id === id)
    expect(answers).toHaveLength(4)
    expect(of(0).result.protocolVersion).toBe("2025-06-18")
    expect(of("list").result.tools).toHaveLength(12)
    expect(JSON.parse(of("sites").result.content[0].text).total).toBe(1)
    expect(of("m").result.supportedVersions).toEqual(["2026-07-28"])
  })

  it("passes on progress, and reports a refusal of the server as an error of the request", function* () {
    const { key } = yield* Server.customer()
    const site = yield* siteOf({ "index.html": page("Start", "Alone.") })
    yield* through(key, [
      { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: { url: site.url }, name: "add_site" } }
    ])
    const call = { arguments: { site: site.url, wait_seconds: 50 }, name: "start_run" }
    const answers = yield* through(key, [
      { id: 2, jsonrpc: "2.0", method: "tools/call", params: { ...call, _meta: { progressToken: 7 } } },
      "no JSON"
    ])
    expect(answers).toContainEqual(expect.objectContaining({ method: "notifications/progress" }))
    expect(answers).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: -32700 }) }))
    expect(answers.at(-1)).toMatchObject({ id: 2, result: { content: [{ type: "text" }] } })
    const [refused] = yield* through("fnd_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", [initialize])
    expect(refused).toMatchObject({
      error: { message: "unauthorized: Invalid API key: the server does not know it. Check that you copied all of it" },
      id: 0
    })
  })

  it("ends a call that the agent cancels", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account, "https://example.com/")
    const { body: run } = yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
    const wait = { arguments: { run: run.data.id, wait_seconds: 50 }, name: "get_run" }
    const answers = yield* through(key, [
      { id: 5, jsonrpc: "2.0", method: "tools/call", params: wait },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } }
    ])
    expect(answers).toEqual([])
  })

  it("says what to do when no server answers or no key is set", function* () {
    const [answer] = yield* carried("http://127.0.0.1:2", "key", [JSON.stringify(initialize)])
    expect(answer.error.message).toContain("Start the server, or set FINDABLE_URL")
    const { code, stderr } = yield* command({}, "mcp")
    expect([code, stderr.trim()]).toEqual([1, "findable: No API key. Set FINDABLE_API_KEY to a key of the server."])
  })
})

describe("an agent's loop", () => {
  it("finds the issues of a site, reads their fixes, and has the fixes rechecked", function* () {
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

describe("a waiting call", () => {
  alone("returns the current state of the crawl when the server stops", function* () {
    const scope = yield* Scope.make()
    const server = yield* Layer.buildWithScope(Server.layer, scope)
    const { base, send } = Context.get(server, Server.TestServer)
    const { account, key } = yield* Effect.provide(Server.customer(), Context.pick(Accounts)(server))
    const { id } = yield* Effect.provide(Server.projectOf(account), Context.pick(Projects)(server))
    const { body: started } = yield* send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
    const call = {
      id: 1,
      jsonrpc: "2.0",
      method: "tools/call",
      params: {
        _meta: { progressToken: 1 },
        arguments: { run: started.data.id, wait_seconds: 50 },
        name: "get_run"
      }
    }
    const reader = yield* Effect.promise(async () => {
      const { body } = await fetch(`${base}/mcp`, {
        body: JSON.stringify(call),
        headers: { ...accepting, authorization: `Bearer ${key}`, "content-type": "application/json" },
        method: "POST"
      })
      return body?.pipeThrough(new TextDecoderStream()).getReader()
    })
    const next = Effect.promise(async () => reader?.read())
    expect((yield* next)?.value).toContain("notifications/progress")
    // Without a worker the crawl stays in the queue.
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    let rest = ""
    for (let part = yield* next; part !== undefined && !part.done; part = yield* next) rest += part.value
    expect(rest).toContain('\\"status\\":\\"queued\\"')
    expect(rest).toContain("call get_run with this id")
    yield* Fiber.join(closing)
  })
})
