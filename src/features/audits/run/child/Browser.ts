/** Platform adapter of the audit child: starts Chromium in the child's own process group (`Bun.spawn`), so that one signal ends both. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { chromiumFlags } from "../ChromiumFlags.ts"
import { type AuditJob, ChildFailed, runFiles } from "../RunDirectory.ts"

const startUp = "20 seconds"

const spawn = (program: string, flags: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => Bun.spawn([program, ...flags], { stdin: "ignore", stdout: "ignore", stderr: "inherit" }),
      catch: () => new ChildFailed({ code: "browser_failed", detail: "The browser could not be started." })
    }),
    (browser) =>
      Effect.suspend(() => {
        browser.kill("SIGKILL")
        return Effect.promise(() => browser.exited)
      })
  )

/** Starts the browser for as long as the scope lives; the answer is its debugging port. */
export const startBrowser = Effect.fnUntraced(function* (job: AuditJob, directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const profile = path.join(directory, runFiles.profile)
  const root = process.getuid?.() === 0
  const browser = yield* spawn(job.browser, chromiumFlags({ profile, proxy: job.proxy, root }))
  const port = files.readFileString(path.join(profile, "DevToolsActivePort")).pipe(
    Effect.map((text) => Number(/^\d+(?=\n)/.exec(text)?.[0])),
    Effect.filterOrFail(Number.isInteger),
    Effect.retry(Schedule.spaced("25 millis")),
    Effect.timeoutOption(startUp),
    Effect.map(Option.getOrNull)
  )
  const ended = Effect.promise(() => browser.exited).pipe(Effect.as(null))
  const ready = yield* Effect.raceFirst(port, ended)
  if (ready !== null) return ready
  return yield* new ChildFailed({ code: "browser_failed", detail: "The browser did not start." })
})
