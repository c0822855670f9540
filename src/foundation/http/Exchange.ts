import * as Context from "effect/Context"

/** One request under way: a value that is made once and read by everything that has to tell of it. */
export class Exchange extends Context.Reference<Exchange>()("http/Exchange", {
  defaultValue: (): {
    /** `req_` and 26 characters; empty outside of a request. */
    readonly id: string
    readonly method: string
    /** The pattern of its route; undefined where there is none. */
    readonly route: string | undefined
    /** Headers that its answer gets, whatever it will be, unless the answer has its own. */
    readonly headers: Record<string, string>
  } => ({ headers: {}, id: "", method: "", route: undefined })
}) {}
