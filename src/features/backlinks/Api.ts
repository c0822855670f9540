import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  AlsoAt,
  about,
  Data,
  described,
  exportableList,
  inPath,
  input,
  list,
  Page,
  PageParameters,
  read,
  receive
} from "../../foundation/http/Contract.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { BacklinksRead, BacklinksWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import {
  Backlink,
  BacklinkId,
  BacklinkImport,
  Change,
  Checks,
  Format,
  ImportId,
  Kind,
  ReferringDomain,
  Rel,
  Source,
  State
} from "./Domain.ts"

const all = "/projects/:project_id/backlinks" as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfBacklink = Schema.Struct({ ...OfProject.fields, backlink_id: inPath(BacklinkId) })

/** Link attributes, and `none` for links without any. */
const Marks = Schema.Literal(...Rel.literals, "none")

const one = <A extends string>(
  schema: Schema.Schema<A> & { readonly literals: ReadonlyArray<A> },
  description: string
) =>
  Schema.optionalWith(
    schema.annotations({
      message: () => ({ message: `must be one of ${schema.literals.join(", ")}`, override: true })
    }),
    { exact: true }
  ).annotations({ description })

const text = (longest: number, accepts: RegExp, message: string, description: string) =>
  Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => text.length <= longest && accepts.test(text) && !text.includes("\0"), {
        jsonSchema: { maxLength: longest, pattern: accepts.source },
        message: () => message
      })
    ),
    { exact: true }
  ).annotations({ description })

/** Filters of a list of backlinks. */
const BacklinkFilters = {
  state: one(State, "Only this status, such as `live` or `link_removed`"),
  rel: one(Marks, "Only links with this rel value; `none`: followed links"),
  domain: text(
    253,
    /^[^\s/]+$/,
    "must be a domain name such as example.com",
    "Only linking pages of this domain and its subdomains"
  ),
  target_path: text(2048, /^\//, "must be a path such as /pricing", "Only links to this path of the site"),
  source: one(Source, "Only links reported by this tool")
}

/** Pages and domains that link to a site. */
export class BacklinksApi extends HttpApiGroup.make("backlinks")
  .annotateContext(
    about(
      "Pages and domains that link to a site. Backlink tools report them, and Findable crawls them to check the links."
    )
  )
  .add(
    exportableList("list", all, {
      summary: "List backlinks",
      description: "Pages that link to the site, latest first, each with the result of the last check.",
      page: Page(Backlink),
      scope: BacklinksRead
    })
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...BacklinkFilters })))
  )
  .add(
    exportableList("domains", `${all}/domains`, {
      summary: "List referring domains",
      description: "Domains that link to the site, sorted by name.",
      page: Page(ReferringDomain),
      scope: BacklinksRead
    }).setPath(OfProject)
  )
  .add(
    exportableList("changes", `${all}/changes`, {
      summary: "List changes of backlinks",
      description: "New, lost, recovered and changed backlinks, latest first.",
      page: Page(Change),
      scope: BacklinksRead
    })
      .setPath(OfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            ...PageParameters,
            since: Schema.optionalWith(Moment.annotations({ description: "Only changes since this time" }), {
              exact: true
            }),
            kind: one(Kind, "Only this kind of change")
          })
        )
      )
  )
  .add(
    // `/{backlink_id}/check` and `/imports/{import_id}` would be ambiguous in OpenAPI, where ids in paths have no format.
    HttpApiEndpoint.post("check", `${all}/check/:backlink_id`)
      .annotate(AlsoAt, [`/api/v1${all}/:backlink_id/check`])
      .annotateContext(
        described(
          "Check a backlink",
          "Queues the linking page for a check; Findable spaces its requests to one server. Returns 429 `quota_exceeded` when the account's daily checks are used up; `Retry-After` counts to the next day."
        )
      )
      .setPath(OfBacklink)
      .addSuccess(Data(Checks), { status: 202 })
      .addError(failure("not_found"))
      .addError(failure("quota_exceeded"))
      .middleware(BacklinksWrite)
  )
  .add(
    HttpApiEndpoint.post("checkDue", `${all}/check`)
      .annotateContext(
        described(
          "Check all due backlinks",
          "Findable checks due pages by itself: new ones, and each page 30 days after its last check, or 7 days for domains of high authority. Call this to retry within the hour, for example after most hosts did not respond. Returns 429 `quota_exceeded` when the account's daily checks are used up; Findable checks due pages the next day."
        )
      )
      .setPath(OfProject)
      .addSuccess(Data(Checks), { status: 202 })
      .addError(failure("not_found"))
      .addError(failure("quota_exceeded"))
      .middleware(BacklinksWrite)
  )
  .prefix("/api/v1") {}

const importsPath = "/projects/:project_id/backlinks/imports" as const
const ImportsOfProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** Options for reading a file. */
const ImportParameters = Schema.Struct({
  format: Schema.optionalWith(
    Format.annotations({
      message: () => ({ message: `must be one of ${Format.literals.join(", ")}`, override: true })
    }),
    { default: () => "auto" as const, exact: true }
  ).annotations({
    description: "Tool that exported the file; `auto`, the default, detects it from the columns"
  })
})

/** Imports of backlink files from callers. */
export class BacklinkImportsApi extends HttpApiGroup.make("backlink-imports")
  .annotateContext(about("Imports of exports from backlink tools. Findable imports a whole file or nothing."))
  .add(
    receive("create", importsPath, {
      summary: "Import backlinks",
      description:
        "Accepts a file and imports it in the background: Search Console links (latest links, more sample links, top linking sites), exports of Ahrefs, Semrush, Majestic and Moz, or any table with URLs of linking pages or with `domain` and `authority`. A backlink missing from the file does not count as lost. Findable checks new linking pages immediately. When an import fails, its `error` names the line and the reason.",
      file: "One CSV table, separated by commas, semicolons or tabs, in UTF-8 or UTF-16, optionally compressed with gzip or ZIP; any content type.",
      of: BacklinkImport,
      scope: BacklinksWrite
    })
      .setPath(ImportsOfProject)
      .setUrlParams(input(ImportParameters))
  )
  .add(
    list("list", importsPath, {
      summary: "List backlink imports",
      description: "Imports through the API, latest first.",
      of: BacklinkImport,
      scope: BacklinksWrite
    })
      .setPath(ImportsOfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${importsPath}/:import_id`, {
      summary: "Get a backlink import",
      description: "Returns the status of an import, and its result when it is finished.",
      ids: Schema.Struct({ ...ImportsOfProject.fields, import_id: inPath(ImportId) }),
      of: BacklinkImport,
      scope: BacklinksWrite
    })
  )
  .prefix("/api/v1") {}
