import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { answerList } from "../../accounts/Exports.ts"
import { type Batch, forCaller } from "../../accounts/Handlers.ts"
import { type Owned, OwnedId } from "../../accounts/Owned.ts"
import { type Project, ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { type Beside, OpportunitiesApi, type OpportunityFilters } from "./Api.ts"
import { CurvePoint, Kind, type NotAssessed, Opportunity, OpportunityWindows } from "./Domain.ts"
import { windowLength } from "./Weeks.ts"

const Reason = Schema.NullOr(Schema.Literal("missing_days", "history_too_short"))

/** The stored summary of a generation's lists. */
const Summary = Schema.Struct({
  not_assessed: Schema.Array(Schema.Struct({ decay: Reason, device: Schema.String, queries: Reason })),
  windows: OpportunityWindows
})

/** A generation, and the summary of its lists, null before they are computed. */
const Made = Schema.Struct({ id: Schema.String, summary: Schema.NullOr(Summary) })

/** Stored lists of opportunities. */
export class ListsRepo extends Effect.Service<ListsRepo>()("rankings/opportunities/ListsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The current generation of a site, or, until its lists are computed, the newest one with lists. `summary` is null if no generation has lists. */
    const current = Query.first({
      Request: OwnedId(ProjectId),
      Result: Made,
      execute: (site) => sql`
        SELECT g.id::text, g.opportunities AS summary FROM ranking_generations c JOIN ranking_generations g ON g.id = coalesce(
          CASE WHEN c.opportunities IS NULL THEN (SELECT max(made.id) FROM ranking_generations made
            WHERE made.account_id = c.account_id AND made.site_id = c.site_id AND made.opportunities IS NOT NULL) END, c.id)
        WHERE c.site_id = ${site} AND c.published IS NOT NULL AND c.superseded IS NULL`
    })

    /** The generation of a cursor, as long as it is kept. */
    const kept = Query.first({
      Request: Schema.Struct({ id: Schema.String, site: OwnedId(ProjectId) }),
      Result: Made,
      execute: ({ id, site }) => sql`
        SELECT id::text, opportunities AS summary FROM ranking_generations WHERE id = ${id}::bigint AND site_id = ${site} AND published IS NOT NULL`
    })

    /** A page of a list, by its key. Significant records are first, so a list of these alone is the start of the whole. */
    const page = Query.all({
      Request: Schema.Struct({
        after: Schema.Int,
        brand: Schema.Literal("any", "true", "false"),
        count: Schema.Int,
        device: Schema.String,
        generation: Schema.String,
        kind: Kind,
        significant: Schema.Boolean
      }),
      Result: Schema.Struct({ place: Schema.Int, record: Schema.String }),
      execute: ({ after, brand, count, device, generation, kind, significant }) => sql`
        SELECT place, record FROM ranking_opportunities
        WHERE generation = ${generation}::bigint AND kind = ${kind} AND device = ${device} AND brand = ${brand}
          AND significant >= ${significant} AND place > ${after} AND place <= ${after + count} ORDER BY place`
    })

    const curve = Query.all({
      Request: Schema.Struct({ generation: Schema.String }),
      Result: CurvePoint,
      execute: ({ generation }) => sql`
        SELECT nullif(device, '') AS device, brand, position::integer AS position, rows::float8 AS rows, impressions::float8 AS impressions,
          clicks::float8 AS clicks, ctr, low, high
        FROM ranking_curves WHERE generation = ${generation}::bigint ORDER BY ranking_curves.device, brand, ranking_curves.position`
    })

    return { current, curve, kept, page }
  })
}) {}

/** A record as JSON, and its place. */
interface Listed {
  readonly json: string
  readonly generation: string
  readonly place: number
}

/** The start of a page in a cursor: the generation, and the place of the previous record. */
const Position = Schema.Tuple(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)), Schema.NumberFromString)
const decodePosition = Schema.decodeUnknown(Position)

const stale = apiError(
  "invalid_cursor",
  "The cursor has expired: the list was recomputed more than a day ago. Start again without a cursor"
)
const unmade = apiError(
  "service_unavailable",
  "Opportunities of this site are being computed for the first time. Try again in a few seconds",
  { headers: { "retry-after": "5" } }
)

/** A request for the first lists of a project waits for five seconds at most. */
const untilMade = Schedule.recurUntil((found: Option.Option<typeof Made.Type>) =>
  Option.match(found, { onNone: () => true, onSome: ({ summary }) => summary !== null })
).pipe(Schedule.zipLeft(Schedule.spaced("200 millis")), Schedule.zipLeft(Schedule.recurs(25)))

