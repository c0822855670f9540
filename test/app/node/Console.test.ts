import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Welcome from "../../../src/app/node/Welcome.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { sessionScopes } from "../../../src/features/accounts/SessionsApi.ts"
import * as cluster from "../../cluster.ts"
import { run } from "../../command.ts"
import * as Node from "../../e2e/node.ts"
import { folder } from "../../folder.ts"
import { it as alone, suite } from "../../harness.ts"

const it = suite(Layer.provideMerge(Accounts.Default, cluster.layer), { timeout: 120_000 })

const masterKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const links = /http:\S+\/console#login=[\w-]{32}/g

const enter = (base: string, link: string) =>
  Node.ask(`${base}/api/v1/console-sessions`, {
    body: JSON.stringify({ code: link.split("#login=")[1] }),
    headers: { "content-type": "application/json" },
    method: "POST"
  })

it("the first start prints a link to the console; later starts name the command that prints a new link", function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const environment = { DATABASE_URL: yield* cluster.databaseUrl, FINDABLE_MASTER_KEY: masterKey }
  const none = yield* run(environment, "console")
  expect([none.code, none.stdout]).toEqual([1, ""])

  const node = yield* Node.start({ ...environment, FINDABLE_LOG_FORMAT: "logfmt" })
  const [first = "", ...others] = node.output().match(links) ?? []
  expect(others).toEqual([])
  expect(first).toStartWith(`${node.base}/console#`)
  expect((yield* enter(node.base, first)).body.data.scopes).toEqual(sessionScopes.operator)
  expect((yield* enter(node.base, first)).status).toBe(404)
  node.kill("SIGTERM")
  yield* node.exited

  const directory = yield* folder
  const second = yield* Node.start({ ...environment, FINDABLE_DATA_DIR: directory })
  expect(second.output()).not.toMatch(links)
  expect(second.output()).toContain("npm run -s cli -- console")

  const plain = yield* run({ ...environment, FINDABLE_PORT: "9321" }, "console", "--read-only")
  expect(plain.stdout).toMatch(/^http:\/\/127\.0\.0\.1:9321\/console#login=[\w-]{32}\n$/)
  expect((yield* enter(second.base, plain.stdout.trim())).body.data.scopes).toContain("webhooks:read")

  const beside = { ...environment, FINDABLE_DATA_DIR: directory, FINDABLE_PORT: "9321" }
  expect((yield* run(beside, "console")).stdout).toStartWith(`${second.base}/console#login=`)
  expect(second.output()).toContain(`Data directory: ${directory}`)

  const published = { ...environment, FINDABLE_PUBLIC_URL: "https://seo.example.com/findable/" }
  const { stdout } = yield* run(published, "console", "--for", "30d", "--json")
  const asked = JSON.parse(stdout)
  expect(asked.url).toStartWith("https://seo.example.com/findable/console#login=")
  const { expires_at } = (yield* enter(second.base, asked.url)).body.data
  const [{ days } = { days: 0 }] = yield* sql<{ days: number }>`
    SELECT round(extract(epoch FROM ${expires_at}::timestamptz - now()) / 86400)::int AS days`
  expect(days).toBe(30)

  const scopesOf = (...options: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { stdout } = yield* run(beside, "console", ...options)
      return (yield* enter(second.base, stdout.trim())).body.data.scopes
    })
  expect(yield* scopesOf()).toEqual(["*", "site-health:write"])
  expect(yield* scopesOf("--operator")).toEqual(sessionScopes.operator)
  expect(yield* scopesOf("--scopes", "projects:read, server:read")).toEqual(["projects:read", "server:read"])
  for (const [options, says] of [
    [["--scopes", "projects:read,keywords:read"], "has no scope keywords:read"],
    [["--scopes", ""], "has no scope"],
    [["--operator", "--read-only"], "only one of --operator, --read-only and --scopes"]
  ] as const) {
    const refused = yield* run(environment, "console", ...options)
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toContain(says)
  }

  for (const wrong of ["59s", "31d", "12", "0h"]) {
    const refused = yield* run(environment, "console", "--for", wrong)
    expect([wrong, refused.code, refused.stdout]).toEqual([wrong, 1, ""])
    expect(refused.stderr).toContain("1m to 30d")
  }
  const other = yield* accounts.create("another shop", "free")
  const several = yield* run(environment, "console")
  expect([several.code, several.stdout]).toEqual([1, ""])
  for (const { id } of yield* accounts.list) expect(several.stderr).toContain(id)
  expect((yield* run(environment, "console", "--account", other.id)).stdout).toMatch(links)
})

alone("the link to the console is a field of the JSON log line at the start", function* () {
  const lines: Array<string> = []
  const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
  const log = (line: unknown) => Effect.sync(() => void lines.push(String(line)))
  const link = "http://127.0.0.1:8787/console#login=AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
  const started = (key: Option.Option<string>, link: Option.Option<string>) =>
    Welcome.print({ base: "http://127.0.0.1:8787", directory: "/srv/findable", file: Option.none(), key, link }).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_LOG_FORMAT", "json"]]))),
      Console.withConsole({ ...console, log, unsafe })
    )
  yield* started(Option.some("fnd_live_key"), Option.some(link))
  yield* started(Option.none(), Option.none())
  const [first, later] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({ console: link, key: "fnd_live_key" })
  expect(Object.keys(later)).toEqual(["message", "url", "docs", "data_directory"])
  expect(later.data_directory).toBe("/srv/findable")
})
