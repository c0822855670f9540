import { tmpdir } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** The name prefix of the directories of a process's audits. */
export const prefixOf = (pid: number) => `findable-audit-${pid}-`

/** Remaining processes (by command line) and directories of a process's audits. */
export const leftovers = (pid: number) =>
  Effect.gen(function* () {
    const prefix = prefixOf(pid)
    const files = yield* FileSystem.FileSystem
    const processes = (yield* files.readDirectory("/proc")).filter((entry) => /^\d+$/.test(entry))
    const commands = yield* Effect.forEach(processes, (pid) =>
      files.readFileString(`/proc/${pid}/cmdline`).pipe(Effect.orElseSucceed(() => ""))
    )
    const directories = (yield* files.readDirectory(tmpdir())).filter((entry) => entry.startsWith(prefix))
    return [...commands.filter((command) => command.includes(prefix)), ...directories]
  }).pipe(Effect.provide(BunContext.layer))

/** Killed processes may take a moment to disappear. */
export const nothingIsLeft = (pid: number) =>
  leftovers(pid).pipe(
    Effect.filterOrFail(
      (left) => left.length === 0,
      (left) => `left behind: ${left.join(", ")}`
    ),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.intersect(Schedule.recurs(2500))))
  )
