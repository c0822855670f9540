import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Device } from "../Domain.ts"

/** What the parent writes into the directory of a run for its child process. */
export const AuditJob = Schema.parseJson(
  Schema.Struct({
    url: Schema.String,
    device: Device,
    browser: Schema.String,
    /** Port of the guard proxy. */
    proxy: Schema.Int
  })
)
export type AuditJob = typeof AuditJob.Type

/** The child's answer when there is no report; `detail` is for the log, or the code of a Lighthouse error. */
export const ChildFailure = Schema.parseJson(
  Schema.Struct({
    code: Schema.Literal("browser_failed", "lighthouse_missing", "lighthouse_error"),
    detail: Schema.String
  })
)
export type ChildFailure = typeof ChildFailure.Type

/** Files of a run's directory. */
export const runFiles = { job: "job.json", report: "report.json", failure: "failure.json", profile: "profile" } as const

/** Why the child process has no report. */
export class ChildFailed extends Data.TaggedError("ChildFailed")<ChildFailure> {}

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
