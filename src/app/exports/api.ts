/** `findable/api`: the contract and its client, for Node, Bun and browsers. */

export { Api } from "../../Api.ts"
export { ApiError } from "../../foundation/http/ApiError.ts"
export type { Client, Options } from "../client/Client.ts"
export { make, records } from "../client/Client.ts"
export type { Patience } from "../client/Patience.ts"
export { ended, StillRunning } from "../client/RunEnd.ts"
