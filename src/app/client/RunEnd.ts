import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Client } from "./Client.ts"

/** The run has not ended in time, and goes on. */
export class StillRunning extends Data.TaggedError("StillRunning")<{ readonly run: string }> {}

/** Seconds of `Prefer: wait` in each request. */
const held = 25

type Looked = ReturnType<Client["siteHealth"]["get"]>

/** Waits for the end of a run and returns it with its result. The server holds each answer until then, so the end is seen within a second. Default: five minutes at most. */
export const ended = (
  client: Client,
  run: string,
  { timeout = "5 minutes" }: { readonly timeout?: Duration.DurationInput } = {}
) => {
  const look = (): Looked =>
    Effect.filterOrElse(
      client.siteHealth.get({ path: { run_id: run }, query: { include: "result" }, wait: held }),
      ({ data }) => data.finished_at !== null,
      // A stopping node answers at once, so the next request comes a second later.
      () => Effect.delay(Effect.suspend(look), "1 second")
    )
  return Effect.timeoutFail(look(), { duration: timeout, onTimeout: () => new StillRunning({ run }) })
}
