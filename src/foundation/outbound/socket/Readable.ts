/** Platform adapter: a `node:stream` in paused mode, without read-ahead beyond the stream's own small buffer. */
import type { Readable } from "node:stream"
import type { Fault } from "../Fault.ts"
import { nothing, type Poll, type WakeUp } from "../Poll.ts"

/** Takes over a stream; `failed` maps its errors, `cut` is the fault of a stream that closes without an end, and every change rings the wake-up. */
export const poll = (stream: Readable, failed: (error: Error) => Fault, cut: Fault, wakeUp: WakeUp): Poll => {
  // An earlier error was emitted before the listeners below existed; it is on the stream.
  let outcome: Fault | undefined | typeof nothing = nothing
  if (stream.destroyed) outcome = stream.errored == null ? cut : failed(stream.errored)
  const finish = (ended: Fault | undefined) => {
    if (outcome === nothing) outcome = ended
    wakeUp.ring()
  }
  stream.on("readable", wakeUp.ring)
  stream.on("end", () => finish(undefined))
  stream.on("error", (error) => finish(failed(error)))
  stream.on("close", () => finish(cut))
  return () => {
    const chunk: unknown = stream.read()
    return chunk instanceof Uint8Array ? chunk : outcome
  }
}
