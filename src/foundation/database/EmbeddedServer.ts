import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Traced from "../schema/Traced.ts"
import { EmbeddedFailed, isAlive, type Place, run } from "./EmbeddedFiles.ts"

/** The most bytes of `server.log`. Beyond, the last bytes of the log, up to this number, move to `server.log.1`, and the log starts empty. */
export const largestLog = 8 << 20

/** The file that PostgreSQL's messages are appended to. */
const pathOf = (place: Place) => Effect.map(Path.Path, (path) => path.join(path.dirname(place.data), "server.log"))

// PostgreSQL keeps appending to the opened file, so the script empties the file instead of renaming it. The script runs as the database's user, who owns the
// directory: a link in it must not lead another user, above all root, to other files.
const script = '[ -w "$1" ] && tail -c "$2" "$1" | tail -n +2 > "$1.part" && mv -f "$1.part" "$1.1" && : > "$1"'

/**
 * Rotates a log that is longer than `most` bytes and returns whether the log is short now. If the process is killed meanwhile, the next one rotates: both files
 * may then have the same line, and a line written during the change may be lost.
 */
export const rotate = (place: Place, most = largestLog) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const log = yield* pathOf(place)
    const { size } = yield* fs.stat(log)
    if (Number(size) <= most) return true
    const { code, output } = yield* run("/bin/sh", ["-c", script, "sh", log, String(most)], { owner: place.owner })
    if (code !== 0)
      yield* Effect.logWarning(`${log} could not be rotated and will grow until the next start. ${output}`)
    return code === 0
  }).pipe(
    // Without a file there is nothing to rotate.
    Effect.catchTags({ BadArgument: () => Effect.succeed(true), SystemError: () => Effect.succeed(true) })
  )

/** Keeps the log of the cluster short until the scope closes, no matter which process started the cluster. */
export const keepShort = (place: Place) =>
  rotate(place).pipe(
    Effect.repeat({ schedule: Schedule.spaced("5 seconds"), while: (isShort) => isShort }),
    Effect.forkScoped
  )

/** The only role of an embedded cluster. The role needs no password, because only the owner can enter the socket's directory. */
export const superuser = "findable"

const program = (place: Place, name: string, args: ReadonlyArray<string>, detached = false) =>
  Effect.flatMap(Path.Path, (path) =>
    run(path.join(place.binaries.root, "bin", name), args, { detached, owner: place.owner })
  )

/** Our settings as lines of `postgresql.conf`; its format doubles quotes. */
const settingLines = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join("")

/** Creates the data directory under another name and renames it, so a crash or a second starter leaves no incomplete directory. */
const initialise = Effect.fnUntraced(function* (place: Place) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(path.join(place.data, "PG_VERSION"))) return
  const partial = yield* fs.makeTempDirectory({ directory: path.dirname(place.data), prefix: "initialising-" })
  if (place.owner !== undefined) yield* fs.chown(partial, place.owner.uid, place.owner.gid)
  const outcome = yield* program(place, "initdb", [
    `--pgdata=${partial}`,
    `--username=${superuser}`,
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--data-checksums"
  ])
  if (outcome.code !== 0) {
    yield* fs.remove(partial, { recursive: true })
    return yield* new EmbeddedFailed({ message: `initdb failed: ${outcome.output.trim()}` })
  }
  const configuration = path.join(partial, "postgresql.conf")
  yield* fs.writeFileString(configuration, "include 'findable.conf'\n", { flag: "a" })
  yield* fs.rename(partial, place.data).pipe(Effect.catchAll(() => fs.remove(partial, { recursive: true })))
})

const isRunning = (place: Place) =>
  Effect.map(program(place, "pg_ctl", ["status", "-D", place.data]), (outcome) => outcome.code === 0)

const lastLines = (text: string) => text.trim().split("\n").slice(-5).join("\n")

/**
 * Starts the cluster and returns true, or returns false when a postmaster runs already: one that outlived a killed server, or that another of our processes has
 * just started.
 */
export const start = Traced.fn("Embedded.start")(
  function* (place: Place, settings: Readonly<Record<string, string>>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* initialise(place)
    const version = (yield* fs.readFileString(path.join(place.data, "PG_VERSION"))).trim()
    if (version !== place.binaries.version.split(".")[0]) {
      return yield* new EmbeddedFailed({
        message: `${place.data} is from PostgreSQL ${version}, but the embedded PostgreSQL is ${place.binaries.version}. Set FINDABLE_DATA_DIR to another directory, or set DATABASE_URL.`
      })
    }
    if (yield* isRunning(place)) return false
    const configuration = path.join(place.data, "findable.conf")
    yield* fs.writeFileString(
      configuration,
      settingLines({
        listen_addresses: "",
        max_connections: "200",
        unix_socket_directories: place.sockets,
        unix_socket_permissions: "0700",
        ...settings
      })
    )
    const log = yield* pathOf(place)
    const outcome = yield* program(place, "pg_ctl", ["start", "-w", "-t", "60", "-D", place.data, "-l", log], true)
    if (outcome.code === 0) return true
    if (yield* isRunning(place)) return false
    const reason = yield* fs.readFileString(log).pipe(Effect.orElseSucceed(() => outcome.output))
    return yield* new EmbeddedFailed({
      message: `The embedded PostgreSQL in ${place.data} does not start:\n${lastLines(reason)}\nSet FINDABLE_DATA_DIR to another directory, or set DATABASE_URL.`
    })
  },
  Effect.catchTags({
    BadArgument: (error) => new EmbeddedFailed({ message: error.message }),
    SystemError: (error) => new EmbeddedFailed({ message: error.message })
  })
)

/** Whether the process in the cluster's lock file lives. PostgreSQL removes the file at an orderly end. */
const isUp = (place: Place) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const [pid] = (yield* fs.readFileString(path.join(place.data, "postmaster.pid"))).split("\n")
    // On a full disk the file may be empty, and 0 would mean this process's group.
    return Number(pid) > 0 && (yield* isAlive(Number(pid)))
  }).pipe(Effect.orElseSucceed(() => false))

/**
 * Restarts the cluster after each end until the scope closes. PostgreSQL gives up when its write-ahead log has no room, and the system kills PostgreSQL when
 * memory runs out.
 */
export const keepRunning = Effect.fnUntraced(function* (place: Place, settings: Readonly<Record<string, string>>) {
  let isDown = false
  const look = Effect.gen(function* () {
    if (yield* isUp(place)) return
    if (!isDown) yield* Effect.logWarning("The embedded PostgreSQL has stopped. Findable starts it again")
    isDown = true
    yield* start(place, settings)
    isDown = false
    yield* Effect.logInfo("The embedded PostgreSQL is running again")
  })
  // Without room the start fails too, and the log has the reason already.
  yield* Effect.ignore(look).pipe(Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)
})

/** Stops the cluster by PostgreSQL's fast shutdown, which ends sessions and leaves committed data on disk. */
export const stop = (place: Place) =>
  program(place, "pg_ctl", ["stop", "-w", "-t", "30", "-m", "fast", "-D", place.data])
