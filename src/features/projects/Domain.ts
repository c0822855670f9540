import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { bareHost, field, hostProblem, portProblem, Text, Uuid, webUrl } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"

export const ProjectId = Uuid.pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

/** A project is a site. Other endpoints take its id as `site_id` or `project_id`. */
export class Project extends Schema.Class<Project>("Project")(
  {
    id: ProjectId.annotations({
      description: "UUID of the site; other endpoints take it as `project_id` or `site_id`"
    }),
    name: Schema.String.annotations({ description: "Display name; the host by default" }),
    url: Schema.String.annotations({ description: "URL of the site: scheme, host and `/`" }),
    host: Schema.String.annotations({ description: "Host, with the port unless it is the default one" }),
    brand_terms: Schema.Array(Schema.String).annotations({
      description: "Brand names that people search for; the `brand` filter of rankings uses them"
    }),
    created_at: field(Timestamp, "When it was created")
  },
  [undefined, { description: "A site of the account" }]
) {}

/** The fields of a new project. */
export const NewProject = Schema.Struct({
  url: field(
    Schema.String.pipe(
      Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" }),
      Schema.filter((url) => Option.isSome(siteOf(url)), {
        message: () => "must be an http or https URL without credentials"
      }),
      Schema.filter(portProblem),
      Schema.filter(hostProblem),
      Schema.annotations({ jsonSchema: { format: "uri", maxLength: 2048 } })
    ),
    "Any http or https URL of the site, without credentials; only scheme and host count"
  ),
  name: Schema.optionalWith(Text(200), { exact: true }).annotations({
    description: "Display name, 1 to 200 characters; the host by default"
  })
}).annotations({ identifier: "NewProject", description: "The site, by any of its URLs" })
export type NewProject = typeof NewProject.Type

/** The changes of a project; absent fields stay unchanged. */
export const ProjectPatch = Schema.Struct({
  name: Schema.optionalWith(Text(200), { exact: true }).annotations({ description: "New name, 1 to 200 characters" }),
  brand_terms: Schema.optionalWith(
    Schema.Array(Text(100)).pipe(Schema.maxItems(50, { message: () => "must be at most 50 terms" })),
    { exact: true }
  ).annotations({
    description:
      "Brand names that people search for: at most 50, each 1 to 100 characters. They replace the previous list"
  })
}).annotations({ identifier: "ProjectPatch", description: "Fields to change; fields that you leave out stay the same" })
export type ProjectPatch = typeof ProjectPatch.Type

/** The site of a URL: the root URL, and the host (with a port other than the scheme's default). */
interface Site {
  readonly url: string
  readonly host: string
}

/** The site of a URL; none unless the text is an http(s) URL without credentials. The path is ignored, because a project is a whole site. */
export const siteOf = (address: string): Option.Option<Site> =>
  Option.map(webUrl(address), (url) => ({ host: url.host, url: `${url.origin}/` }))

/** The normalised URL if it is on the site (by host and port; scheme and `www.` are ignored), else none. */
export const onSite = (site: Site, address: string): Option.Option<URL> =>
  Option.filter(webUrl(address), (url) => bareHost(url.host) === bareHost(site.host))
