import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fileHash } from "../../../foundation/text/FileHash.ts"
import * as Decode from "../decode/Decode.ts"
import type { Options } from "../decode/Options.ts"
import type { FileFormat } from "../FileFormat.ts"
import { ImportFailed } from "../ImportFailed.ts"
import * as Progress from "./Progress.ts"

/** Bytes read at a time: each piece becomes one COPY. */
const chunkSize = 512 * 1024

const unreadable = (file: string) => (error: { readonly message: string }) =>
  new ImportFailed({ file, line: 0, reason: `cannot be read (${error.message})` })

/** The sizes of files, before any is read; a missing one fails at once. */
const sizesOf = (files: ReadonlyArray<string>) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.forEach(files, (file) =>
      Effect.mapBoth(fs.stat(file), { onFailure: unreadable(file), onSuccess: ({ size }) => Number(size) })
    )
  )

/** The digest of a file. */
export const digestOf = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const hash = fileHash()
    yield* fs.stream(file).pipe(
      Stream.runForEach((bytes) => Effect.sync(() => hash.add(bytes))),
      Effect.mapError(unreadable(file))
    )
    return hash.digest()
  })

/** Reads all files in their order; on a terminal a line shows the progress until the scope ends. */
export const batches = (files: ReadonlyArray<string>, format: FileFormat) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const sizes = yield* sizesOf(files)
    const advance = yield* Progress.make(sizes.reduce((sum, size) => sum + size, 0))
    return (options: Options) =>
      Stream.fromIterable(files).pipe(
        Stream.flatMap((file) =>
          fs.stream(file, { chunkSize }).pipe(
            Stream.mapError(unreadable(file)),
            Stream.tap((bytes) => advance(bytes.length)),
            Decode.rows(format, file, options)
          )
        )
      )
  })
