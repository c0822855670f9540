import * as Schema from "effect/Schema"
import { Uuid } from "../../foundation/schema/Uuid.ts"

/** Identifier of an audit. */
export const AuditId = Uuid.pipe(Schema.brand("AuditId"))
export type AuditId = typeof AuditId.Type