const noData = (kind: typeof NotAssessed.Type.kind): Beside => ({
  not_assessed: [{ kind, needed_days: neededBy(kind), reason: "history_too_short" }],
  windows: null
})

const neededBy = (kind: typeof NotAssessed.Type.kind) => (kind === "decay" ? 2 * windowLength : windowLength)

const besideOf = (
  { not_assessed, windows }: typeof Summary.Type,
  kind: typeof NotAssessed.Type.kind,
  device: string
): Beside => {
  const found = not_assessed.find((one) => one.device === device)
  const reason = (kind === "decay" ? found?.decay : found?.queries) ?? null
  return { not_assessed: reason === null ? [] : [{ kind, needed_days: neededBy(kind), reason }], windows }
}

/** Opportunities of an account's projects. */
export class Opportunities extends Effect.Service<Opportunities>()("rankings/opportunities/Opportunities", {
  dependencies: [ListsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* ListsRepo

    const current = (site: Owned<Project>) =>
      Effect.map(Effect.repeat(repo.current(site), untilMade), Option.getOrUndefined)

    /** One page. All pages come from the generation of the first page, as long as that is kept. */
    const list = Traced.fn("Opportunities.list")(function* (
      account: AccountId,
      project: ProjectId,
      { brand, device = "", kind, significance }: Omit<OpportunityFilters, "device"> & { readonly device?: string },
      { after, count }: Batch
    ) {
      if (kind === "decay" && brand !== undefined)
        return yield* Invalid.of(
          "brand",
          "cannot be combined with kind=decay, which lists pages with all their queries"
        )
      const site = yield* projects.own(account, project)
      const [walk, place] = after === undefined ? [null, 0] : yield* Effect.orDie(decodePosition(after))
      const found = walk === null ? yield* current(site) : Option.getOrUndefined(yield* repo.kept({ id: walk, site }))
      const none: ReadonlyArray<Listed> = []
      if (found === undefined) return walk === null ? { beside: noData(kind), records: none } : yield* stale
      const { id: generation, summary } = found
      if (summary === null) return yield* unmade
      const rows = yield* repo.page({
        after: place,
        brand: brand ?? "any",
        count,
        device,
        generation,
        kind,
        significant: significance !== "all"
      })
      return {
        beside: besideOf(summary, kind, device),
        records: rows.map(({ place, record }): Listed => ({ generation, json: record, place }))
      }
    })

    /** The click curve of the newest 28 days; empty until all are known. */
    const curve = Traced.fn("Opportunities.curve")(function* (account: AccountId, project: ProjectId) {
      const site = yield* projects.own(account, project)
      const found = yield* current(site)
      const none: ReadonlyArray<typeof CurvePoint.Type> = []
      if (found === undefined) return { data: none, meta: noData("ctr_curve") }
      if (found.summary === null) return yield* unmade
      const data = yield* repo.curve({ generation: found.id })
      return { data, meta: besideOf(found.summary, "ctr_curve", "") }
    })

    return { curve, list }
  }).pipe(Effect.orDie)
}) {
  /** The position of a record in its list, for a cursor. */
  static position({ generation, place }: Listed): ReadonlyArray<string> {
    return [generation, String(place)]
  }
}

const nothing: Beside = { not_assessed: [], windows: null }

export const layer = HttpApiBuilder.group(apiRoot.add(OpportunitiesApi), "opportunities", (handlers) =>
  Effect.gen(function* () {
    const opportunities = yield* Opportunities
    return handlers
      .handle("curve", ({ path }) => forCaller((account) => opportunities.curve(account, path.project_id)))
      .handle("list", ({ path: { project_id }, urlParams: { cursor, limit, ...filters } }) =>
        Effect.flatMap(Ref.make(nothing), (beside) =>
          answerList(
            {
              read: (account, batch) =>
                Effect.flatMap(opportunities.list(account, project_id, filters, batch), (found) =>
                  Effect.as(Ref.set(beside, found.beside), found.records)
                ),
              columns: Object.keys(Opportunity.fields),
              json: ({ json }) => json,
              position: Opportunities.position,
              query: {
                cursor,
                limit,
                of: ["opportunities", project_id, JSON.stringify(Object.entries(filters).sort())]
              }
            },
            ({ data, links, meta }) =>
              Effect.map(Ref.get(beside), (beside) =>
                HttpServerResponse.text(
                  `{"data":[${data.map(({ json }) => json).join(",")}],"meta":${JSON.stringify({ ...meta, ...beside })},"links":${JSON.stringify(links)}}`,
                  { contentType: "application/json" }
                )
              )
          )
        )
      )
  })
).pipe(Layer.provide(Opportunities.Default))
