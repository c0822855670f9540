import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../foundation/schema/DomainError.ts"

/** File for the first key, where the output of a start is logged. */
export const FirstKeyFile = Config.nonEmptyString("FINDABLE_FIRST_KEY_FILE").pipe(
  Config.option,
  Config.withDescription(
    "file, made with mode 0600, that gets the first API key; without it the first start prints the key"
  )
)

const ownerOnly = 0o600

const write = Effect.fnUntraced(
  function* (file: string, key: string) {
    const fs = yield* FileSystem.FileSystem
    const handle = yield* fs.open(file, { flag: "wx", mode: ownerOnly })
    // A file without the key, on a full disk, would stop the next start.
    yield* Effect.onError(Effect.zipRight(handle.writeAll(new TextEncoder().encode(`${key}\n`)), handle.sync), () =>
      Effect.ignore(fs.remove(file))
    )
  },
  Effect.scoped,
  (effect, file) =>
    Effect.mapError(
      effect,
      ({ message }) =>
        new Refused({
          message: `The first API key cannot be written to ${file}, which FINDABLE_FIRST_KEY_FILE names: ${message}`
        })
    )
)

/** Writes the first key to the file, if one is named, before the key is stored. */
export const handOver = (file: Option.Option<string>) => (key: string) =>
  Option.match(file, { onNone: () => Effect.void, onSome: (name) => write(name, key) })
