import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { fitted, foreign, Instructions, written } from "../Answer.ts"
import { defaulting, optional, whole } from "../Schemas.ts"
import { type Call, reading, tool } from "../Tool.ts"
import { cursor, named, runOf } from "./Sites.ts"

const severity = optional(Schema.Literal("critical", "warning", "info"))

type Fix =
  | Effect.Effect.Success<ReturnType<Call["client"]["siteHealthResults"]["fixes"]>>["data"][number]
  | Effect.Effect.Success<ReturnType<Call["client"]["audits"]["fixes"]>>["data"][number]

const inFull = ({ agent_prompt, category, human_summary, id, severity, why_it_matters }: Fix) => ({
  id,
  severity,
  category,
  summary: foreign(human_summary),
  why_it_matters,
  agent_prompt: new Instructions({ text: agent_prompt })
})

const inOneLine = ({ human_summary, id, severity }: Fix) => ({ id, severity, summary: foreign(human_summary) })

export const readFixes = tool(
  {
    annotations: reading,
    description:
      "Reads what to repair after a run or an audit, worst first: `limit` fixes in full (goal, evidence, steps, how to check), the others as one line each. Name `fix` to read one.",
    name: "read_fixes",
    title: "Read fixes"
  },
  Schema.Struct({
    ...named,
    audit: optional(Schema.String, "Id of an audit instead of a run"),
    fix: optional(Schema.String, "Id such as fix_broken_link"),
    limit: defaulting(whole(0, 5), 1),
    severity
  }),
  ({ audit, fix, limit, severity, ...which }, call) =>
    Effect.gen(function* () {
      const run = audit === undefined ? yield* runOf(call, which) : undefined
      const data: ReadonlyArray<Fix> =
        run === undefined
          ? (yield* call.client.audits.fixes({ path: { id: audit ?? "" } })).data
          : (yield* call.client.siteHealthResults.fixes({ path: { run_id: run } })).data
      const of = run === undefined ? { audit } : { run }
      if (fix !== undefined) {
        const found = data.find(({ id }) => id === fix)
        return found === undefined
          ? yield* apiError("not_found", `There is no fix ${fix.slice(0, 100)} here`)
          : yield* written({ ...of, ...inFull(found) })
      }
      const fixes = data.filter((fix) => severity === undefined || fix.severity === severity)
      return yield* fitted(fixes.length, (rows) => {
        const full = Math.min(limit, rows)
        return Effect.succeed({
          ...of,
          total: fixes.length,
          next_cursor: null,
          ...(rows < fixes.length && { left_out: `${fixes.length - rows} fixes: narrow them by severity` }),
          rows: [...fixes.slice(0, full).map(inFull), ...fixes.slice(full, rows).map(inOneLine)]
        })
      })
    })
)

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
      return yield* fitted(limit, (rows) =>
        Effect.map(
          call.client.siteHealthResults.findings({
            path: { run_id: id },
            query: { ...filters, limit: Math.max(1, rows), rows: "url", sort: "severity", status: "fail" }
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
      return yield* fitted(limit, (rows) =>
        Effect.succeed({
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
            left_out: "More URLs than listed: name a rule, or read list_findings"
          })
        })
      )
    })
)
