/** Platform adapter (`node:fs`, `node:os`, `process`): the folders of browsers and crawls; a folder's name has the number of its process. */
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"

/** The owner of a folder: a browser, or a crawl with the files of its process. */
type Owner = "browser" | "crawl"

const named = /^findable-(?:browser|crawl)-(\d+)-/

/** Killed processes may write files for a moment. */
const patience = Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurs(40)))

const remove = (files: FileSystem.FileSystem, folder: string) =>
  files.remove(folder, { force: true, recursive: true }).pipe(Effect.retry(patience))

/** Whether the folder contains that of a browser, which a killed process leaves behind. */
const hasBrowser = (files: FileSystem.FileSystem, folder: string) =>
  Effect.map(files.readDirectory(folder), (names) => names.some((name) => named.test(name)))

const read = <A>(attempt: () => A, without: A): A => Either.getOrElse(Either.try(attempt), () => without)

/** Ends the browsers that use a folder (Linux). */
const endBrowsers = (folder: string) =>
  Effect.sync(() => {
    for (const pid of read(() => readdirSync("/proc"), [])
      .map(Number)
      .filter(Number.isInteger)) {
      const isUser = read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").includes(`--user-data-dir=${folder}`)
      // Each browser leads a process group.
      if (isUser) for (const target of [-pid, pid]) read(() => process.kill(target, "SIGKILL"), false)
    }
  })

/** Removes a folder until it stays away: a browser outlives its process by a moment, in which it would create the folder again. */
const removeForGood = (files: FileSystem.FileSystem, folder: string) =>
  endBrowsers(folder).pipe(
    Effect.zipRight(remove(files, folder)),
    Effect.zipRight(Effect.sleep("200 millis")),
    Effect.zipRight(files.exists(folder)),
    Effect.repeat({ times: 20, until: (isThere) => !isThere })
  )

/** A temporary folder. The end of the scope removes it with its content. */
export const temporaryFolder = (owner: Owner) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.acquireRelease(files.makeTempDirectory({ prefix: `findable-${owner}-${process.pid}-` }), (folder) =>
      Effect.catchAll(
        Effect.if(hasBrowser(files, folder), {
          onFalse: () => remove(files, folder),
          onTrue: () => removeForGood(files, folder)
        }),
        () => Effect.logWarning("A temporary folder could not be removed").pipe(Effect.annotateLogs({ folder }))
      )
    )
  )

/** Whether no process has the number, as far as this user may know. */
const isGone = (pid: number): boolean =>
  Either.match(Either.try({ try: () => process.kill(pid, 0), catch: (error) => error }), {
    onLeft: (error) => error instanceof Error && "code" in error && error.code === "ESRCH",
    onRight: () => false
  })

/** Removes the folders that killed processes left behind. */
export const clearFolders = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* files.readDirectory(tmpdir())
  const abandoned = names.filter((name) => {
    const pid = named.exec(name)?.[1]
    return pid !== undefined && isGone(Number(pid))
  })
  yield* Effect.forEach(abandoned, (name) => Effect.ignore(remove(files, path.join(tmpdir(), name))), { discard: true })
}).pipe(Effect.ignore)
