import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyLimit,
  BodyValues,
  body,
  Created,
  described,
  exportableList,
  IdempotencyHeaders,
  inPath,
  input,
  Page,
  PageParameters
} from "../../foundation/http/Contract.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { KeywordsRead, RankingsWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { RunId } from "../sitehealth/Domain.ts"
import { Inspection, Queued } from "./Domain.ts"

/** The most URLs of one request: Google's daily limit. */
const urlsAtMost = 2000

const longest = 2048

/** Bytes of a body with this number of URLs of any length. */
const bytesOfUrls = (urlsAtMost + 100) * longest

const Url = Schema.String.pipe(
  Schema.filter(
    (text) => text.length <= longest && !text.includes("\0") && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text),
    {
      message: () => `must be an http or https URL of at most ${longest} characters`
    }
  )
)

/** The request for inspections: `urls`, or `from: "run"`. */
export const Inspect = Schema.Struct({
  urls: Schema.optionalWith(
    Schema.Array(Url).pipe(
      Schema.minItems(1, { message: () => "must have at least one URL" }),
      Schema.maxItems(urlsAtMost, { message: () => `must name at most ${urlsAtMost} URLs` })
    ),
    { exact: true }
  ).annotations({ description: "URLs of the connected Search Console property, 1 to 2,000" }),
  from: Schema.optionalWith(
    Schema.Literal("run").annotations({ message: () => ({ message: "must be run", override: true }) }),
    { exact: true }
  ).annotations({ description: "`run` instead of `urls`: the eligible and hidden pages of a crawl" }),
  run_id: Schema.optionalWith(RunId.annotations({ message: () => "must be the id (UUID) of a crawl" }), {
    exact: true
  }).annotations({ description: "With `from`: id of a crawl of this site; the latest finished crawl by default" })
}).annotations({ identifier: "InspectUrls", description: "URLs to inspect: `urls`, or `from`" })
export type Inspect = typeof Inspect.Type

/** The filters of a list of inspections. */
export const InspectionFilters = Schema.Struct({
  verdict: Schema.optionalWith(
    Schema.String.pipe(
      Schema.pattern(/^[A-Z_]{1,50}$/, {
        message: () => "must be PASS, FAIL, NEUTRAL, PARTIAL or VERDICT_UNSPECIFIED"
      })
    ),
    { exact: true }
  ).annotations({ description: "Only this result of Google: `PASS`, `FAIL` or `NEUTRAL`" }),
  changed_since: Schema.optionalWith(Moment.annotations({ description: "Only results that changed since this time" }), {
    exact: true
  })
})
export type InspectionFilters = typeof InspectionFilters.Type

const path = "/projects/:project_id/inspections" as const
const ofProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** Google's inspections of a project's URLs. */
export class InspectionsApi extends HttpApiGroup.make("inspections")
  .annotateContext(about("Google's URL inspection, next to what the crawl found."))
  .add(
    HttpApiEndpoint.post("create", path)
      .annotateContext(
        described(
          "Inspect URLs",
          "Queues URLs for Google's URL inspection, through the site's connection to Search Console; without a connection, returns 409. Google allows 2,000 URLs per property and day, and 600 per minute; further URLs wait for the next day (Pacific time). A queued URL is not queued twice. `Location` is the list."
        )
      )
      .annotate(BodyLimit, bytesOfUrls)
      .annotate(BodyValues, urlsAtMost + 100)
      .setPath(ofProject)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(Inspect))
      .addSuccess(Created(Queued), { status: 202 })
      .addSuccess(Created(Queued))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(RankingsWrite)
  )
  .add(
    exportableList("list", path, {
      summary: "List inspections",
      description: "All inspected and queued URLs, latest first, each with Google's last result.",
      page: Page(Inspection),
      scope: KeywordsRead
    })
      .setPath(ofProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...InspectionFilters.fields })))
  )
  .prefix("/api/v1") {}
