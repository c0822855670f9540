/**
 * Platform adapter (`process.argv`, `process.exit`): the audit child process. `bun main.ts DIRECTORY` reads the job in the
 * directory and leaves a report or a failure there. It ends when its standard input ends, that is, when the parent is gone,
 * so that no browser is ever left behind.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { Teardown } from "@effect/platform/Runtime"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AuditJob, ChildFailure, removeDirectory, runFiles } from "../RunDirectory.ts"
import { startBrowser } from "./Browser.ts"
import { runLighthouse } from "./LighthouseModule.ts"

const audit = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const job = yield* Schema.decode(AuditJob)(yield* files.readFileString(path.join(directory, runFiles.job)))
  const report = Effect.scoped(startBrowser(job, directory).pipe(Effect.flatMap((port) => runLighthouse(job, port))))
  yield* report.pipe(
    Effect.flatMap((json) => files.writeFileString(path.join(directory, runFiles.report), json)),
    Effect.catchTag("ChildFailed", ({ code, detail }) =>
      Schema.encode(ChildFailure)({ code, detail }).pipe(
        Effect.flatMap((json) => files.writeFileString(path.join(directory, runFiles.failure), json))
      )
    )
  )
})

/** Reading standard input cannot be interrupted, hence `disconnect`. */
const parentGone = Effect.disconnect(Stream.runDrain(BunStream.stdin)).pipe(Effect.ignore)

/** The browser's helpers outlive it for a moment, and may put their files back. */
const clearAway = (directory: string) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) =>
      Effect.repeat(
        removeDirectory(files, directory),
        Schedule.addDelay(Schedule.recurs(5), () => "100 millis")
      )
    ),
    Effect.ignore
  )

/** The open standard input would keep a finished process alive. */
const teardown: Teardown = (exit) => process.exit(Exit.isSuccess(exit) ? 0 : 1)

const perform = (directory: string) =>
  audit(directory).pipe(
    Effect.raceFirst(Effect.zipRight(parentGone, Effect.interrupt)),
    Effect.onInterrupt(() => clearAway(directory))
  )

// No directory stands in for a missing one: what the process is given it removes.
Effect.fromNullable(process.argv[2]).pipe(
  Effect.flatMap(perform),
  Effect.provide(BunContext.layer),
  BunRuntime.runMain({ teardown })
)
