import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described, fileBody } from "../../../foundation/http/Contract.ts"
import { list, read, remove } from "../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { inPath, input } from "../../../foundation/http/RequestSchemas.ts"
import { RankingsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { IsoDate } from "../Domain.ts"
import { FileFormat } from "../FileFormat.ts"
import { Upload, UploadId } from "./Upload.ts"

const all = "/projects/:project_id/rankings/imports" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfImport = Schema.Struct({ ...OfProject.fields, import_id: inPath(UploadId) })

/** No project has data of it: what a malformed day in a path is read as, so that the request ends with 404. */
const noDay = "0001-01-01"

const OfDay = Schema.Struct({
  ...OfProject.fields,
  day: Schema.transform(Schema.String, Schema.typeSchema(IsoDate), {
    strict: false,
    decode: (text) => (Schema.is(IsoDate)(text) ? text : noDay),
    encode: (text) => text
  }).annotations({ description: "Day to delete, YYYY-MM-DD" })
})

const text = (description: string) =>
  Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => text.length >= 1 && text.length <= 500 && !text.includes("\0"), {
        message: () => "must be of 1 to 500 characters"
      })
    ),
    { exact: true }
  ).annotations({ description })

/** How a file is read. */
const ImportParameters = Schema.Struct({
  format: FileFormat.annotations({
    description: "What the file is: tables of the interface, answers of the API, or rows of the bulk export",
    message: () => ({ message: `must be one of ${FileFormat.literals.join(", ")}`, override: true })
  }),
  date: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "Day of tables without dates; tables with dates may have no other"
  }),
  property: text(
    "Property of Search Console, such as sc-domain:example.com: pages on its other hosts are counted and left out"
  ),
  dimensions: text("With `gsc-api`: dimensions of the keys, with commas between them; date,query,page by default"),
  replace: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      description:
        "No more data will come. bigquery: an import may leave less than half of a stored day. Other formats: stored rows stay, and all queries that the newest days lack are reported as lost",
      message: () => ({ message: "must be true or false", override: true })
    }),
    { exact: true }
  )
})

/** Imports of search data from files that callers send. */
export class RankingImportsApi extends HttpApiGroup.make("ranking-imports")
  .annotateContext(about("Imports of search data from files: a file is imported whole or not at all."))
  .add(
    HttpApiEndpoint.post("create", all)
      .annotateContext(
        fileBody("One file, or several in a gzip or ZIP archive, as Search Console gives them; of any content type.")
      )
      .annotateContext(
        described(
          "Import search data",
          "Accepts a file and imports it in the background; the files of a project are imported one after the other, in order of arrival. A file that was imported before, when nothing has changed since, is recognised before any work (`unchanged`). Of requests with the same Idempotency-Key one file is received at a time: the others wait and are answered with its import, and when it fails another takes its place; after a minute the answer is 409 `conflict` with `Retry-After`. The import's `error` names the fault of a file, with the line."
        )
      )
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setUrlParams(input(ImportParameters))
      .addSuccess(Created(Upload), { status: 202 })
      .addSuccess(Created(Upload))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .addError(failure("payload_too_large"))
      .addError(failure("quota_exceeded"))
      .middleware(RankingsWrite)
  )
  .add(
    list("list", all, {
      summary: "List imports",
      description: "The imports that came over HTTP, the newest first.",
      of: Upload,
      scope: RankingsWrite
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${all}/:import_id`, {
      summary: "Read an import",
      description: "Its status, and its outcome once it has ended.",
      ids: OfImport,
      of: Upload,
      scope: RankingsWrite
    })
  )
  .add(
    remove("remove", `${all}/:import_id`, {
      summary: "Delete the record of an import",
      description: "Deletes the record of an import that has ended. The data that it brought stay.",
      ids: OfImport,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("removeDay", "/projects/:project_id/rankings/days/:day", {
      summary: "Delete a day of search data",
      description:
        "Deletes all data of a day, such as a wrong last day at which the windows end, and computes the rankings anew before it answers. While an import of the project is in progress, the answer is 409.",
      ids: OfDay,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
