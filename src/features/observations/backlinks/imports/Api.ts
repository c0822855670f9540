import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about, described, fileBody } from "../../../../foundation/http/Contract.ts"
import { list, read } from "../../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../../foundation/http/IdempotencyKey.ts"
import { inPath, input } from "../../../../foundation/http/RequestSchemas.ts"
import { BacklinksWrite } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { BacklinkImport, Format, ImportId } from "./Domain.ts"

const all = "/projects/:project_id/backlinks/imports" as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })

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
    HttpApiEndpoint.post("create", all)
      .annotateContext(
        fileBody(
          "One table: CSV, also with semicolons or tabs, in UTF-8 or UTF-16, packed by gzip or ZIP or not; of any content type."
        )
      )
      .annotateContext(
        described(
          "Import backlinks",
          "Accepts a file and imports it in the background: links of Search Console (latest links, more sample links, top linking sites), exports of Ahrefs, Semrush, Majestic and Moz, or any table with addresses of linking pages or with `domain` and `authority`. What a file lacks is not lost by that. New linking pages are looked at at once. The import's `error` names the fault of a file, with the line."
        )
      )
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setUrlParams(input(ImportParameters))
      .addSuccess(Created(BacklinkImport), { status: 202 })
      .addSuccess(Created(BacklinkImport))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .addError(failure("payload_too_large"))
      .addError(failure("quota_exceeded"))
      .middleware(BacklinksWrite)
  )
  .add(
    list("list", all, {
      summary: "List imports of backlinks",
      description: "The imports that came over HTTP, the newest first.",
      of: BacklinkImport,
      scope: BacklinksWrite
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${all}/:import_id`, {
      summary: "Read an import of backlinks",
      description: "Its status, and its outcome once it has ended.",
      ids: Schema.Struct({ ...OfProject.fields, import_id: inPath(ImportId) }),
      of: BacklinkImport,
      scope: BacklinksWrite
    })
  )
  .prefix("/api/v1") {}
