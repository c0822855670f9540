/** Platform adapter (`node:fs`, `node:os`, `process`): the folders of browsers and of crawls, which have the process in their names that made them. */
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"

/** What makes a folder: a browser its profile, a crawl what its process and its browser write. */
type Owner = "browser" | "crawl"

const named = /^findable-(?:browser|crawl)-(\d+)-/

/** Processes that were just killed may still put files back for a moment. */
const patience = Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurs(40)))

const remove = (files: FileSystem.FileSystem, folder: string) =>
  files.remove(folder, { force: true, recursive: true }).pipe(Effect.retry(patience))

/** Whether a browser has its folder in this one, as it does where its process was killed. */
const hasBrowser = (files: FileSystem.FileSystem, folder: string) =>
  Effect.map(files.readDirectory(folder), (names) => names.some((name) => named.test(name)))

const read = <A>(attempt: () => A, without: A): A => Either.getOrElse(Either.try(attempt), () => without)

/** Ends the browsers that use a folder, as far as the system tells of them (Linux). */
const endBrowsers = (folder: string) =>
  Effect.sync(() => {
    for (const pid of read(() => readdirSync("/proc"), [])
      .map(Number)
      .filter(Number.isInteger)) {
      const isUser = read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").includes(`--user-data-dir=${folder}`)
      // Each leads a group of its own, with all that it has started.
      if (isUser) for (const target of [-pid, pid]) read(() => process.kill(target, "SIGKILL"), false)
    }
  })

/** A browser outlives the process that drives it by a moment, in which it would make its folder again: it is ended first, and the folder is removed until it stays away. */
const removeForGood = (files: FileSystem.FileSystem, folder: string) =>
  endBrowsers(folder).pipe(
    Effect.zipRight(remove(files, folder)),
    Effect.zipRight(Effect.sleep("200 millis")),
    Effect.zipRight(files.exists(folder)),
    Effect.repeat({ times: 20, until: (isThere) => !isThere })
  )

/** A temporary folder, which is removed with all that is in it when the scope ends. */
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

/** Whether no process of this machine has the number, as far as we may know. */
const isGone = (pid: number): boolean =>
  Either.match(Either.try({ try: () => process.kill(pid, 0), catch: (error) => error }), {
    onLeft: (error) => error instanceof Error && "code" in error && error.code === "ESRCH",
    onRight: () => false
  })

/** Removes the folders of processes that were killed before they could do it themselves. */
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
