import { describe, expect } from "bun:test"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { privateDirectory } from "../../../src/foundation/database/EmbeddedFiles.ts"
import { largestLog, rotate } from "../../../src/foundation/database/EmbeddedServer.ts"
import { Location, layerEmbedded } from "../../../src/foundation/database/Location.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"
import { until } from "../../waiting.ts"

const isRoot = process.getuid?.() === 0

const nobody = { gid: 65_534, name: "nobody", uid: 65_534 }

/** An embedded server with its log in a folder. */
const placeIn = (directory: string, owner: typeof nobody | undefined = undefined) => ({
  binaries: { root: "", version: "" },
  data: join(directory, "data"),
  notices: [],
  owner,
  sockets: ""
})

const rotated = (directory: string, most: number, owner?: typeof nobody) =>
  rotate(placeIn(directory, owner), most).pipe(Effect.provide(BunContext.layer))

const line = (number: number) => `line ${String(number).padStart(5, "0")}\n`

const lines = (count: number) => Array.from({ length: count }, (_, number) => line(number)).join("")

describe("the log of the embedded server", () => {
  it("is not changed while it is short, and not created where it is missing", function* () {
    const directory = yield* folder
    yield* rotated(directory, 110)
    expect(existsSync(join(directory, "server.log"))).toBe(false)
    writeFileSync(join(directory, "server.log"), lines(10))
    yield* rotated(directory, 110)
    expect(readFileSync(join(directory, "server.log"), "utf8")).toBe(lines(10))
    expect(existsSync(join(directory, "server.log.1"))).toBe(false)
  })

  it("is truncated when it is long, its last lines are kept in server.log.1, and its writer continues at the start", function* () {
    const directory = yield* folder
    const log = join(directory, "server.log")
    const writer = openSync(log, "a")
    writeSync(writer, lines(30))
    yield* rotated(directory, 110)
    writeSync(writer, line(30))
    closeSync(writer)
    expect(readFileSync(log, "utf8")).toBe(line(30))
    const aside = readFileSync(`${log}.1`, "utf8")
    expect(lines(30)).toEndWith(aside)
    expect(aside).toStartWith("line ")
    expect(aside.length).toBeWithin(80, 111)
  })

  it("leaves two short files after any number of rotations, and removes unfinished files of an earlier one", function* () {
    const directory = yield* folder
    const log = join(directory, "server.log")
    writeFileSync(`${log}.part`, lines(500))
    for (let time = 0; time < 3; time++) {
      appendFileSync(log, lines(100))
      yield* rotated(directory, 110)
    }
    expect([statSync(log).size, statSync(`${log}.1`).size <= 110, existsSync(`${log}.part`)]).toEqual([0, true, false])
  })

  if (isRoot) {
    it("does not let the database's user empty a file of root", function* () {
      const outer = yield* folder
      chmodSync(outer, 0o755)
      const secret = join(outer, "of-root")
      writeFileSync(secret, lines(100), { mode: 0o600 })
      const directory = join(outer, "postgres")
      mkdirSync(directory)
      chownSync(directory, nobody.uid, nobody.gid)
      symlinkSync(secret, join(directory, "server.log"))
      yield* rotated(directory, 110, nobody)
      expect(readFileSync(secret, "utf8")).toBe(lines(100))
      expect(existsSync(join(directory, "server.log.1"))).toBe(false)
    })
  }

  it("is kept short while a server runs, and PostgreSQL continues to write to it", function* () {
    const directory = yield* folder
    chmodSync(directory, 0o755)
    const environment = ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]]))
    const context = yield* Effect.withConfigProvider(Layer.build(layerEmbedded({ fsync: "off" })), environment)
    const { connection } = Context.get(context, Location)
    const sql = yield* PgClient.make({ ...connection, maxConnections: 1 }).pipe(Effect.provide(Reactivity.layer))
    const log = join(directory, "postgres", "server.log")
    yield* sql.unsafe(`DO $$ BEGIN RAISE LOG 'long %', repeat('x', ${largestLog}); END $$`)
    yield* until(
      Effect.sync(() => statSync(log).size),
      (size) => size < 1000
    )
    yield* sql.unsafe("DO $$ BEGIN RAISE LOG 'after it'; END $$")
    expect(readFileSync(log, "utf8")).toContain("after it")
    expect(statSync(log).size).toBeLessThan(10_000)
    expect(statSync(`${log}.1`).size).toBeLessThan(largestLog + 1)
  })
})

const mode = (path: string) => statSync(path).mode & 0o777

const asRoot = process.getuid?.() === 0

const owner = { gid: 65_534, name: "nobody", uid: 65_534 }

describe("a private directory", () => {
  it("is created for its owner only, and accepted again when it is ours", function* () {
    const path = join(yield* folder, "socket")
    yield* privateDirectory(path, asRoot ? owner : undefined)
    chmodSync(path, 0o777)
    yield* privateDirectory(path, asRoot ? owner : undefined)
    expect([mode(path), statSync(path).uid]).toEqual([0o700, asRoot ? owner.uid : (process.getuid?.() ?? 0)])
  })

  it("is refused when it is a link, and the link's target is not changed", function* () {
    const place = yield* folder
    const target = join(place, "target")
    mkdirSync(target, { mode: 0o755 })
    chmodSync(target, 0o755)
    symlinkSync(target, join(place, "socket"))
    const { message } = yield* Effect.flip(privateDirectory(join(place, "socket"), asRoot ? owner : undefined))
    expect(message).toContain("is not a directory of Findable")
    expect([mode(target), statSync(target).uid]).toEqual([0o755, process.getuid?.() ?? 0])
    expect(lstatSync(join(place, "socket")).isSymbolicLink()).toBe(true)
  })

  if (asRoot) {
    it("is refused when it belongs to another user", function* () {
      const path = join(yield* folder, "socket")
      mkdirSync(path, { mode: 0o755 })
      chownSync(path, 12_345, 12_345)
      const { message } = yield* Effect.flip(privateDirectory(path, owner))
      expect(message).toContain("it belongs to user 12345")
      expect(statSync(path).uid).toBe(12_345)
    })
  }
})
