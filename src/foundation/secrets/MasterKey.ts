import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DataDirectory } from "../database/Settings.ts"
import { Entropy } from "./Entropy.ts"

/** Length of a master key in bytes. */
const masterKeyLength = 32

/** Reads the base64 of a master key; surrounding white space, as a text editor leaves it, is ignored. */
const decode = (text: string): Option.Option<Redacted.Redacted<Uint8Array>> =>
  Encoding.decodeBase64(text.trim()).pipe(
    Either.getRight,
    Option.filter((bytes) => bytes.length === masterKeyLength),
    Option.map(Redacted.make)
  )

/** The key file cannot be read or created, or has no key. */
export class MasterKeyUnusable extends Data.TaggedError("MasterKeyUnusable")<{
  readonly file: string
  readonly problem: string
}> {
  override get message() {
    return `The master key in ${this.file} cannot be used: ${this.problem}. Restore the file from a backup, or set FINDABLE_MASTER_KEY.`
  }
}

const ownerOnly = 0o600
const everybodyElse = 0o077

/**
 * Writes the key to a temporary file, then gives the file its final name by a hard link. A link appears atomically and never replaces a file: when two nodes
 * start together, one wins and both read its key, and a crash leaves no key or a complete one.
 */
const create = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const entropy = yield* Entropy
  const draft = `${file}.${Encoding.encodeHex(yield* entropy.bytes(8))}`
  const text = `${Encoding.encodeBase64(yield* entropy.bytes(masterKeyLength))}\n`
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(draft)))
  const handle = yield* fs.open(draft, { flag: "wx", mode: ownerOnly })
  yield* handle.writeAll(new TextEncoder().encode(text))
  yield* handle.sync
  yield* fs.link(draft, file).pipe(
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
      () => Effect.void
    )
  )
}, Effect.scoped)

const warnIfReadableByOthers = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { mode } = yield* fs.stat(file)
  // Windows reports meaningless mode bits.
  if (path.sep === "/" && (mode & everybodyElse) !== 0) {
    yield* Effect.logWarning(`Other users of this machine can read the master key. Run chmod 600 ${file}`)
  }
})

const unusable = (file: string) => (problem: string) => new MasterKeyUnusable({ file, problem })

const readAt = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  yield* warnIfReadableByOthers(file)
  return yield* Option.match(decode(yield* fs.readFileString(file)), {
    onNone: () => Effect.fail(unusable(file)("it is not the base64 of 32 bytes")),
    onSome: Effect.succeed
  })
})

const asUnusable = (file: string) =>
  Effect.mapError((error: PlatformError | MasterKeyUnusable) =>
    error._tag === "MasterKeyUnusable" ? error : unusable(file)(error.message)
  )

const place = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.join(yield* DataDirectory, "master.key")
})

/** The key in `master.key` of the data directory. A missing file is created with mode 0600. */
const obtain = Effect.flatMap(place, (file) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    yield* Effect.unlessEffect(create(file), fs.exists(file))
    return yield* readAt(file)
  }).pipe(asUnusable(file))
)

/** The key in the key file, if the file exists. */
const findKeyFile = Effect.flatMap(place, (file) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.whenEffect(readAt(file), fs.exists(file))
  }).pipe(asUnusable(file))
)

/** The 32 bytes that protect every stored secret; all nodes of one database need the same key. */
export class MasterKey extends Context.Tag("secrets/MasterKey")<MasterKey, Redacted.Redacted<Uint8Array>>() {}

/** The key that is being replaced. Secrets under this key stay readable until all are rotated. */
export class OldMasterKey extends Context.Reference<OldMasterKey>()("secrets/OldMasterKey", {
  defaultValue: (): Option.Option<Redacted.Redacted<Uint8Array>> => Option.none()
}) {}

const keyIn = (variable: string) =>
  Config.redacted(variable).pipe(
    Config.mapOrFail((text) =>
      Either.fromOption(decode(Redacted.value(text)), () =>
        ConfigError.InvalidData(
          [variable],
          "must be the base64 of exactly 32 bytes, as `openssl rand -base64 32` prints it"
        )
      )
    ),
    Config.option
  )

/** The key in the environment, if any; an error message never holds its value. */
export const FromEnvironment = keyIn("FINDABLE_MASTER_KEY").pipe(
  Config.withDescription(
    "Master key that encrypts stored secrets: base64 of 32 bytes. Default: a key file in the data directory"
  )
)

/** The key that is being replaced, if one is. */
export const OldFromEnvironment = keyIn("FINDABLE_OLD_MASTER_KEY").pipe(
  Config.withDescription(
    "Old master key during a key change. Secrets that it encrypted stay readable until `secrets rotate` has finished"
  )
)

/** The configured key that is being replaced. */
export const oldLayer = Layer.effect(OldMasterKey, OldFromEnvironment)

/** The key from the environment, or else from the key file in the data directory, which the first start creates. */
export const layer = Layer.effect(
  MasterKey,
  Effect.flatMap(FromEnvironment, Option.match({ onNone: () => obtain, onSome: Effect.succeed }))
)

/** The key that a node would use here, if any; creates none. */
export const find = Effect.filterOrElse(FromEnvironment, Option.isSome, () => findKeyFile)
