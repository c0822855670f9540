/** Platform adapter: a `node:stream` in paused mode; nothing is read ahead of the stream's own small buffer. */
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import type { Fault } from "../Fault.ts"
import { end, type Pull } from "../Pull.ts"

/** A stream that is asked, not listened to. */
export interface Source {
  /** The next piece, the end, or the failure when it is there already. */
  readonly poll: () => Pull | undefined
  /** Waits until it is worth polling again. */
  readonly changed: Effect.Effect<void>
  /** Makes `changed` come true. */
  readonly ring: () => void
}

/** Takes over a stream; `failed` names its errors, and `cut` is the failure of one that closes without an end. */
export const source = (stream: Readable, failed: (error: Error) => Fault, cut: Fault): Source => {
  let outcome: Pull | undefined
  let rung = false
  let wake = () => {}
  const ring = () => {
    rung = true
    wake()
  }
  const finish = (effect: Pull) => {
    outcome ??= effect
    ring()
  }
  // An error of before now was told to nobody here; it is on the stream.
  if (stream.destroyed) outcome = Effect.fail(stream.errored == null ? cut : failed(stream.errored))
  stream.on("readable", ring)
  stream.on("end", () => finish(end))
  stream.on("error", (error) => finish(Effect.fail(failed(error))))
  stream.on("close", () => finish(Effect.fail(cut)))
  return {
    poll: () => {
      rung = false
      const chunk: unknown = stream.read()
      return chunk instanceof Uint8Array ? Effect.succeed(chunk) : outcome
    },
    changed: Effect.async<void>((resume) => {
      wake = () => resume(Effect.void)
      if (rung) wake()
      return Effect.sync(() => {
        wake = () => {}
      })
    }),
    ring
  }
}

/** The stream as a pull; `changed` is the source's own, or one that gives up. */
export const pull = (from: Source, changed: Effect.Effect<void, Fault>): Pull => {
  const next: Pull = Effect.suspend(() => from.poll() ?? Effect.zipRight(changed, next))
  return next
}
