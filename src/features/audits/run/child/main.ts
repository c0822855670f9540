import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { Teardown } from "@effect/platform/Runtime"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { startWithPort } from "../../../../foundation/browser/Port.ts"
import { categories, lighthouseKey } from "../../Domain.ts"
import { at, text } from "../../report/LighthouseReport.ts"
import { AuditJob, ChildFailed, ChildFailure, removeDirectory, runFiles } from "../Lighthouse.ts"

/** Starts the browser until the scope ends; returns its debugging port. */
const startBrowser = Effect.fnUntraced(function* ({ browser, proxy }: AuditJob, directory: string) {
  const path = yield* Path.Path
  const profile = path.join(directory, runFiles.profile)
  return yield* Effect.mapError(
    startWithPort({ profile, program: browser, proxy }),
    ({ message }) => new ChildFailed({ code: "browser_failed", detail: message })
  )
})

/** Platform adapter of the audit child: the optional package `lighthouse`, loaded only here and only when an audit runs. */

/** A variable, so that type checks do not need the optional package. */
const packageName: string = "lighthouse"

const failed = (detail: string) => new ChildFailed({ code: "lighthouse_error", detail })

const load = Effect.tryPromise({
  try: (): Promise<unknown> => import(packageName),
  catch: (error) => new ChildFailed({ code: "lighthouse_missing", detail: text(at(error, "message")) ?? "" })
})

/** Screenshots and the script treemap: large, and not part of an audit. */
const pictures = ["screenshot-thumbnails", "final-screenshot", "script-treemap-data"]

/** Runs Lighthouse on the browser at a debugging port; returns the report as JSON text. */
const runLighthouse = Effect.fnUntraced(function* (job: AuditJob, port: number) {
  const lighthouse = yield* load
  const run = at(lighthouse, "default")
  if (!Predicate.isFunction(run)) return yield* failed("The package lighthouse has no known interface.")
  const flags = {
    port,
    output: "json",
    logLevel: "error",
    locale: "en",
    onlyCategories: categories.map((category) => lighthouseKey[category]),
    skipAudits: pictures,
    disableFullPageScreenshot: true
  }
  const config = job.device === "desktop" ? at(lighthouse, "desktopConfig") : undefined
  const result = yield* Effect.tryPromise({
    try: (): Promise<unknown> => run(job.url, flags, config),
    catch: (error) => failed(text(at(error, "code")) ?? text(at(error, "message")) ?? "Lighthouse failed.")
  })
  const report = text(at(result, "report"))
  if (report === null) return yield* failed("Lighthouse returned no report.")
  return report
})

/**
 * Platform adapter (`process.argv`, `process.exit`): the audit child process. `bun main.ts DIRECTORY` reads the job in the directory and leaves a report or a
 * failure there. The child ends when its standard input ends, that is, when the parent is gone, so no browser is left behind.
 */

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

// A missing directory has no default, because the process removes its directory.
Effect.fromNullable(process.argv[2]).pipe(
  Effect.flatMap(perform),
  Effect.provide(BunContext.layer),
  BunRuntime.runMain({ teardown })
)
