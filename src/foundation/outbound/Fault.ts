import * as Data from "effect/Data"
import type { OutboundReason } from "./Outbound.ts"

/** A failure inside an exchange, without its timings. */
export class Fault extends Data.TaggedError("Fault")<{ readonly reason: OutboundReason; readonly message: string }> {}

/** A fault of the protocol, the only kind that parsers raise. */
export const protocol = (message: string) => new Fault({ reason: "protocol", message })
