import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Processes that were just killed may still hold files for a moment. */
const patience = Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurs(40)))

/** Removes the directory of a run with everything in it. */
export const removeDirectory = (files: FileSystem.FileSystem, directory: string) =>
  Effect.retry(files.remove(directory, { recursive: true, force: true }), patience)

/** A directory for one run, removed with everything in it when the scope ends. */
export const runDirectory = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.acquireRelease(
    files.makeTempDirectory({ prefix: `findable-audit-${process.pid}-` }),
    (directory) =>
      Effect.catchAll(removeDirectory(files, directory), () =>
        Effect.logWarning("The directory of an audit run could not be removed")
      )
  )
})
