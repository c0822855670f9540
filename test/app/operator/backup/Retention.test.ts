import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { place, retain } from "../../../../src/app/operator/backup/Backup.ts"
import { run } from "../../../cli.ts"
import * as cluster from "../../../cluster.ts"
import { folder } from "../../../folder.ts"
import { effectWithTestClock, suite } from "../../../harness.ts"

const on = (day: number) => `findable-2026-11-0${day}T03-00-00-000Z.gz`

const filled = (names: ReadonlyArray<string>) =>
  Effect.tap(folder, (path) => {
    for (const name of names) writeFileSync(join(path, name), "")
  })

const left = (directory: string) => readdirSync(directory).sort()

const retained = (directory: string, keep: number, written: string) =>
  Effect.provide(retain(directory, keep, join(directory, written)), BunContext.layer)

const placed = (path: string, keep: Option.Option<number>) => Effect.provide(place(path, keep), BunContext.layer)

describe("the backups of a directory", () => {
  effectWithTestClock("have the time in their names, so that sorting by name sorts by age", function* () {
    const directory = yield* folder
    yield* TestClock.setTime(Date.UTC(2026, 10, 9, 3))
    expect((yield* placed(directory, Option.none())).file).toBe(join(directory, on(9)))
    expect((yield* placed(join(directory, "one.gz"), Option.none())).file).toBe(join(directory, "one.gz"))
  })

  effectWithTestClock(
    "are kept from the latest on; older backups and their unfinished files are removed, and no other file",
    function* () {
      const others = ["findable-2026.gz", "findable.gz", "notes.txt", `${on(1)}.old`]
      const directory = yield* filled([...[1, 2, 3, 4].map(on), `${on(2)}.part`, `${on(4)}.part`, ...others])
      expect(yield* retained(directory, 2, on(4))).toBe(3)
      expect(left(directory)).toEqual([on(3), on(4), `${on(4)}.part`, ...others].sort())
      expect(yield* retained(directory, 2, on(4))).toBe(0)
    }
  )

  effectWithTestClock("always keep the backup just written, also after the clock was set back", function* () {
    const directory = yield* filled([1, 5, 6].map(on))
    expect(yield* retained(directory, 2, on(1))).toBe(0)
    expect(left(directory)).toEqual([1, 5, 6].map(on))
  })

  effectWithTestClock("are counted in a directory only", function* () {
    const path = join(yield* folder, "absent")
    const { message } = yield* Effect.flip(placed(path, Option.some(3)))
    expect(message).toBe(
      `${path} is not a directory. --keep works in a directory of backups: create it, or name another.`
    )
  })
})

const it = suite(cluster.layer)

describe("findable backup --keep", () => {
  it("writes another backup of the database and removes the oldest", function* () {
    const directory = yield* filled([1, 2].map(on))
    const environment = { DATABASE_URL: yield* cluster.databaseUrl }
    const { code, stdout } = yield* run(environment, "backup", "--keep", "2", "--json", directory)
    const { file, removed } = JSON.parse(stdout)
    expect([code, removed, left(directory).length, left(directory)[0]]).toEqual([0, 1, 2, on(2)])
    expect(gunzipSync(readFileSync(file)).toString()).toStartWith("-- ")
    const none = yield* run(environment, "backup", "--keep", "0", directory)
    expect([none.code, left(directory).length]).toEqual([1, 2])
  })
})
