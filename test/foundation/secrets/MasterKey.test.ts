import { expect } from "bun:test"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Entropy from "../../../src/foundation/secrets/Entropy.ts"
import * as MasterKey from "../../../src/foundation/secrets/MasterKey.ts"
import { it } from "../../harness.ts"

const key = Buffer.alloc(32, 5)

const load = (environment: Record<string, string>) =>
  MasterKey.MasterKey.pipe(
    Effect.map((redacted) => Buffer.from(Redacted.value(redacted))),
    Effect.provide(MasterKey.layer),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )

const inDirectory = <A, E>(
  body: (directory: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, BunContext.BunContext | Entropy.Entropy>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide([BunContext.layer, Entropy.layer]), Effect.asVoid)

it("the master key in the environment is used, and no file is written", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      const environment = { FINDABLE_DATA_DIR: directory, FINDABLE_MASTER_KEY: `${key.toString("base64")}\n` }
      expect(yield* load(environment)).toEqual(key)
      expect(yield* fs.readDirectory(directory)).toEqual([])
    })
  ))

for (const [name, text] of [
  ["31 bytes", Buffer.alloc(31, 5).toString("base64")],
  ["33 bytes", Buffer.alloc(33, 5).toString("base64")],
  ["hexadecimal", key.toString("hex")],
  ["a pass phrase", "correct horse battery staple"],
  ["nothing", ""]
] as const) {
  it(`a master key of ${name} in the environment is a configuration error with the expected form and without the value`, () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(load({ FINDABLE_DATA_DIR: directory, FINDABLE_MASTER_KEY: text }))
        expect(String(error)).toContain("FINDABLE_MASTER_KEY")
        expect(String(error)).toContain("base64 of exactly 32 bytes")
        if (text !== "") expect(String(error)).not.toContain(text)
      })
    ))
}

it("without a setting a key file of mode 0600 is created in the data directory, and used at the next start", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      const data = `${directory}/not/yet/there`
      const first = yield* load({ FINDABLE_DATA_DIR: data })
      expect(first.length).toBe(32)
      expect(yield* load({ FINDABLE_DATA_DIR: data })).toEqual(first)
      expect(yield* fs.readDirectory(data)).toEqual(["master.key"])
      expect((yield* fs.stat(`${data}/master.key`)).mode & 0o777).toBe(0o600)
      expect((yield* fs.readFileString(`${data}/master.key`)).trim()).toBe(first.toString("base64"))
    })
  ))

it("fifty servers that start together agree on one key and leave no drafts behind", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, node) => node),
        () => load({ FINDABLE_DATA_DIR: directory }),
        { concurrency: "unbounded" }
      )
      expect(new Set(keys.map((bytes) => bytes.toString("hex"))).size).toBe(1)
      expect(yield* fs.readDirectory(directory)).toEqual(["master.key"])
    })
  ))

it("a server that loses the race for the key file uses the first server's key", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      const seesNothing = FileSystem.FileSystem.of({ ...fs, exists: () => Effect.succeed(false) })
      const start = Effect.provideService(load({ FINDABLE_DATA_DIR: directory }), FileSystem.FileSystem, seesNothing)
      const first = yield* start
      expect(yield* start).toEqual(first)
      expect(yield* fs.readDirectory(directory)).toEqual(["master.key"])
    })
  ))

it("a malformed key file is an error that names the file, and the file is not changed", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      yield* fs.writeFileString(`${directory}/master.key`, "torn", { mode: 0o600 })
      const error = yield* Effect.flip(load({ FINDABLE_DATA_DIR: directory }))
      expect(String(error)).toContain(`${directory}/master.key`)
      expect(String(error)).toContain("is not the base64 of 32 bytes")
      expect(yield* fs.readFileString(`${directory}/master.key`)).toBe("torn")
    })
  ))

it("a data directory that cannot be created is an error that names the key file", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      yield* fs.writeFileString(`${directory}/file`, "")
      const error = yield* Effect.flip(load({ FINDABLE_DATA_DIR: `${directory}/file` }))
      expect(String(error)).toContain(`${directory}/file/master.key`)
      expect(String(error)).toContain("FINDABLE_MASTER_KEY")
    })
  ))

it("a key file that others may read is used, and the administrator is warned", () =>
  inDirectory((directory, fs) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const collector = Logger.make(({ message }) => void lines.push(message))
      yield* fs.writeFileString(`${directory}/master.key`, key.toString("base64"))
      yield* fs.chmod(`${directory}/master.key`, 0o644)
      const loaded = yield* Effect.provide(
        load({ FINDABLE_DATA_DIR: directory }),
        Logger.replace(Logger.defaultLogger, collector)
      )
      expect(loaded).toEqual(key)
      expect(String(lines)).toContain("chmod 600")
    })
  ))
