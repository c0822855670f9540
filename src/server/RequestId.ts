import * as Context from "effect/Context"

/** Crockford's base 32, lower case: no letter that is read as another. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The id of the request being served, `req_` and 26 characters (130 random bits); it is in the answer, its header and the log. */
export class RequestId extends Context.Reference<RequestId>()("server/RequestId", { defaultValue: () => "" }) {
  static fromRandom(bytes: Uint8Array): string {
    return `req_${Array.from(bytes.subarray(0, 26), (byte) => alphabet[byte & 31]).join("")}`
  }
}
