import { expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { granted } from "../../../src/features/accounts/Domain.ts"
import * as cluster from "../../cluster.ts"
import { run } from "../../command.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"

const it = suite(Layer.provideMerge(Accounts.Default, cluster.layer))

const commands = [
  ["accounts", "list"],
  ["accounts", "create", "--name", "Shop", "--plan", "free"],
  ["keys", "list"],
  ["projects", "list"],
  ["console"],
  ["backup", "findable.gz"],
  ["secrets", "rotate"]
]

for (const words of commands)
  it(`${words.slice(0, 2).join(" ")} creates no database where none exists, and says where it looked`, function* () {
    const parent = yield* folder
    const directory = join(parent, "data")
    for (const named of [directory, relative(process.cwd(), directory)]) {
      const { code, stderr, stdout } = yield* run({ FINDABLE_DATA_DIR: named }, ...words)
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toContain(`There is no Findable data in ${directory}`)
      expect(stderr).toContain("FINDABLE_DATA_DIR")
    }
    expect(readdirSync(parent)).toEqual([])
    expect(existsSync("findable.gz")).toBe(false)
  })

it("a command creates no tables in a schema without an installation, and names the schema", function* () {
  const sql = yield* SqlClient.SqlClient
  const environment = { DATABASE_URL: yield* cluster.databaseUrl, FINDABLE_DATABASE_SCHEMA: "another" }
  const { code, stderr } = yield* run(environment, "accounts", "list")
  expect(code).toBe(1)
  expect(stderr).toContain("No Findable data in schema another")
  expect(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'another'`).toEqual([])
})

it("--account defaults to the only account, and is required where several exist", function* () {
  const accounts = yield* Accounts
  const environment = { DATABASE_URL: yield* cluster.databaseUrl }
  const made = (host: string, ...more: ReadonlyArray<string>) =>
    run(environment, "projects", "create", "--url", `https://${host}`, "--json", ...more)
  const early = yield* made("early.example")
  expect([early.code, early.stdout]).toEqual([1, ""])
  expect(early.stderr).toContain("There is no account yet")

  const shop = yield* accounts.create("shop", "free")
  expect((yield* made("one.example")).code).toBe(0)
  const key = yield* run(environment, "keys", "create", "--scopes", "*", "--json")
  expect(JSON.parse(key.stdout).account_id).toBe(shop.id)

  const other = yield* accounts.create("another shop", "free")
  const several = yield* made("two.example")
  expect([several.code, several.stdout]).toEqual([1, ""])
  for (const { id, name } of [shop, other]) expect(several.stderr).toContain(`${id} (${name})`)
  expect((yield* made("two.example", "--account", other.id)).code).toBe(0)
  const unknown = yield* made("three.example", "--account", "21a46884-9c1b-41fd-be45-33d19b689d42")
  expect(unknown.stderr).toContain("There is no account 21a46884-9c1b-41fd-be45-33d19b689d42")
})

it("keys list names * and the scopes that * does not include", function* () {
  const accounts = yield* Accounts
  const account = yield* accounts.create("agency", "free")
  yield* accounts.createKey(account.id, ["*", "geo:write"], "test")
  const environment = { DATABASE_URL: yield* cluster.databaseUrl }
  const { stdout } = yield* run(environment, "keys", "list", "--account", account.id, "--json")
  const [key] = JSON.parse(stdout)
  expect(key.scopes).toEqual(["*", "geo:write"])
  expect(key.grants).toEqual(granted(["*", "geo:write"]))
  expect(key.grants).toContain("keywords:read")
  expect(key.grants).toContain("geo:write")
  for (const scope of ["*", "site-health:write", "interventions:write", "keys:manage"])
    expect(key.grants).not.toContain(scope)
})
