import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Traced from "../../schema/Traced.ts"
import { type Binaries, locate } from "./Binaries.ts"
import { databaseOwner } from "./Owner.ts"
import { privateDirectory } from "./PrivateDirectory.ts"
import { EmbeddedFailed, type Owner, run } from "./Process.ts"

/** Where root puts files that the database's user cannot reach in the clone. */
const systemDirectory = "/var/lib/findable"

/** A path of a unix socket holds 107 bytes at most (`sun_path`), and PostgreSQL adds its own file name. */
const socketPathLimit = 80

/** Programs, user and directories of one cluster. */
export interface Place {
  readonly binaries: Binaries
  readonly owner: Owner | undefined
  /** PostgreSQL's data directory. */
  readonly data: string
  /** Directory of the unix socket; only the owner (and root) can enter. */
  readonly sockets: string
  /** One sentence for each thing that stands elsewhere than the operator asked. */
  readonly notices: ReadonlyArray<string>
}

const sharedUser =
  "PostgreSQL runs as the user nobody, which other programs may use too: create a user postgres, or start as an ordinary user"

const slug = (text: string) => (Hash.string(text) >>> 0).toString(16).padStart(8, "0")

const denied = (path: string) => (error: { readonly message: string }) =>
  new EmbeddedFailed({ message: `Cannot prepare ${path} for the embedded PostgreSQL: ${error.message}` })

/**
 * Creates the data directory, for us alone; the user that PostgreSQL runs as must pass through it to its own files, so its group may enter. An existing
 * directory keeps the operator's mode.
 */
const dataDirectory = Effect.fnUntraced(function* (directory: string, owner: Owner | undefined) {
  const fs = yield* FileSystem.FileSystem
  if (yield* fs.exists(directory)) return
  yield* fs.makeDirectory(directory, { recursive: true, mode: 0o700 })
  if (owner === undefined) return
  yield* fs.chown(directory, 0, owner.gid)
  yield* fs.chmod(directory, 0o710)
})

const canEnter = (directory: string, owner: Owner) =>
  Effect.map(run("/bin/sh", ["-c", 'cd "$1"', "sh", directory], { owner }), (outcome) => outcome.code === 0)

/** Copies the programs to the system directory when the database's user cannot reach them; whole or not at all. */
const reachableBinaries = Effect.fnUntraced(function* (binaries: Binaries, owner: Owner) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if ((yield* run(path.join(binaries.root, "bin", "postgres"), ["--version"], { owner })).code === 0) return binaries
  const root = path.join(systemDirectory, `postgresql-${binaries.version}`)
  if (!(yield* fs.exists(root))) {
    if (!(yield* fs.exists(systemDirectory))) {
      yield* fs.makeDirectory(systemDirectory, { recursive: true })
      yield* fs.chmod(systemDirectory, 0o755)
    }
    const partial = yield* fs.makeTempDirectory({ directory: systemDirectory, prefix: "copying-" })
    yield* fs.chmod(partial, 0o755)
    // Not FileSystem.copy: it makes relative links absolute, and these would lead back to where the user cannot enter.
    const copied = yield* run("/bin/cp", ["-a", binaries.root, path.join(partial, "tree")], { owner: undefined })
    if (copied.code !== 0)
      return yield* new EmbeddedFailed({ message: `PostgreSQL could not be copied to ${root}: ${copied.output}` })
    yield* fs
      .rename(path.join(partial, "tree"), root)
      .pipe(
        Effect.catchAll((error) =>
          Effect.flatMap(fs.exists(root), (there) => (there ? Effect.void : Effect.fail(error)))
        )
      )
    yield* fs.remove(partial, { recursive: true })
  }
  return { ...binaries, root }
})

/** Where the cluster of a directory and its programs are: there, unless its owner cannot pass through it. */
const homeOf = Effect.fnUntraced(function* (asked: string, owner: Owner | undefined) {
  const path = yield* Path.Path
  return owner === undefined || (yield* canEnter(asked, owner))
    ? asked
    : path.join(systemDirectory, `data-${slug(asked)}`)
})

/** A name below a file exists no more than one that was never made. */
const there = (place: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.exists(place), () => false))

/** The directory, or the nearest one above it, that exists. */
const above = (place: string): Effect.Effect<string, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    return (yield* there(place)) ? place : yield* above(path.dirname(place))
  })

/** Fails when a directory cannot be written, or, where it does not exist, cannot be made. */
export const checkWritable = (directory: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const nearest = yield* above(path.resolve(directory))
    if ((yield* fs.stat(nearest)).type !== "Directory") {
      return yield* new EmbeddedFailed({ message: `${nearest} is not a directory` })
    }
    yield* fs.access(nearest, { writable: true })
  }).pipe(
    Effect.mapError(
      ({ message }) =>
        new EmbeddedFailed({ message: `Cannot write in ${directory}: ${message}. Name another FINDABLE_DATA_DIR` })
    )
  )

/** Whether the cluster of a directory exists. Makes nothing, and fails where `prepare` would lack programs or their user. */
export const isMade = Effect.fnUntraced(
  function* (directory: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const asked = path.resolve(directory)
    const owner = yield* databaseOwner
    yield* locate
    if (!(yield* there(asked))) return false
    return yield* fs.exists(path.join(yield* homeOf(asked, owner), "postgres", "data", "PG_VERSION"))
  },
  (effect, directory) => Effect.catchTags(effect, { BadArgument: denied(directory), SystemError: denied(directory) })
)

/** Decides where the cluster of `directory` lives, and makes its directories accessible to the user that owns it. */
export const prepare = Traced.fn("Embedded.prepare")(
  function* (directory: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const asked = path.resolve(directory)
    const owner = yield* databaseOwner
    const found = yield* locate
    const notices: Array<string> = []
    yield* dataDirectory(asked, owner)
    if (owner?.name === "nobody") yield* Effect.logWarning(sharedUser)

    const home = yield* homeOf(asked, owner)
    yield* fs.makeDirectory(home, { recursive: true })
    const binaries = owner === undefined ? found : yield* reachableBinaries(found, owner)
    if (home !== asked) notices.push(`The database's user cannot enter ${asked}: its files are in ${home}`)
    if (binaries.root !== found.root) notices.push(`PostgreSQL's programs were copied to ${binaries.root}`)

    const cluster = path.join(home, "postgres")
    const near = path.join(cluster, "socket")
    const sockets = near.length <= socketPathLimit ? near : `/tmp/findable-${slug(cluster)}`
    yield* privateDirectory(cluster, owner)
    yield* privateDirectory(sockets, owner)
    return { binaries, data: path.join(cluster, "data"), notices, owner, sockets } satisfies Place
  },
  (effect, directory) => Effect.catchTags(effect, { BadArgument: denied(directory), SystemError: denied(directory) })
)
