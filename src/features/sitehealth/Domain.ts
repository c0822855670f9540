import * as Schema from "effect/Schema"
import { Counters } from "../../crawl/report/CrawlEvent.ts"
import { CrawlResult } from "../../crawl/report/CrawlResult.ts"
import { Category, Severity } from "../../crawl/report/Finding.ts"
import { inPath } from "../../foundation/http/RequestSchemas.ts"
import { Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { FixDirective as AuditDirective } from "../audits/FixDirective.ts"
import { ProjectId } from "../projects/Domain.ts"

export const RunId = Uuid.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** A run by its id in a path. */
export const OfRun = Schema.Struct({ run_id: inPath(RunId) })

/** `completed`, `partial`, `failed` and `cancelled` are final and never change. */
export const RunStatus = Schema.Literal("queued", "running", "completed", "partial", "failed", "cancelled")
export type RunStatus = typeof RunStatus.Type

export const Phase = Schema.Literal("queued", "preparing", "crawling", "analysing", "finished")
export type Phase = typeof Phase.Type

/** Why a run failed. */
export const RunError = Schema.Struct({
  code: Schema.Literal("worker_lost", "start_unreachable", "start_refused", "start_redirects_offsite", "crawl_failed"),
  message: Schema.String
})
export type RunError = typeof RunError.Type

/** What is crawled, after defaults and the plan's page limit. */
export const EffectiveRequest = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.Int,
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean,
  /** The run whose faults it verifies; null for a run of the whole site. */
  verify: Schema.NullOr(RunId)
})
export type EffectiveRequest = typeof EffectiveRequest.Type

/** A site health run. */
export const Run = Schema.Struct({
  id: RunId,
  type: Schema.Literal("site_health"),
  project_id: ProjectId,
  status: RunStatus,
  phase: Phase,
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  counters: Schema.NullOr(Counters).annotations({ description: "null until the first page was measured" }),
  error: Schema.NullOr(RunError),
  request: EffectiveRequest,
  result_available: Schema.Boolean
}).annotations({ identifier: "SiteHealthRun" })
export type Run = typeof Run.Type

/** A run with its result, when it was requested and the run is finished. */
export const RunWithResult = Schema.Struct({
  ...Run.fields,
  result: Schema.optionalWith(Schema.NullOr(CrawlResult), { exact: true })
}).annotations({ identifier: "SiteHealthRunWithResult" })
export type RunWithResult = typeof RunWithResult.Type

/** Body of `POST /runs/{id}/verify`. */
export const VerifyRun = Schema.Struct({
  rules: Schema.optionalWith(
    Schema.Array(Schema.String).pipe(
      Schema.minItems(1, { message: () => "must name at least one rule" }),
      Schema.maxItems(200, { message: () => "must name at most 200 rules" })
    ),
    { exact: true }
  ).annotations({ description: "rules whose failing URLs are verified; all that fail by default" })
}).annotations({ identifier: "VerifySiteHealthRun" })
export type VerifyRun = typeof VerifyRun.Type

/** Body of `POST /projects/{id}/site-health/runs`; all fields have defaults. */
export const StartRun = Schema.Struct({
  url: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" })),
    { exact: true }
  ).annotations({ description: "where the crawl starts; on the project's host, `www.` ignored; its root by default" }),
  max_pages: Schema.optionalWith(
    Schema.Int.pipe(Schema.between(1, 50, { message: () => "must be an integer from 1 to 50" })),
    { exact: true }
  ).annotations({ description: "pages at most; the plan's limit by default, and never more" }),
  check_dead_links: Schema.optionalWith(Schema.Boolean, { default: () => true, exact: true }),
  check_external_links: Schema.optionalWith(Schema.Boolean.annotations({ default: false }), {
    exact: true
  }).annotations({
    description: "whether pages of other sites that links lead to are asked for, 200 at most, one at a time a host"
  })
}).annotations({ identifier: "StartSiteHealthRun" })
export type StartRun = typeof StartRun.Type

/** What to repair of a site, for people and for a coding agent: the form of an audit's directives, with the categories of findings. */
export const FixDirective = Schema.Struct({
  ...AuditDirective.fields,
  category: Category,
  severity: Severity
}).annotations({ identifier: "SiteHealthFixDirective" })
export type FixDirective = typeof FixDirective.Type
