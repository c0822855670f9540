import { describe, expect } from "bun:test"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { proxy } from "../../../src/app/mcp/Proxy.ts"
import { run as command } from "../../cli.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { page, siteOf } from "./site.ts"
import { modern } from "./wire.ts"

const it = suite(Server.layerWithWorkers)

const utf8 = new TextEncoder()

const initialize = {
  id: 0,
  jsonrpc: "2.0",
  method: "initialize",
  params: { capabilities: {}, clientInfo: { name: "test", version: "1" }, protocolVersion: "2025-06-18" }
}

/** Carries the lines to a node, torn apart where a pipe may tear them, and answers what came back. */
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

describe("the tools on standard input and output", () => {
  it("are those of the node, in the version that was agreed on", function* () {
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

  it("pass progress on, and what the node refuses as an error of the request", function* () {
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
    expect(refused).toMatchObject({ error: { message: "unauthorized: The key is unknown" }, id: 0 })
  })

  it("break off what the agent cancels", function* () {
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

  it("say what to do where there is no node, and no key", function* () {
    const [answer] = yield* carried("http://127.0.0.1:2", "key", [JSON.stringify(initialize)])
    expect(answer.error.message).toContain("start the node, or set FINDABLE_URL")
    const { code, stderr } = yield* command({}, "mcp")
    expect([code, stderr.trim()]).toEqual([1, "findable: There is no key: set FINDABLE_API_KEY to a key of the node"])
  })
})
