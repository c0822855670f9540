import * as Schema from "effect/Schema"

/** What runs an audit: Lighthouse on this installation's Chromium, or PageSpeed Insights on Google's machines. */
export const Auditing = Schema.Literal("lighthouse", "psi").annotations({ identifier: "Auditing" })
export type Auditing = typeof Auditing.Type

/** Where an audit comes from: one of the above, or an imported report. */
export const Source = Schema.Literal(...Auditing.literals, "import").annotations({ identifier: "AuditSource" })
export type Source = typeof Source.Type
