import * as Effect from "effect/Effect"
import { isTerminal, replaceLine } from "../../../foundation/terminal/Output.ts"

const width = 30

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** A bar of 30 places for a share of `total` bytes. */
export const bar = (percent: number, total: number): string => {
  const full = Math.round((width * percent) / 100)
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(percent).padStart(3)} % of ${megabytes(total)}`
}

const silent = () => Effect.void

/** Shows, each second, for how long rows have been stored: with large files storing takes longer than reading. */
const storing = (total: number) =>
  Effect.iterate(0, {
    body: (seconds) =>
      Effect.as(
        Effect.zipRight(replaceLine(`${bar(100, total)}, storing for ${seconds} s`), Effect.sleep("1 second")),
        seconds + 1
      ),
    while: () => true
  })

/** A progress line on stderr, on terminals only, for an import of `total` bytes. Takes the number of bytes just read; the line goes with the scope. */
export const make = (total: number) =>
  Effect.gen(function* () {
    if (!(yield* isTerminal)) return silent
    const scope = yield* Effect.scope
    yield* Effect.addFinalizer(() => replaceLine(""))
    let read = 0
    let shown = -1
    return (bytes: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        read += bytes
        // A file that grows meanwhile is longer than `total`.
        const percent = read >= total ? 100 : Math.floor((100 * read) / total)
        if (percent <= shown) return Effect.void
        shown = percent
        return percent === 100 ? Effect.asVoid(Effect.forkIn(storing(total), scope)) : replaceLine(bar(percent, total))
      })
  })
