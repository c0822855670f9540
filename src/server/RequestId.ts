import * as Context from "effect/Context"
import { digits } from "../secrets/Base32.ts"

/** The id of the request being served, `req_` and 26 characters (130 random bits); it is in the answer, its header and the log. */
export class RequestId extends Context.Reference<RequestId>()("server/RequestId", { defaultValue: () => "" }) {
  static fromRandom(bytes: Uint8Array): string {
    return `req_${digits(bytes.subarray(0, 26))}`
  }
}
