import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { bareHost } from "../../foundation/schema/WebAddress.ts"
import { AccountId } from "../accounts/Domain.ts"

export const GrowthProjectId = Uuid.pipe(Schema.brand("GrowthProjectId"))
export type GrowthProjectId = typeof GrowthProjectId.Type

/** A domain for experiments; the account's sites on this domain find them. */
export const GrowthProject = Schema.Struct({
  id: GrowthProjectId.annotations({ description: "UUID of the growth project" }),
  account_id: AccountId,
  domain: Schema.String.annotations({ description: "Host name in lower case and punycode, without `www.`" }),
  created_at: field(Timestamp, "When it was made")
})
export type GrowthProject = typeof GrowthProject.Type

/** A growth project as its account sees it. */
export const GrowthProjectResource = GrowthProject.omit("account_id").annotations({
  identifier: "GrowthProject",
  description: "A domain of experiments"
})

const webAddress = /^https?:\/\/[^/\\]/i

/** A host, perhaps with a port and a path, but with nothing that could be another scheme or credentials. */
const hostAlone = /^(?:\[[\da-f:.]+\]|[^\s/\\?#:@[\]]+)(?::\d+)?(?:[/?#]|$)/i

/** Characters of a name (RFC 1035 §2.3.4, without the length of the root). */
const longest = 253

const urlOf = (text: string) =>
  webAddress.test(text) ? URL.parse(text) : hostAlone.test(text) ? URL.parse(`https://${text}`) : null

/**
 * The domain that a host or web address names: lower case, punycode, without scheme, `www.`, port, path and the root's final dot. None for
 * anything else, and for an address with credentials.
 */
export const domainName = (text: string): Option.Option<string> =>
  Option.fromNullable(urlOf(text)).pipe(
    Option.filter(({ password, username }) => username === "" && password === ""),
    Option.map(({ hostname }) => bareHost(hostname.replace(/\.$/, ""))),
    Option.filter((domain) => domain !== "" && domain.length <= longest)
  )

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

/** The changes of a growth project; an absent field stays as it is. */
export const GrowthProjectPatch = Schema.Struct({
  domain: Schema.optionalWith(DomainName.annotations({ description: "A domain, or any address on it" }), {
    exact: true
  })
}).annotations({ identifier: "GrowthProjectPatch", description: "The changes; absent fields stay as they are" })
export type GrowthProjectPatch = typeof GrowthProjectPatch.Type
