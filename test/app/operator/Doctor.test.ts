import { describe, expect } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findBrowser } from "../../../src/foundation/browser/Find.ts"
import { invocation } from "../../../src/foundation/terminal/Terminal.ts"
import { run } from "../../cli.ts"
import * as cluster from "../../cluster.ts"

import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

const browser = Option.getOrNull(
  await Effect.runPromise(findBrowser("rendering").pipe(Effect.provide(BunContext.layer), Effect.option))
)

const key = Buffer.alloc(32, 7).toString("base64")

/** The output of findable doctor, and its exit code. */
const examined = (environment: Record<string, string>) =>
  Effect.map(run(environment, "doctor", "--json"), ({ code, stderr, stdout }) => ({
    code,
    found: stdout === "" ? {} : JSON.parse(stdout),
    stderr
  }))

const ofSchema = (schema: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(${schema})`
  )

describe("findable doctor", () => {
  it("finds no problem before the first start, and creates nothing", function* () {
    const directory = join(yield* folder, "data")
    const { code, found } = yield* examined({ FINDABLE_DATA_DIR: directory })
    expect(code).toBe(0)
    expect(found).toMatchObject({
      data_directory: directory,
      database: `OK: none yet. The first start creates one in ${directory}`,
      schema: "OK: none yet. The first start creates it",
      secrets: "OK: the first start creates a key file"
    })
    expect(existsSync(directory)).toBe(false)
    const empty = yield* examined({
      DATABASE_URL: yield* cluster.databaseUrl,
      FINDABLE_DATABASE_SCHEMA: "empty",
      FINDABLE_DATA_DIR: directory
    })
    expect(empty).toMatchObject({
      code: 0,
      found: { schema: "OK: schema empty is empty. The first start creates the tables" }
    })
    expect(existsSync(directory)).toBe(false)
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'empty'`).toEqual([])
  })

  it("ends with 1 and says what to do where a server would not start", function* () {
    const directory = yield* folder
    const file = join(directory, "file")
    writeFileSync(file, "")
    const spoiled = join(directory, "spoiled")
    mkdirSync(spoiled)
    writeFileSync(join(spoiled, "master.key"), "no key", { mode: 0o600 })
    const address = yield* cluster.databaseUrl
    const cases: ReadonlyArray<readonly [finding: string, said: string, environment: Record<string, string>]> = [
      [
        "database",
        "is not a directory. Set FINDABLE_DATA_DIR to another directory",
        { FINDABLE_DATA_DIR: join(file, "data") }
      ],
      [
        "database",
        "Check that PostgreSQL is running and that DATABASE_URL is right",
        { DATABASE_URL: "postgresql://nobody@127.0.0.1:9/none", FINDABLE_MASTER_KEY: key }
      ],
      [
        "secrets",
        "Restore the file from a backup, or set FINDABLE_MASTER_KEY",
        { DATABASE_URL: address, FINDABLE_DATA_DIR: spoiled }
      ],
      ["secrets", "Restore the file from a backup, or set FINDABLE_MASTER_KEY", { FINDABLE_DATA_DIR: spoiled }]
    ]
    for (const [finding, said, environment] of cases) {
      const { code, found, stderr } = yield* examined(environment)
      expect({ code, found, stderr }).toMatchObject({
        code: 1,
        found: { [finding]: expect.stringContaining(said) }
      })
      expect(stderr).toContain("findable: The server cannot start here. Fix ")
      expect(stderr).toContain(finding)
    }
    expect(readdirSync(directory).sort()).toEqual(["file", "spoiled"])
    expect(readdirSync(spoiled)).toEqual(["master.key"])
    const wrong = yield* examined({ FINDABLE_DATABASE_SCHEMA: "Big", FINDABLE_DATA_DIR: directory })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("FINDABLE_DATABASE_SCHEMA: must be") })
  })

  it("says which browser renders, and why none does; a server starts without it", function* () {
    const directory = join(yield* folder, "data")
    const rendering = (environment: Record<string, string>) =>
      Effect.map(examined({ ...environment, FINDABLE_DATA_DIR: directory }), ({ code, found }) => [
        code,
        found.rendering
      ])
    expect(yield* rendering({ FINDABLE_RENDER: "off" })).toEqual([
      0,
      "FINDABLE_RENDER is off. Set it to auto to render."
    ])
    expect(yield* rendering({ CHROME_PATH: "/nowhere/chrome" })).toEqual([0, "CHROME_PATH is not the path of a file."])
    const programs = yield* folder
    // The browser of root is a program of the user nobody, who must find it.
    chmodSync(programs, 0o755)
    const silent = join(programs, "chrome")
    writeFileSync(silent, "#!/bin/sh\necho '[1:1:ERROR] No usable sandbox! Update your kernel' >&2\nexit 1\n", {
      mode: 0o755
    })
    expect(yield* rendering({ CHROME_PATH: silent })).toEqual([
      0,
      expect.stringMatching(
        /^The browser has no sandbox here: allow user namespaces .+ or set FINDABLE_RENDER=unsandboxed\.$/
      )
    ])
    const wrong = yield* examined({ FINDABLE_DATA_DIR: directory, FINDABLE_RENDER: "always" })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("FINDABLE_RENDER: ") })
  })

  if (browser === null) console.warn("NOTICE: no browser on this machine, doctor has none to start")
  else
    it("starts the browser for a moment, and says its version and its sandbox", function* () {
      const directory = join(yield* folder, "data")
      const { found } = yield* examined({ FINDABLE_DATA_DIR: directory })
      expect(found.rendering).toMatch(/^OK: \w*Chrome\/[\d.]+ with its sandbox/)
      if (process.getuid?.() === 0)
        expect(found.rendering).toContain("as the user nobody, because this command runs as root")
      const bare = yield* examined({ FINDABLE_DATA_DIR: directory, FINDABLE_RENDER: "unsandboxed" })
      expect(bare.found.rendering).toMatch(/^OK: \w*Chrome\/[\d.]+ without its sandbox/)
    })

  it("tries the migrations beside another program's tables, and leaves these tables unchanged", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("CREATE SCHEMA shop; CREATE TABLE shop.projects (id integer)")
    const environment = { DATABASE_URL: yield* cluster.databaseUrl, FINDABLE_MASTER_KEY: key }
    const { code, found } = yield* examined({ ...environment, FINDABLE_DATABASE_SCHEMA: "shop" })
    expect({ code, schema: found.schema }).toEqual({
      code: 1,
      schema: expect.stringContaining('SQLSTATE 42P07: relation "projects" already exists')
    })
    expect(found.schema).toContain("FINDABLE_DATABASE_SCHEMA")
    expect(yield* ofSchema("shop")).toEqual([{ relname: "projects" }])
    yield* sql`DELETE FROM schema_migrations WHERE id > 14`
    const pending = yield* examined(environment)
    expect(pending).toMatchObject({
      code: 0,
      found: { schema: `schema public needs an update: start the server, or run \`${invocation} migrate\`` }
    })
    expect(yield* sql`SELECT FROM schema_migrations WHERE id > 14`).toEqual([])
  })
})
