import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"

/** Backups in a directory are named after the moment of their start, so their names sort by age. A `.part` is one that was not finished. */
const ours = /^findable-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.gz(?<part>\.part)?$/

const nameAt = (now: DateTime.Utc) => `findable-${DateTime.formatIso(now).replace(/[:.]/g, "-")}.gz`

const refused = (path: string) => (error: PlatformError) => new Refused({ message: `${path}: ${error.message}` })

const isDirectory = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists(path)) && (yield* fs.stat(path)).type === "Directory"
})

/** The file of a new backup: the path itself, or in a directory a file named after this moment. A number of files to keep needs a directory. */
export const place = (path: string, keep: Option.Option<number>) =>
  Effect.gen(function* () {
    const { join } = yield* Path.Path
    if (yield* isDirectory(path)) return { directory: Option.some(path), file: join(path, nameAt(yield* DateTime.now)) }
    if (Option.isNone(keep)) return { directory: Option.none<string>(), file: path }
    return yield* new Refused({
      message: `${path} is not a directory: --keep counts the backups of a directory, so make it or name another`
    })
  }).pipe(Effect.catchTags({ BadArgument: refused(path), SystemError: refused(path) }))

/**
 * Removes from a directory what is older than its newest backups, unfinished ones too, and returns how many files that were. Files with other names stay, and so
 * does the backup just written, also where the clock was set back.
 */
export const retain = (directory: string, keep: number, written: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { basename, join } = yield* Path.Path
    const names = (yield* fs.readDirectory(directory)).filter((name) => ours.test(name)).sort()
    const [oldest = ""] = names.filter((name) => ours.exec(name)?.groups?.part === undefined).slice(-keep)
    const old = names.filter((name) => name < oldest && name !== basename(written))
    yield* Effect.forEach(old, (name) => fs.remove(join(directory, name), { force: true }), { discard: true })
    return old.length
  }).pipe(Effect.catchTags({ BadArgument: refused(directory), SystemError: refused(directory) }))
