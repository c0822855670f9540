/** Platform adapter: makes directories private without following links (`node:fs` alone opens with `O_NOFOLLOW`). */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { platform } from "node:os"
import * as Effect from "effect/Effect"
import { currentUid, EmbeddedFailed, type Owner } from "./Process.ts"

const ownerOnly = 0o700

const codeOf = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

/** The directory itself, held open, so that a later change of its name does not matter. A link in its place is not opened. */
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
 * Creates a directory that only its owner can enter, or takes one that is already ours. Others can create files in /tmp before us: a link there, or
 * another user's directory, is refused and left as it is.
 */
export const privateDirectory = (path: string, owner: Owner | undefined): Effect.Effect<void, EmbeddedFailed> =>
  Effect.gen(function* () {
    yield* make(path)
    // Windows has neither these modes nor these owners.
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
          message: `${path} is not a directory of Findable (${problem}): remove it, or name another FINDABLE_DATA_DIR`
        })
    )
  )
