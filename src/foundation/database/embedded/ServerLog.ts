import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Place } from "./Place.ts"
import { run } from "./Process.ts"

/** Bytes of `server.log` above which its end moves to `server.log.1`, which has as many at most, and the log starts again. */
export const largestLog = 8 << 20

/** The file that PostgreSQL's messages are appended to. */
export const pathOf = (place: Place) =>
  Effect.map(Path.Path, (path) => path.join(path.dirname(place.data), "server.log"))

// PostgreSQL goes on appending to the file that it opened, so the file is emptied and not renamed. The database's user does it: the directory is that
// user's, and a link in it must not lead another user, root above all, to what is not.
const script = '[ -w "$1" ] && tail -c "$2" "$1" | tail -n +2 > "$1.part" && mv -f "$1.part" "$1.1" && : > "$1"'

/**
 * Rotates a log that is longer than `most` and returns whether it is short now. If the process is killed meanwhile, the next one rotates: a line may then
 * stand in both files, and a line written at the moment of the change in neither.
 */
export const rotate = (place: Place, most = largestLog) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const log = yield* pathOf(place)
    const { size } = yield* fs.stat(log)
    if (Number(size) <= most) return true
    const { code, output } = yield* run("/bin/sh", ["-c", script, "sh", log, String(most)], { owner: place.owner })
    if (code !== 0) yield* Effect.logWarning(`${log} could not be rotated and grows until the next start. ${output}`)
    return code === 0
  }).pipe(
    // Without a file there is nothing to rotate.
    Effect.catchTags({ BadArgument: () => Effect.succeed(true), SystemError: () => Effect.succeed(true) })
  )

/** Keeps the log of the cluster short until the scope closes, whichever process started the cluster. */
export const keepShort = (place: Place) =>
  rotate(place).pipe(
    Effect.repeat({ schedule: Schedule.spaced("5 seconds"), while: (isShort) => isShort }),
    Effect.forkScoped
  )
