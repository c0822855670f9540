import { describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { handOver } from "../../../src/app/node/Welcome.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import * as cluster from "../../cluster.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"

const it = suite(Layer.mergeAll(Accounts.Default, BunContext.layer).pipe(Layer.provideMerge(cluster.layer)))

const start = (file: string) => Effect.flatMap(Accounts, ({ firstKey }) => firstKey(handOver(Option.some(file))))

describe("the first key", () => {
  it("is written by the first start only, to a file that only its owner can read", function* () {
    const sql = yield* SqlClient.SqlClient
    const place = yield* folder
    const file = join(place, "key")
    const taken = join(place, "taken")

    writeFileSync(taken, "precious")
    const { message } = yield* Effect.flip(start(taken))
    expect(message).toContain(taken)
    expect(readFileSync(taken, "utf8")).toBe("precious")
    expect(yield* sql`SELECT id FROM accounts`).toEqual([])
    yield* Effect.flip(start(join(place, "no such directory", "key")))
    expect(yield* sql`SELECT id FROM api_keys`).toEqual([])

    const { key } = Option.getOrThrow(yield* start(file))
    expect(readFileSync(file, "utf8")).toBe(`${key}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Option.isNone(yield* start(join(place, "second")))).toBe(true)
    expect(existsSync(join(place, "second"))).toBe(false)
  })
})

test("a full disk leaves no file behind, so that the next start can write the first key", async () => {
  const place = mkdtempSync(join(tmpdir(), "findable-key-"))
  const full = new PlatformError.SystemError({ method: "writeAll", module: "FileSystem", reason: "Unknown" })
  const onFullDisk = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const open: FileSystem.FileSystem["open"] = (...of) =>
      Effect.map(fs.open(...of), (file) => Object.assign(file, { writeAll: () => Effect.fail(full) }))
    yield* Effect.flip(
      Effect.provideService(handOver(Option.some(join(place, "key")))("k"), FileSystem.FileSystem, { ...fs, open })
    )
  })
  await Effect.runPromise(onFullDisk.pipe(Effect.provide(BunContext.layer)))
  expect(existsSync(join(place, "key"))).toBe(false)
  rmSync(place, { recursive: true })
})

test.skipIf(process.platform === "win32")("a file mask of others does not widen the file", async () => {
  const place = mkdtempSync(join(tmpdir(), "findable-key-"))
  const before = process.umask(0)
  await Effect.runPromise(handOver(Option.some(join(place, "key")))("k").pipe(Effect.provide(BunContext.layer)))
  process.umask(before)
  expect(statSync(join(place, "key")).mode & 0o777).toBe(0o600)
  rmSync(place, { recursive: true })
})
