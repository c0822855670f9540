import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { isTerminal, replaceLine } from "../../terminal/Console.ts"
import * as Decode from "../decode/Decode.ts"
import type { Options } from "../decode/Options.ts"
import type { FileFormat } from "../FileFormat.ts"
import { ImportFailed } from "../ImportFailed.ts"
import { fileHash } from "../import/FileHash.ts"
import { bar } from "./ProgressBar.ts"

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

/** Draws the bar at whole per cents, on a terminal only. */
const progress = (total: number) =>
  Effect.gen(function* () {
    const shown = yield* isTerminal
    const state = yield* Ref.make({ bytes: 0, percent: -1 })
    return (bytes: number) =>
      Effect.flatMap(
        Ref.modify(state, (old) => {
          const read = old.bytes + bytes
          const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * read) / total))
          return [percent > old.percent ? percent : undefined, { bytes: read, percent }]
        }),
        (percent) => (shown && percent !== undefined ? replaceLine(bar(percent, total)) : Effect.void)
      )
  })

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

/** Reads what all files hold, in their order, with a progress bar on stderr where a person sees it. */
export const batches = (files: ReadonlyArray<string>, format: FileFormat) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const sizes = yield* sizesOf(files)
    const advance = yield* progress(sizes.reduce((sum, size) => sum + size, 0))
    const shown = yield* isTerminal
    return (options: Options) =>
      Stream.fromIterable(files).pipe(
        Stream.flatMap((file) =>
          fs.stream(file, { chunkSize }).pipe(
            Stream.mapError(unreadable(file)),
            Stream.tap((bytes) => advance(bytes.length)),
            Decode.rows(format, file, options)
          )
        ),
        Stream.ensuring(Effect.when(replaceLine(""), () => shown))
      )
  })
