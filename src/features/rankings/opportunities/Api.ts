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

/** The filters of a list of opportunities. */
export const OpportunityFilters = Schema.Struct({
  kind: Kind.annotations({ message: () => oneOf(Kind.literals) }),
  brand: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      message: () => oneOf(["true", "false"]),
      description:
        "Only queries with (`true`) or without (`false`) a brand term of the site; the CTR curve then uses the same queries. Not for `decay`, which lists pages"
    }),
    { exact: true }
  ),
  device: Schema.optionalWith(
    Device.annotations({
      message: () => oneOf(Device.literals),
      description: "Only data of this device"
    }),
    { exact: true }
  ),
  significance: Schema.optionalWith(
    Schema.Literal("significant", "all").annotations({
      message: () => oneOf(["significant", "all"]),
      description:
        "`all` also lists, after the others, up to 1,000 rows of `low_ctr` and `decay` with a difference that may be chance (`significant: false`); `significant` by default"
    }),
    { exact: true }
  )
})
export type OpportunityFilters = typeof OpportunityFilters.Type

/** The metadata of a list or a curve; null for a project without data. */
const beside = {
  windows: Schema.NullOr(OpportunityWindows).annotations({ description: "Null while the site has no data" }),
  not_assessed: Schema.Array(NotAssessed).annotations({
    description: "Why `data` is empty when there is not enough data"
  })
}
export type Beside = Schema.Struct.Type<typeof beside>

const OpportunityPage = Schema.Struct({
  data: Schema.Array(Opportunity).annotations({ description: "Opportunities of this page, in list order" }),
  meta: field(
    Schema.Struct({ ...PageMeta.fields, ...beside }).annotations({
      identifier: "OpportunityPageMeta",
      description: "Position of this page in the list, and the days behind it"
    }),
    "Position of this page in the list, and the days behind it"
  ),
  links: field(PageLinks, "URLs of this page and the next one")
})

const Curve = Schema.Struct({
  data: Schema.Array(CurvePoint).annotations({
    description: "Points of the CTR curves, by device, brand and position"
  }),
  meta: field(
    Schema.Struct(beside).annotations({
      identifier: "CurveMeta",
      description: "The days behind the curve"
    }),
    "The days behind the curve"
  )
})

const ofProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** Opportunities from search data. */
export class OpportunitiesApi extends HttpApiGroup.make("opportunities")
  .annotateContext(about("Where a site can gain clicks, estimated from its own CTR by position."))
  .add(
    exportableList("list", "/projects/:project_id/opportunities", {
      summary: "List opportunities",
      description:
        "Clicks that the site could gain, from the latest 28 days of search data; `decay` also uses the 28 days before. Sorted by `gain.clicks_low` and `gain.clicks_high`, then impressions, highest first, then `page_path` and `query`. The significant rows of `low_ctr` and `decay` are expected to have at most 5% false positives; `significance=all` adds the other rows after them. `meta.not_assessed` says when there is not enough data.",
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
          "Get the CTR curve",
          "The site's own CTR by position over the latest 28 days, for each device and for all devices, with and without brand queries, with 95% intervals. Sorted by device (all devices first), `brand` (false first) and position."
        )
      )
      .setPath(ofProject)
      .addSuccess(Curve)
      .addError(failure("not_found"))
      .middleware(KeywordsRead)
  )
  .prefix("/api/v1") {}
