import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  described,
  exportableList,
  inPath,
  input,
  PageLinks,
  PageMeta,
  PageParameters
} from "../../../foundation/http/Contract.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { CurvePoint, Device, Kind, NotAssessed, Opportunity, OpportunityWindows } from "./Domain.ts"

const oneOf = (words: ReadonlyArray<string>) => ({ message: `must be one of ${words.join(", ")}`, override: true })

/** What a list of opportunities is filtered by. */
export const OpportunityFilters = Schema.Struct({
  kind: Kind.annotations({ message: () => oneOf(Kind.literals) }),
  brand: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      message: () => oneOf(["true", "false"]),
      description:
        "whether the query contains a brand term of the project; the curve and false discoveries are then those of that half; not for `decay`, which is about pages"
    }),
    { exact: true }
  ),
  device: Schema.optionalWith(
    Device.annotations({
      message: () => oneOf(Device.literals),
      description: "everything is added up from what is known of this device"
    }),
    { exact: true }
  )
})
export type OpportunityFilters = typeof OpportunityFilters.Type

/** What stands beside a list or a curve; null for a project without data. */
const beside = {
  windows: Schema.NullOr(OpportunityWindows).annotations({ description: "null while the project has no data" }),
  not_assessed: Schema.Array(NotAssessed).annotations({ description: "why `data` is empty where it could not be made" })
}
export type Beside = Schema.Struct.Type<typeof beside>

const OpportunityPage = Schema.Struct({
  data: Schema.Array(Opportunity).annotations({ description: "Opportunities of this page, in the order of the list" }),
  meta: field(
    Schema.Struct({ ...PageMeta.fields, ...beside }).annotations({
      identifier: "OpportunityPageMeta",
      description: "Where the page stands in its list, and which days it rests on"
    }),
    "Where the page stands in its list, and which days it rests on"
  ),
  links: field(PageLinks, "URLs of this page and the next")
})

const Curve = Schema.Struct({
  data: Schema.Array(CurvePoint).annotations({ description: "Points of the curves, by device, brand and position" }),
  meta: field(
    Schema.Struct(beside).annotations({
      identifier: "CurveMeta",
      description: "Which days the curve rests on"
    }),
    "Which days the curve rests on"
  )
})

const ofProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** What search data say to do. */
export class OpportunitiesApi extends HttpApiGroup.make("opportunities")
  .annotateContext(
    about("What the search data of a project say to do: by the project's own click curve, with its uncertainty.")
  )
  .add(
    exportableList("list", "/projects/:project_id/opportunities", {
      summary: "List opportunities",
      description:
        "What could be gained, by the newest 28 days of search data, and for `decay` the 28 days before. Ordered by `gain.clicks_low` and `gain.clicks_high`, then impressions, the most first, then `page_path` and `query`. At most 5 % of what `low_ctr` and `decay` name is expected to be chance. `meta.not_assessed` says why a list could not be made.",
      page: OpportunityPage,
      scope: KeywordsRead
    })
      .setPath(ofProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...OpportunityFilters.fields })))
  )
  .add(
    HttpApiEndpoint.get("curve", "/projects/:project_id/ctr-curve")
      .annotateContext(
        described(
          "Read the click curve",
          "The project's own CTR by position over the newest 28 days, for each device and for all, queries of the brand apart, with 95 % intervals. Ordered by device (all of them first), `brand` (false first) and position."
        )
      )
      .setPath(ofProject)
      .addSuccess(Curve)
      .addError(failure("not_found"))
      .middleware(KeywordsRead)
  )
  .prefix("/api/v1") {}
