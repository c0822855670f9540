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

/** Marks of links, and the lack of them. */
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

/** What a list of backlinks is filtered by. */
const BacklinkFilters = {
  state: one(State, "Only this state, such as `live` or `link_removed`"),
  rel: one(Marks, "Only links with this mark; `none`: without any"),
  domain: text(253, /^[^\s/]+$/, "must be the name of a domain", "Only pages of this domain, or below it"),
  target_path: text(2048, /^\//, "must be a path such as /pricing", "Only links to this path of the site"),
  source: one(Source, "Only pages that this tool reports")
}

/** Pages and domains that link to a site. */
export class BacklinksApi extends HttpApiGroup.make("backlinks")
  .annotateContext(
    about("Pages and domains that link to a site, reported by other tools and looked at by our own crawler.")
  )
  .add(
    exportableList("list", all, {
      summary: "List backlinks",
      description: "The pages that link to the site, the newest first, each with what the last look found.",
      page: Page(Backlink),
      scope: BacklinksRead
    })
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...BacklinkFilters })))
  )
  .add(
    exportableList("domains", `${all}/domains`, {
      summary: "List referring domains",
      description: "The domains that link to the site, in the order of their names.",
      page: Page(ReferringDomain),
      scope: BacklinksRead
    }).setPath(OfProject)
  )
  .add(
    exportableList("changes", `${all}/changes`, {
      summary: "List changes of backlinks",
      description: "What became of backlinks, the newest first.",
      page: Page(Change),
      scope: BacklinksRead
    })
      .setPath(OfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            ...PageParameters,
            since: Schema.optionalWith(Moment.annotations({ description: "Only changes of then or later" }), {
              exact: true
            }),
            kind: one(Kind, "Only this kind of change")
          })
        )
      )
  )
  .add(
    // `/{backlink_id}/check` and `/imports/{import_id}` would be ambiguous in OpenAPI, which knows no form of ids in paths.
    HttpApiEndpoint.post("check", `${all}/check/:backlink_id`)
      .annotate(AlsoAt, [`/api/v1${all}/:backlink_id/check`])
      .annotateContext(
        described(
          "Look at a backlink",
          "Has the linking page looked at as soon as a worker is free, at a distance from other requests to its server. 429 `quota_exceeded` when the account's looks of the day are used up; `Retry-After` says when the next day begins."
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
          "Look at all backlinks that are due",
          "A page is due when it is new, and 30 days after the last look, 7 where its domain's authority is high. That happens by itself; after a round in which most hosts did not answer this begins another before the hour is over. 429 `quota_exceeded` when the account's looks of the day are used up; due pages are looked at the next day."
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

/** How a file is read. */
const ImportParameters = Schema.Struct({
  format: Schema.optionalWith(
    Format.annotations({
      message: () => ({ message: `must be one of ${Format.literals.join(", ")}`, override: true })
    }),
    { default: () => "auto" as const, exact: true }
  ).annotations({
    description:
      "The tool that the file is of; `auto`, the default, tells it by the columns. What a column holds is decided by its cells"
  })
})

/** Imports of backlinks from files that callers send. */
export class BacklinkImportsApi extends HttpApiGroup.make("backlink-imports")
  .annotateContext(
    about("Imports of backlinks from the exports of other tools: a file is imported whole or not at all.")
  )
  .add(
    receive("create", importsPath, {
      summary: "Import backlinks",
      description:
        "Accepts a file and imports it in the background: links of Search Console (latest links, more sample links, top linking sites), exports of Ahrefs, Semrush, Majestic and Moz, or any table with addresses of linking pages or with `domain` and `authority`. What a file lacks is not lost by that. New linking pages are looked at at once. The import's `error` names the fault of a file, with the line.",
      file: "One table: CSV, also with semicolons or tabs, in UTF-8 or UTF-16, packed by gzip or ZIP or not; of any content type.",
      of: BacklinkImport,
      scope: BacklinksWrite
    })
      .setPath(ImportsOfProject)
      .setUrlParams(input(ImportParameters))
  )
  .add(
    list("list", importsPath, {
      summary: "List imports of backlinks",
      description: "The imports that came over HTTP, the newest first.",
      of: BacklinkImport,
      scope: BacklinksWrite
    })
      .setPath(ImportsOfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${importsPath}/:import_id`, {
      summary: "Read an import of backlinks",
      description: "Its status, and its outcome once it has ended.",
      ids: Schema.Struct({ ...ImportsOfProject.fields, import_id: inPath(ImportId) }),
      of: BacklinkImport,
      scope: BacklinksWrite
    })
  )
  .prefix("/api/v1") {}
