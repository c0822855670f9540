import * as Schema from "effect/Schema"

/** The form factor that a page is audited as. */
export const Device = Schema.Literal("mobile", "desktop").annotations({ identifier: "AuditDevice" })
export type Device = typeof Device.Type
