import * as Context from "effect/Context"

/** The number of requests whose response is not sent to its last byte, as the listener counts them; 0 where the API is served by another program. */
export class PendingResponses extends Context.Reference<PendingResponses>()("server/PendingResponses", {
  defaultValue: () => ({ count: (): number => 0 })
}) {}
