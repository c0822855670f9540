/** Platform adapter: a digest over files that are read piece by piece; the web's own digests want all bytes at once. */
import { createHash } from "node:crypto"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ImportFailed } from "../ImportFailed.ts"

/** One digest of several files in their order, and of how they are read. */
export const hashOf = (files: ReadonlyArray<string>, how: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const all = createHash("sha256").update(JSON.stringify(how))
    for (const file of files) {
      const one = createHash("sha256")
      yield* fs.stream(file).pipe(
        Stream.runForEach((bytes) => Effect.sync(() => one.update(bytes))),
        Effect.mapError(({ message }) => new ImportFailed({ file, line: 0, reason: `cannot be read (${message})` }))
      )
      all.update(one.digest())
    }
    return all.digest("hex")
  })
