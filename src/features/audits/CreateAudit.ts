import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { portProblem } from "../../foundation/schema/BadPorts.ts"
import { field } from "../../foundation/schema/Field.ts"
import { isWebAddress, webUrl } from "../../foundation/schema/WebAddress.ts"
import { Device } from "./Domain.ts"

/** Address of a page to audit: absolute, http or https, without credentials, at most 2,048 characters. */
export const PageAddress = Schema.String.pipe(
  Schema.maxLength(2048),
  Schema.filter((text) => isWebAddress(text) || "must be an absolute http or https URL"),
  Schema.filter((text) => Option.isSome(webUrl(text)) || "must be an absolute http or https URL without credentials"),
  Schema.filter(portProblem),
  Schema.annotations({ identifier: "PageAddress", jsonSchema: { format: "uri", maxLength: 2048 } })
)

/** A field that clients of similar services send: accepted with any value, without effect. */
const ignored = Schema.optionalWith(Schema.Unknown.annotations({ jsonSchema: { type: "boolean" } }), {
  exact: true
}).annotations({ description: "Accepted with any value, without effect" })

/** Body of `POST /audits`. */
export const CreateAudit = Schema.Struct({
  url: field(PageAddress, "Page to audit: absolute, http or https, without credentials, at most 2,048 characters"),
  device: Schema.optionalWith(
    Device.annotations({ message: () => ({ message: "must be mobile or desktop", override: true }) }),
    { exact: true }
  ).annotations({ description: "Form factor that it is audited as" }),
  generate_fix_packs: ignored,
  verify_ssl: ignored
}).annotations({ identifier: "CreateAudit", description: "The page to audit" })
export type CreateAudit = typeof CreateAudit.Type
