import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { identity } from "../../../features/rankings/PageIdentity.ts"
import { type Call, defaulting, fittedPage, foreign, optional, reading, tool, whole } from "../Tool.ts"
import { cursor, siteOf } from "./Sites.ts"

/** The position changes of keywords by agents' words. */
const statuses = { all: undefined, losers: "dropping", lost: "lost", new: "new", winners: "climbing" } as const

/** Lists of pages rather than of position changes. */
const kinds = { cannibalisation: "cannibalisation", opportunities: "striking_distance" } as const

/** The filters of a list. */
interface Narrowed {
  readonly cursor?: string
  readonly min_impressions: number
  readonly page?: string
  readonly query?: string
}

const round = (value: number | null, digits: number) => (value === null ? null : Number(value.toFixed(digits)))

/** The number of a site's keywords of each position change; unknown for a filtered list. */
const totalOf = ({ client }: Call, site: string, view: keyof typeof statuses, narrowed: Narrowed) =>
  narrowed.query !== undefined || narrowed.page !== undefined || narrowed.min_impressions > 0
    ? Effect.succeed(null)
    : Effect.map(client.performance.summary({ path: { project_id: site } }), ({ data }) => {
        const counts = { climbing: data.climbing, dropping: data.dropping, lost: data.lost, new: data.new }
        const status = statuses[view]
        return status === undefined
          ? counts.climbing + counts.dropping + counts.lost + counts.new + data.stable
          : counts[status]
      })

const movements = (call: Call, site: string, view: keyof typeof statuses, limit: number, narrowed: Narrowed) =>
  Effect.gen(function* () {
    const status = statuses[view]
    const total = yield* totalOf(call, site, view, narrowed)
    return yield* fittedPage(limit, (rows) =>
      Effect.map(
        call.client.keywords.list({
          query: {
            limit: rows,
            site_id: site,
            ...(status !== undefined && { status }),
            ...(narrowed.query !== undefined && { query: narrowed.query }),
            ...(narrowed.page !== undefined && { page_path: narrowed.page }),
            ...(narrowed.min_impressions > 0 && { min_impressions: narrowed.min_impressions }),
            ...(narrowed.cursor !== undefined && { cursor: narrowed.cursor })
          }
        }),
        ({ data, meta }) => ({
          site,
          period: data[0]?.period ?? null,
          coverage: meta.coverage,
          total,
          next_cursor: meta.next_cursor ?? null,
          rows: data.map((keyword) => ({
            query: foreign(keyword.query),
            page: keyword.page_path,
            position: round(keyword.current_position, 1),
            before: round(keyword.previous_position, 1),
            delta: round(keyword.position_delta, 1),
            status: keyword.ranking_status,
            impressions: keyword.impressions,
            clicks: keyword.clicks,
            ctr: round(keyword.ctr, 4)
          }))
        })
      )
    )
  })

const chances = (call: Call, site: string, view: keyof typeof kinds, limit: number, narrowed: Narrowed) =>
  fittedPage(limit, (rows) =>
    Effect.map(
      call.client.opportunities.list({
        path: { project_id: site },
        query: {
          kind: kinds[view],
          limit: rows,
          ...(narrowed.cursor !== undefined && { cursor: narrowed.cursor })
        }
      }),
      ({ data, meta }) => ({
        site,
        windows: meta.windows,
        total: null,
        next_cursor: meta.next_cursor ?? null,
        rows: data
          .filter(
            ({ impressions, page_path, query }) =>
              impressions >= narrowed.min_impressions &&
              (narrowed.page === undefined || page_path === identity(narrowed.page)) &&
              (narrowed.query === undefined || (query ?? "").includes(narrowed.query.toLowerCase()))
          )
          .map(({ clicks, ctr, evidence, gain, impressions, page_path, position, query }) => ({
            query: foreign(query),
            page: page_path,
            position: round(position, 1),
            impressions,
            clicks,
            ctr: round(ctr, 4),
            gain,
            evidence
          }))
      })
    )
  )

export const readRankings = tool(
  {
    annotations: reading,
    description: "Reads keyword rankings from Search Console: the newest window of days against the one before.",
    name: "read_rankings",
    title: "Read rankings"
  },
  Schema.Struct({
    cursor,
    limit: defaulting(whole(1, 100), 30),
    min_impressions: defaulting(whole(0, 1_000_000), 0),
    page: optional(Schema.String, "Path of a page"),
    query: optional(Schema.String, "Part of the query"),
    site: Schema.String.annotations({ description: "Id, host or URL of a site" }),
    view: defaulting(
      Schema.Literal("losers", "winners", "new", "lost", "opportunities", "cannibalisation", "all"),
      "all",
      "opportunities: positions 4 to 20 with many impressions"
    )
  }),
  ({ limit, site, view, ...narrowed }, call) =>
    Effect.flatMap(siteOf(call, site), ({ id }) =>
      view === "opportunities" || view === "cannibalisation"
        ? chances(call, id, view, limit, narrowed)
        : movements(call, id, view, limit, narrowed)
    )
)

export const listAudits = tool(
  {
    annotations: reading,
    description:
      "Lists Lighthouse audits, newest first: scores, Core Web Vitals and counts of fixes. read_fixes gives what to repair.",
    name: "list_audits",
    title: "List audits"
  },
  Schema.Struct({
    cursor,
    device: optional(Schema.Literal("mobile", "desktop")),
    limit: defaulting(whole(1, 50), 10),
    url: optional(Schema.String, "Only this page")
  }),
  ({ limit, ...filters }, call) =>
    fittedPage(limit, (rows) =>
      Effect.map(call.client.audits.list({ query: { ...filters, limit: rows } }), ({ data, meta }) => ({
        total: null,
        next_cursor: meta.next_cursor ?? null,
        rows: data.map((audit) => ({
          id: audit.id,
          url: audit.url,
          device: audit.device,
          status: audit.status,
          created_at: audit.created_at,
          overall_score: audit.overall_score,
          scores: audit.scores,
          core_web_vitals: audit.core_web_vitals,
          fixes: audit.findings_summary,
          error: audit.error ?? undefined
        }))
      }))
    )
)
