import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** Free bytes from which on databases of tests are in memory: all of them together need less. */
const enough = 1.5 * 1024 ** 3

const isRoomy = (place: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize >= enough
  } catch {
    return false
  }
}

/** The folder of test databases: in memory where Linux has room there, because a suite's database is a copy of 700 files. */
const databases: string = isRoomy("/dev/shm") ? "/dev/shm" : tmpdir()

/** A new folder for a database that the PostgreSQL user may read. */
export const newDatabaseFolder = (): string => {
  const path = mkdtempSync(join(databases, "findable-database-"))
  chmodSync(path, 0o755)
  return path
}

const remove = (path: string) => Effect.sync(() => rmSync(path, { force: true, recursive: true }))

/** A new folder for a database, for as long as the scope lives. */
export const databaseFolder = Effect.acquireRelease(Effect.sync(newDatabaseFolder), remove)

/** A temporary folder, for as long as the scope lives. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "findable-"))),
  remove
)
