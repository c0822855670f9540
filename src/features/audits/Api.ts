import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyDepth,
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
import { ProjectId } from "../projects/Domain.ts"
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

/** Narrows a list of audits, pages or schedules to those of a site. */
export const ofProject = Schema.optionalWith(
  ProjectId.annotations({
    description: "UUID of a site: only pages on its host and port (ignoring scheme and `www.`)"
  }),
  { exact: true }
)

const onDevice = (description: string) =>
  Schema.optionalWith(
    Device.annotations({ description, message: () => ({ message: "must be mobile or desktop", override: true }) }),
    { exact: true }
  )

/** The sort time of a list of audits, latest first. */
const AuditOrder = Schema.Literal("created_at", "measured_at").annotations({
  message: () => ({ message: "must be created_at or measured_at", override: true })
})
export type AuditOrder = typeof AuditOrder.Type

const ListParameters = Schema.Struct({
  ...PageParameters,
  project_id: ofProject,
  sort: Schema.optionalWith(AuditOrder, { default: () => "created_at" as const, exact: true }).annotations({
    description:
      "Sort by `created_at`, when an audit was recorded, or `measured_at`, when its page was measured; latest first"
  }),
  url: Schema.optionalWith(PageAddress.annotations({ description: "Only audits of this exact URL" }), {
    exact: true
  }),
  device: onDevice("Only audits on this device"),
  status: Schema.optionalWith(AuditStatus.annotations({ description: "Only audits with this status" }), {
    exact: true
  })
})

/** The largest public samples have 2 MB. A value takes about ten bytes or more in a report without blanks. */
const reportBytes = 10 * 1024 * 1024
const reportValues = 500_000

/** Reports name each element of the page that a check examined, and each translated text: the largest pages have about ten thousand elements. */
const reportFields = 50_000

/** A treemap with source maps nests two levels for each folder, and a chain of requests two levels for each request. */
const reportDepth = 256

/** A report of Lighthouse or PageSpeed Insights. */
const ReportJson = Schema.Struct({}, { key: Schema.String, value: Schema.Unknown }).annotations({
  identifier: "LighthouseOrPageSpeedReport",
  message: () => "must be an object: the JSON report of Lighthouse or PageSpeed Insights",
  description: "The JSON report of Lighthouse or PageSpeed Insights, at most 10 MiB"
})

/** Type of an endpoint without success, because an endpoint does not accept `Schema.Never`. */
const Nothing = Schema.make<unknown>(AST.neverKeyword)

/** Completed audits and their fixes; a request to create an audit is validated and refused. */
export class AuditsApi extends HttpApiGroup.make("audits")
  .annotateContext(about("Lighthouse audits of single pages, with scores, Core Web Vitals and fixes."))
  .add(
    list("list", "/audits", {
      summary: "List audits",
      description:
        "Audits of your account, latest first (`created_at`, then `id`), including failed ones, without diagnostics. With `sort=measured_at` sorted by measurement time: the history of a page, including imported reports.",
      of: ListedAudit,
      scope: AuditsRead
    })
      .setUrlParams(input(ListParameters))
      .addError(failure("not_found"))
  )
  .add(
    list("pages", "/audited-pages", {
      summary: "List audited pages",
      description:
        "Audited pages, one row per page and device, sorted by URL: the number of audits and the latest one, including failed audits.",
      of: AuditedPage,
      scope: AuditsRead
    })
      .setUrlParams(
        input(
          Schema.Struct({ ...PageParameters, device: onDevice("Only pages on this device"), project_id: ofProject })
        )
      )
      .addError(failure("not_found"))
  )
  .add(
    HttpApiEndpoint.post("create", "/audits")
      .annotateContext(
        described(
          "Run an audit (not available)",
          "Validates the request and returns 501. To run audits, create a schedule with `POST /audit-schedules`."
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
          "Import a Lighthouse report",
          "Imports a report from elsewhere as an audit: JSON of Lighthouse 6 or later, also as its module returns it (`{lhr, report}`), or of PageSpeed Insights v5; the format is detected. A report of a page that Lighthouse could not load returns 422, and nothing is imported."
        )
      )
      .annotate(BodyLimit, reportBytes)
      .annotate(BodyValues, reportValues)
      .annotate(BodyFields, reportFields)
      .annotate(BodyDepth, reportDepth)
      // The report has pictures of the page as text.
      .annotate(BodyText, reportBytes)
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
      summary: "Get an audit",
      description: "Returns a completed audit: scores, Core Web Vitals and numbers of issues.",
      ids: OfAudit,
      of: Audit,
      scope: AuditsRead
    })
  )
  .add(
    read("fixes", "/audits/:id/fixes", {
      summary: "List fixes of an audit",
      description:
        "What to fix after an audit, most severe first, then by impact. `agent_prompt` is an instruction for a coding agent.",
      ids: OfAudit,
      of: Schema.Array(FixDirective),
      scope: AuditsRead
    })
  )
  .prefix("/api/v1") {}
