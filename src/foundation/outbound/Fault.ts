import * as Data from "effect/Data"
import type { OutboundReason } from "./OutboundError.ts"

/** A failure inside an exchange, before the phases that were reached are added to it. */
export class Fault extends Data.TaggedError("Fault")<{ readonly reason: OutboundReason; readonly message: string }> {}

/** The shorthand of the parsers, which know only one kind of failure. */
export const protocol = (message: string) => new Fault({ reason: "protocol", message })
