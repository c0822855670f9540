/** Platform adapter: what the process's streams are connected to, and raw writing to stderr. */
import * as Effect from "effect/Effect"

/** Whether stderr is a terminal: progress is shown only there. */
export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stderr.isTTY === true)

/** Whether stdout shows colours. */
export const hasColor: Effect.Effect<boolean> = Effect.sync(
  () => process.stdout.isTTY === true && process.stdout.hasColors()
)

/** Replaces the terminal's current line on stderr. */
export const replaceLine = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`\r\u001b[2K${text}`)
  })
