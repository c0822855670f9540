/** `findable/api`: the contract and its client, for Node, Bun and browsers. */

export { Api } from "../Api.ts"
export { ApiError } from "../http/Failure.ts"
