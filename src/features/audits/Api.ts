import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyFields,
  BodyLimit,
  BodyText,
  BodyValues,
  body,
  Created,
  described,
  IdempotencyHeaders,
  inPath,
  input,
  list,
  PageParameters,
  read
} from "../../foundation/http/Contract.ts"
import { AuditsRead, AuditsWrite } from "../accounts/Authorized.ts"
import {
  Audit,
  AuditedPage,
  AuditId,
  AuditStatus,
  CreateAudit,
  Device,
  FixDirective,
  ListedAudit,
  PageAddress
} from "./Domain.ts"

const OfAudit = Schema.Struct({ id: inPath(AuditId) })

const ListParameters = Schema.Struct({
  ...PageParameters,
  url: Schema.optionalWith(PageAddress.annotations({ description: "Only audits of this page, by its exact address" }), {
    exact: true
  }),
  device: Schema.optionalWith(
    Device.annotations({
      description: "Only audits as seen on this device",
      message: () => ({ message: "must be mobile or desktop", override: true })
    }),
    { exact: true }
  ),
  status: Schema.optionalWith(AuditStatus.annotations({ description: "Only audits that ended like this" }), {
    exact: true
  })
})

/** The largest public samples have 2 MB and 60,000 values, and a picture of the page as one text. */
const reportBytes = 10 * 1024 * 1024
const reportValues = 200_000
const reportText = 4 * 1024 * 1024

/** Reports name each audit, and each text that has translations; Lighthouse 13 has 468 of these. */
const reportFields = 5000

/** A report as Lighthouse or PageSpeed Insights writes it. */
const ReportJson = Schema.Struct({}, { key: Schema.String, value: Schema.Unknown }).annotations({
  identifier: "LighthouseOrPageSpeedReport",
  message: () => "must be an object: the report of Lighthouse or PageSpeed Insights",
  description: "The report as Lighthouse or PageSpeed Insights wrote it, at most 10 MiB"
})

/** No success: an endpoint does not accept `Schema.Never` itself. */
const Nothing = Schema.make<unknown>(AST.neverKeyword)

/** Completed audits and what to repair; a request to create one is validated and refused. */
export class AuditsApi extends HttpApiGroup.make("audits")
  .annotateContext(about("Audit reports of single pages and what to repair."))
  .add(
    list("list", "/audits", {
      summary: "List audits",
      description:
        "The caller's audits, the newest first (`created_at`, then `id`), failed ones too; without the diagnostics that each audit has.",
      of: ListedAudit,
      scope: AuditsRead
    }).setUrlParams(input(ListParameters))
  )
  .add(
    list("pages", "/audited-pages", {
      summary: "List audited pages",
      description:
        "Every page that was audited, once for each device, in the order of the addresses (by code point): how many audits it has, and the newest, failed ones too.",
      of: AuditedPage,
      scope: AuditsRead
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/audits")
      .annotateContext(
        described(
          "Ask for an audit",
          "Checks the request and answers 501: the operator runs and schedules audits, and this endpoint creates none."
        )
      )
      .setPayload(body(CreateAudit))
      .addSuccess(Nothing)
      .addError(failure("validation_error"))
      .addError(failure("not_implemented"))
      .middleware(AuditsWrite)
  )
  .add(
    HttpApiEndpoint.post("import", "/audits/imports")
      .annotateContext(
        described(
          "Import an audit",
          "Records a report that was made elsewhere: the JSON of Lighthouse 6 or newer, also as its module gives it (`{lhr, report}`), or of PageSpeed Insights v5, told apart by its content. A report of a page that Lighthouse could not load is 422, and nothing is recorded."
        )
      )
      .annotate(BodyLimit, reportBytes)
      .annotate(BodyValues, reportValues)
      .annotate(BodyFields, reportFields)
      // Pictures of the page stand in it as text.
      .annotate(BodyText, reportText)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(ReportJson))
      .addSuccess(Created(Audit), { status: 201 })
      .addSuccess(Created(Audit))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("idempotency_conflict"))
      .middleware(AuditsWrite)
  )
  .add(
    read("get", "/audits/:id", {
      summary: "Read an audit",
      description: "A completed audit of the caller: scores, Core Web Vitals, counts of findings.",
      ids: OfAudit,
      of: Audit,
      scope: AuditsRead
    })
  )
  .add(
    read("fixes", "/audits/:id/fixes", {
      summary: "List fix directives",
      description:
        "What to repair after an audit, the most severe first, then by impact. `agent_prompt` is an instruction for a coding agent.",
      ids: OfAudit,
      of: Schema.Array(FixDirective),
      scope: AuditsRead
    })
  )
  .prefix("/api/v1") {}
