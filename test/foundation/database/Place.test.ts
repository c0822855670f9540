import { expect } from "bun:test"
import { chmodSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import { prepare } from "../../../src/foundation/database/EmbeddedFiles.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"
import { logged } from "./away.ts"

/** The machine's files, with another list of users. */
const withUsers = (passwd: string) =>
  Effect.provideServiceEffect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      readFileString: (path: string) => (path === "/etc/passwd" ? Effect.succeed(passwd) : files.readFileString(path))
    }))
  )

const nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
const isRoot = process.getuid?.() === 0

const warnings = (passwd: string) =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* Effect.sync(() => chmodSync(directory, 0o755))
    return yield* logged(() => withUsers(passwd)(prepare(directory)))
  }).pipe(Effect.provide(BunContext.layer))

it("starting as root prints a warning if and only if PostgreSQL has to run as the user nobody", function* () {
  // Only root runs the database as another user.
  const warning =
    "WARN PostgreSQL runs as the user nobody, which other programs may also use. Create a user postgres, or start Findable as an ordinary user"
  const told = yield* warnings(nobody)
  expect(told.map((line) => line.split(":")[0])).toEqual(isRoot ? [warning] : [])
  expect(yield* warnings(`postgres:x:65533:65533::/:/bin/sh\n${nobody}`)).toEqual([])
})
