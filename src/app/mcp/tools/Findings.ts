import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Call, defaulting, fitted, fittedPage, foreign, optional, reading, tool, whole } from "../Tool.ts"
import { cursor, named, runOf } from "./Sites.ts"

export const severity = optional(Schema.Literal("critical", "warning", "info"))

export const listFindings = tool(
  {
    annotations: reading,
    description: "Lists failing URLs of a run with details, worst first, by rule, severity or part of the URL.",
    name: "list_findings",
    title: "List findings"
  },
  Schema.Struct({
    ...named,
    cursor,
    limit: defaulting(whole(1, 100), 30),
    rule: optional(Schema.String),
    severity,
    url: optional(Schema.String, "Part of the URL")
  }),
  ({ limit, run, site, ...filters }, call) =>
    Effect.gen(function* () {
      const id = yield* runOf(call, { run, site })
      return yield* fittedPage(limit, (rows) =>
        Effect.map(
          call.client.siteHealthResults.findings({
            path: { run_id: id },
            query: { ...filters, limit: rows, rows: "url", sort: "severity", status: "fail" }
          }),
          ({ data, meta }) => ({
            run: id,
            total: meta.total,
            next_cursor: meta.next_cursor ?? null,
            rows: data.flatMap((row) =>
              "url" in row
                ? [{ rule: row.rule, severity: row.severity, url: row.url, detail: foreign(row.detail) }]
                : []
            )
          })
        )
      )
    })
)

type Diff = Effect.Effect.Success<ReturnType<Call["client"]["siteHealthResults"]["diff"]>>["data"]
type Kind = keyof Diff["findings"]

const kinds: ReadonlyArray<Kind> = ["new", "fixed", "persisting", "not_comparable"]

export const compareRuns = tool(
  {
    annotations: reading,
    description:
      "Tells what changed between two runs of a site: score, and findings that are new, fixed, persisting or not comparable.",
    name: "compare_runs",
    title: "Compare runs"
  },
  Schema.Struct({
    ...named,
    against: optional(Schema.String, "Id of the earlier run; default: the one before"),
    limit: defaulting(whole(0, 100), 20, "URLs listed of each kind"),
    rule: optional(Schema.String)
  }),
  ({ against, limit, rule, run, site }, call) =>
    Effect.gen(function* () {
      const id = yield* runOf(call, { run, site })
      const { data } = yield* call.client.siteHealthResults.diff({
        path: { run_id: id },
        query: against === undefined ? {} : { against }
      })
      const of = (kind: Kind) => data.findings[kind].filter((finding) => rule === undefined || finding.rule === rule)
      return yield* fitted(limit, (rows) => ({
        run: data.run,
        against: data.against,
        score: data.score,
        total: Object.fromEntries(kinds.map((kind) => [kind, of(kind).length])),
        next_cursor: null,
        rows: kinds.flatMap((kind) =>
          of(kind)
            .slice(0, rows)
            .map(({ detail, rule, severity, url }) => ({ kind, rule, severity, url, detail: foreign(detail) }))
        ),
        ...(kinds.some((kind) => of(kind).length > rows) && {
          left_out: "More URLs than listed: pass rule=…, or call list_findings"
        })
      }))
    })
)
