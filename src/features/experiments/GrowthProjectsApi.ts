import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, change, create, inPath, list, read, remove } from "../../foundation/http/Contract.ts"
import { bareHost, field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
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
  Schema.annotations({
    jsonSchema: { pattern: "^\\s*(?:[Hh][Tt][Tt][Pp][Ss]?://.+|[^/]{1,300}(?:/.*)?)$", type: "string" }
  }),
  Schema.brand("DomainName")
)
export type DomainName = typeof DomainName.Type

/** The changes of a growth project; an absent field stays as it is. */
export const GrowthProjectPatch = Schema.Struct({
  domain: Schema.optionalWith(DomainName, { exact: true }).annotations({
    description: "A domain, or any address on it"
  })
}).annotations({ identifier: "GrowthProjectPatch", description: "The changes; absent fields stay as they are" })
export type GrowthProjectPatch = typeof GrowthProjectPatch.Type

const NewGrowthProject = Schema.Struct({
  domain: Schema.propertySignature(DomainName).annotations({ description: "A domain, or any address on it" })
}).annotations({ identifier: "NewGrowthProject", description: "The domain" })

const one = "/growth-projects/:id"
const ids = Schema.Struct({ id: inPath(GrowthProjectId) })

/** The domains of experiments. */
export class GrowthProjectsApi extends HttpApiGroup.make("growth-projects")
  .annotateContext(about("Domains of experiments."))
  .add(
    list("list", "/growth-projects", {
      summary: "List growth projects",
      description: "The caller's growth projects, the oldest first (`created_at`, then `id`).",
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    create("create", "/growth-projects", {
      summary: "Create a growth project",
      description: "Creates a growth project for a domain; a domain may have several.",
      of: GrowthProjectResource,
      payload: NewGrowthProject,
      scope: ExperimentsWrite
    })
  )
  .add(
    read("get", one, {
      summary: "Read a growth project",
      description: "One growth project of the caller.",
      ids,
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    change("patch", one, {
      summary: "Change a growth project",
      description: "Gives a growth project another domain. While it has experiments, the answer is 409.",
      ids,
      of: GrowthProjectResource,
      payload: GrowthProjectPatch,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", one, {
      summary: "Delete a growth project",
      description: "Deletes a growth project. While it has experiments, the answer is 409.",
      ids,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
