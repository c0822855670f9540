import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  exportableList,
  input,
  PageLinks,
  PageMeta,
  PageParameters,
  read
} from "../../foundation/http/Contract.ts"
import { field } from "../../foundation/schema/Scalars.ts"
import { KeywordsRead } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Coverage, DayParameters, KeywordRanking, RankingId, RankingStatus } from "./Domain.ts"
import { inAnyForm } from "./PageIdentity.ts"
import { SeriesDay } from "./performance/Api.ts"

const statuses = RankingStatus.literals.join(", ")

const bounded = (longest: number) =>
  Schema.String.pipe(
    Schema.maxLength(longest, { message: () => `must be at most ${longest} characters long` }),
    Schema.filter((text) => !text.includes("\0"), { message: () => "must not contain a NUL character" })
  )

const text = (description: string, longest: number) =>
  Schema.optionalWith(bounded(longest), { exact: true }).annotations({ description })

const Least = Schema.String.pipe(
  Schema.filter((text) => /^\d{1,15}$/.test(text), { message: () => "must be a whole number of at least 0" }),
  Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
  Schema.annotations({ jsonSchema: { type: "integer", minimum: 0, maximum: 999_999_999_999_999 } })
)

/** A position; 1 is the top. */
const Bound = Schema.String.pipe(
  Schema.filter((text) => /^\d{1,9}(\.\d{1,20})?$/.test(text), {
    message: () => "must be a decimal number of at least 0"
  }),
  Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
  Schema.annotations({ jsonSchema: { type: "number", minimum: 0, maximum: 999_999_999 } })
)

const Brand = Schema.Literal("true", "false").annotations({
  message: () => ({ message: "must be true or false", override: true }),
  description: "Whether the query contains a brand term of the site"
})

/** The filters of the list of rankings. */
export const KeywordFilters = Schema.Struct({
  site_id: Schema.optionalWith(ProjectId.annotations({ description: "Only rankings of this site" }), { exact: true }),
  status: Schema.optionalWith(
    RankingStatus.annotations({ message: () => ({ message: `must be one of ${statuses}`, override: true }) }),
    {
      exact: true
    }
  ).annotations({ description: "Only queries with this position change" }),
  query: text("Only queries that contain this text, in any case; no wildcards", 1000),
  page_path: Schema.optionalWith(inAnyForm(bounded(8192)), { exact: true }).annotations({
    description: "Only this page: path and query string, with or without percent-encoding"
  }),
  brand: Schema.optionalWith(Brand, { exact: true }),
  min_impressions: Schema.optionalWith(Least, { exact: true }).annotations({
    description: "Minimum impressions in the current period"
  }),
  min_position: Schema.optionalWith(Bound, { exact: true }).annotations({
    description: "Minimum current position; lost queries have none"
  }),
  max_position: Schema.optionalWith(Bound, { exact: true }).annotations({
    description: "Maximum current position; lost queries have none"
  })
})
export type KeywordFilters = typeof KeywordFilters.Type

const choice = <A extends readonly [string, ...ReadonlyArray<string>]>(...literals: A) =>
  Schema.Literal(...literals).annotations({
    message: () => ({ message: `must be one of ${literals.join(", ")}`, override: true })
  })

/** The sort keys of the list of rankings. */
export const KeywordSort = choice("impressions", "clicks", "position", "position_delta")
export const KeywordDirection = choice("asc", "desc")

/** The order of the list of rankings. */
export const KeywordOrder = Schema.Struct({
  sort: Schema.optionalWith(KeywordSort, {
    default: () => "impressions",
    exact: true
  }).annotations({
    description: "Sort by this field; with `position`, records without a current position come last"
  }),
  order: Schema.optionalWith(KeywordDirection, { default: () => "desc", exact: true }).annotations({
    description: "Ascending or descending; `desc` by default"
  })
})
export type KeywordOrder = typeof KeywordOrder.Type

const KeywordParameters = Schema.Struct({ ...PageParameters, ...KeywordFilters.fields, ...KeywordOrder.fields })

/** A page of rankings; `coverage` has an entry for each listed site. */
export const KeywordPage = Schema.Struct({
  data: Schema.Array(KeywordRanking).annotations({ description: "Rankings of this page, in list order" }),
  meta: field(
    Schema.Struct({
      ...PageMeta.fields,
      coverage: Schema.Array(Coverage).annotations({
        description: "Days with data in both periods, for each listed site"
      })
    }).annotations({
      identifier: "KeywordPageMeta",
      description: "Position of this page in the list, and how complete the data are"
    }),
    "Position of this page in the list, and how complete the data are"
  ),
  links: field(PageLinks, "URLs of this page and the next one")
})

/** Replaces a malformed id in a path. No record has this id. */
const noKeyword = `kw_${"0".repeat(32)}`

const ofKeyword = Schema.Struct({
  id: Schema.transform(Schema.String, Schema.typeSchema(RankingId), {
    strict: false,
    decode: (text) => (Schema.is(RankingId)(text) ? text : noKeyword),
    encode: (text) => text
  })
})

/** Rankings of the caller's sites. */
export class KeywordsApi extends HttpApiGroup.make("keywords")
  .annotateContext(about("Keyword rankings from Search Console data."))
  .add(
    exportableList("list", "/keywords", {
      summary: "List keyword rankings",
      description:
        "Rankings of your sites: the latest complete period compared with the previous one. Sorted by impressions, then clicks, highest first, then `id`; or by `sort` and `order`, then `id`.",
      page: KeywordPage,
      scope: KeywordsRead
    }).setUrlParams(input(KeywordParameters))
  )
  .add(
    read("get", "/keywords/:id", {
      summary: "Get a keyword ranking",
      description: "Returns one ranking by its id.",
      ids: ofKeyword,
      of: KeywordRanking,
      scope: KeywordsRead
    })
  )
  .add(
    read("series", "/keywords/:id/series", {
      summary: "Get the daily history of a keyword",
      description:
        "One entry for each day with data, zeros on days without impressions. By default the latest 28 days, at most 500. The days of a period add up to the ranking.",
      ids: ofKeyword,
      of: Schema.Array(SeriesDay),
      scope: KeywordsRead
    })
      .setUrlParams(input(Schema.Struct(DayParameters)))
      .addError(failure("validation_error"))
  )
  .prefix("/api/v1") {}
