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

/** A domain for experiments; the account's sites on the domain link to them. */
export const GrowthProject = Schema.Struct({
  id: GrowthProjectId.annotations({ description: "UUID of the experiment domain" }),
  account_id: AccountId,
  domain: Schema.String.annotations({ description: "Host name in lower case and punycode, without `www.`" }),
  created_at: field(Timestamp, "When it was created")
})
export type GrowthProject = typeof GrowthProject.Type

/** A growth project of the API. */
export const GrowthProjectResource = GrowthProject.omit("account_id").annotations({
  identifier: "GrowthProject",
  description: "A domain for experiments"
})

const webAddress = /^https?:\/\/[^/\\]/i

/** A host, perhaps with a port and a path, but without another scheme or credentials. */
const hostAlone = /^(?:\[[\da-f:.]+\]|[^\s/\\?#:@[\]]+)(?::\d+)?(?:[/?#]|$)/i

/** Maximum characters of a name (RFC 1035 §2.3.4, without the length of the root). */
const longest = 253

const urlOf = (text: string) =>
  webAddress.test(text) ? URL.parse(text) : hostAlone.test(text) ? URL.parse(`https://${text}`) : null

/**
 * The domain of a host or web URL: lower case, punycode, without scheme, `www.`, port, path and the root's final dot. `none` for other texts and for a URL
 * with credentials.
 */
export const domainName = (text: string): Option.Option<string> =>
  Option.fromNullable(urlOf(text)).pipe(
    Option.filter(({ password, username }) => username === "" && password === ""),
    Option.map(({ hostname }) => bareHost(hostname.replace(/\.$/, ""))),
    Option.filter((domain) => domain !== "" && domain.length <= longest)
  )

/** A normalized domain, read from a host or any URL on it. */
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

/** The changes of a growth project; absent fields stay. */
export const GrowthProjectPatch = Schema.Struct({
  domain: Schema.optionalWith(DomainName, { exact: true }).annotations({
    description: "A domain, or any URL on it"
  })
}).annotations({
  identifier: "GrowthProjectPatch",
  description: "Fields to change; fields that you leave out stay the same"
})
export type GrowthProjectPatch = typeof GrowthProjectPatch.Type

const NewGrowthProject = Schema.Struct({
  domain: Schema.propertySignature(DomainName).annotations({ description: "A domain, or any URL on it" })
}).annotations({ identifier: "NewGrowthProject", description: "The domain" })

const one = "/growth-projects/:id"
const ids = Schema.Struct({ id: inPath(GrowthProjectId) })

/** Domains for experiments. */
export class GrowthProjectsApi extends HttpApiGroup.make("growth-projects")
  .annotateContext(about("Domains that experiments belong to."))
  .add(
    list("list", "/growth-projects", {
      summary: "List experiment domains",
      description: "Experiment domains of your account, oldest first (`created_at`, then `id`).",
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    create("create", "/growth-projects", {
      summary: "Add an experiment domain",
      description: "Adds a domain for experiments. The same domain can be added several times.",
      of: GrowthProjectResource,
      payload: NewGrowthProject,
      scope: ExperimentsWrite
    })
  )
  .add(
    read("get", one, {
      summary: "Get an experiment domain",
      description: "Returns one experiment domain.",
      ids,
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    change("patch", one, {
      summary: "Update an experiment domain",
      description: "Changes the domain. Returns 409 while it has experiments.",
      ids,
      of: GrowthProjectResource,
      payload: GrowthProjectPatch,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", one, {
      summary: "Delete an experiment domain",
      description: "Deletes the experiment domain. Returns 409 while it has experiments.",
      ids,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
