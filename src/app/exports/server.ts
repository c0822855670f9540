/** `findable/server`: the API in your own program, with or without a listener; for Bun. */

export { Accounts } from "../../features/accounts/Accounts.ts"
/** Keys, rate limits and scopes of the product. */
export * as Authorize from "../../features/accounts/Authorize.ts"
export { AccountId } from "../../features/accounts/Domain.ts"
/** Checks of callers by the embedding program. */
export * as EmbedderAuth from "../../features/accounts/EmbedderAuth.ts"
export * as Database from "../../foundation/database/Database.ts"
export * as Location from "../../foundation/database/Location.ts"
export * as Guarded from "../../foundation/outbound/Guarded.ts"
/** The client of all outbound requests: `Guarded.layer` provides it, and you can wrap or replace it. */
export { Outbound, OutboundError } from "../../foundation/outbound/Outbound.ts"
export * as Workers from "../node/Workers.ts"
/** The API without a listener, under a prefix. */
export * as Embedded from "../server/Embedded.ts"
/** The API on `FINDABLE_HOST:FINDABLE_PORT`. */
export * as Server from "../server/Server.ts"
