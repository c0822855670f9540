import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Client } from "./Client.ts"

/** A run that has not ended in time; it goes on. */
export class StillRunning extends Data.TaggedError("StillRunning")<{ readonly run: string }> {}

/** Seconds that the server is asked to hold each answer. */
const held = 25

type Looked = ReturnType<Client["siteHealth"]["get"]>

/** The run with its result when it has ended: the server waits along, so it is told within a second. Five minutes at most unless told. */
export const ended = (
  client: Client,
  run: string,
  { timeout = "5 minutes" }: { readonly timeout?: Duration.DurationInput } = {}
) => {
  const look = (): Looked =>
    Effect.filterOrElse(
      client.siteHealth.get({ path: { run_id: run }, query: { include: "result" }, wait: held }),
      ({ data }) => data.finished_at !== null,
      // A node that stops answers at once; then the next look is a second later.
      () => Effect.delay(Effect.suspend(look), "1 second")
    )
  return Effect.timeoutFail(look(), { duration: timeout, onTimeout: () => new StillRunning({ run }) })
}
