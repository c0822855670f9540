import * as Schema from "effect/Schema"

/** Who can audit a page for us: Lighthouse on this installation's Chromium, or Google's machines. */
export const Auditing = Schema.Literal("lighthouse", "psi").annotations({ identifier: "Auditing" })
export type Auditing = typeof Auditing.Type

/** Where an audit comes from: the above, or a report that somebody else produced. */
export const Source = Schema.Literal(...Auditing.literals, "import").annotations({ identifier: "AuditSource" })
export type Source = typeof Source.Type
