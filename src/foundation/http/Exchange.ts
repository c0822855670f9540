import * as Context from "effect/Context"

/** The request that is being served: logs, metrics and answers read it. */
export class Exchange extends Context.Reference<Exchange>()("http/Exchange", {
  defaultValue: (): {
    /** `req_` and 26 characters; empty outside of a request. */
    readonly id: string
    readonly method: string
    /** The pattern of its route; undefined where no route matches. */
    readonly route: string | undefined
    /** Headers for its answer, whatever the answer is, unless it has its own. */
    readonly headers: Record<string, string>
  } => ({ headers: {}, id: "", method: "", route: undefined })
}) {}
