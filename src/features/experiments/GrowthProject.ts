import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { AccountId } from "../accounts/Domain.ts"
import { domainName } from "./DomainName.ts"

export const GrowthProjectId = Uuid.pipe(Schema.brand("GrowthProjectId"))
export type GrowthProjectId = typeof GrowthProjectId.Type

/** A domain for experiments; the account's sites on this domain find them. */
export const GrowthProject = Schema.Struct({
  id: GrowthProjectId,
  account_id: AccountId,
  domain: Schema.String,
  created_at: Timestamp
})
export type GrowthProject = typeof GrowthProject.Type

/** A growth project as its account sees it. */
export const GrowthProjectResource = GrowthProject.omit("account_id").annotations({ identifier: "GrowthProject" })

/** A domain in its one spelling, read from a host or any address on it. */
export const DomainName = Schema.Trim.pipe(
  Schema.filter((text) => Option.isSome(domainName(text)), {
    message: () => "must be a domain such as example.com, or an http or https URL on it without credentials"
  }),
  Schema.transform(Schema.String, {
    strict: true,
    decode: (text) => Option.getOrElse(domainName(text), () => text),
    encode: (domain) => domain
  }),
  Schema.brand("DomainName")
)
export type DomainName = typeof DomainName.Type
