import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { verdictWords } from "../../../crawl/report/Labels.ts"
import { Render } from "../../../crawl/report/Rendering.ts"
import { verdictOn } from "../../../crawl/report/ScoreVerdict.ts"
import { type Call, defaulting, fitted, foreign, optional, reading, tool, whole, written } from "../Tool.ts"
import { named, runOf, siteOf } from "./Sites.ts"

type Run = Effect.Effect.Success<ReturnType<Call["client"]["siteHealth"]["start"]>>["data"]

/** Seconds between two reports of progress. */
const step = 2

const waiting = (seconds: number) => defaulting(whole(0, 50), seconds, "Seconds to wait for the end")

/** Reads a run, possibly waiting until the run ends. */
const read = ({ client }: Call, id: string, wait: number) =>
  Effect.map(client.siteHealth.get({ path: { run_id: id }, ...(wait > 0 && { wait }) }), ({ data }): Run => data)

const message = ({ counters, phase }: Run) =>
  counters === null ? phase : `${phase}: ${counters.pages_fetched} of ${counters.pages_discovered} pages fetched`

/** The run at its end, after `seconds`, or when the node begins to stop. Its progress is reported meanwhile. */
const waited = (call: Call, run: Run, seconds: number) => {
  const { report, stopping } = call
  if (run.finished_at !== null || seconds === 0) return Effect.succeed(run)
  // The API ends a wait by itself at a stop.
  if (report === undefined) return read(call, run.id, seconds)
  const reporting = (run: Run, left: number, reported = -1): ReturnType<typeof read> => {
    if (run.finished_at !== null || left <= 0) return Effect.succeed(run)
    const done = run.counters?.pages_fetched ?? 0
    return Effect.zipRight(
      // Progress must increase (MCP, progress), but a run that restarts on another node counts from zero.
      Effect.when(
        report({ done, message: message(run), total: Math.max(done, run.request.max_pages) }),
        () => done > reported
      ),
      Effect.flatMap(read(call, run.id, Math.min(left, step)), (later) =>
        reporting(later, left - step, Math.max(done, reported))
      )
    )
  }
  return Effect.raceFirst(
    reporting(run, seconds),
    Effect.flatMap(stopping, () => read(call, run.id, 0))
  )
}

/** The most issues in a run's description, worst first. */
const worst = 10

/** A run, with its worst issues once it has a result. */
const described = (call: Call, run: Run) =>
  Effect.gen(function* () {
    const { counters, error, finished_at, id, phase, project_id, request, status } = run
    const failing = run.result_available
      ? (yield* call.client.siteHealthResults.findings({
          path: { run_id: id },
          query: { limit: worst, sort: "severity", status: "fail" }
        })).data
      : []
    return {
      id,
      site: project_id,
      url: request.url,
      status,
      phase,
      created_at: run.created_at,
      finished_at,
      pages: counters,
      score: run.score,
      verdict:
        run.score === null
          ? undefined
          : verdictWords[verdictOn(run.score.aggregate_score, run.findings?.critical ?? 0)],
      findings: run.findings,
      verifies: request.verify ?? undefined,
      error: error ?? undefined,
      worst: run.result_available
        ? failing.flatMap((row) =>
            "count" in row ? [{ rule: row.rule, severity: row.severity, urls: row.count }] : []
          )
        : undefined,
      next:
        finished_at === null
          ? "The crawl is still running: call get_run with this id and wait_seconds"
          : run.result_available
            ? "Call read_fixes for what to fix, list_findings for the URLs"
            : undefined
    }
  })

const answered = (call: Call, run: Run) => Effect.flatMap(described(call, run), written)

export const startRun = tool(
  {
    annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    description:
      "Crawls a site and judges its pages against the rules; joins a run that is under way. Not ended after wait_seconds: call get_run. Needs the scope site-health:write.",
    name: "start_run",
    title: "Start a run"
  },
  Schema.Struct({
    max_pages: optional(whole(1, 50)),
    render: defaulting(Schema.Literal(...Render.literals), "auto", "Run the pages' scripts"),
    site: Schema.String.annotations({ description: "Id, host or URL of a site" }),
    wait_seconds: waiting(25)
  }),
  ({ max_pages, render, site, wait_seconds }, call) =>
    Effect.gen(function* () {
      const { id } = yield* siteOf(call, site)
      const body = { render, ...(max_pages !== undefined && { max_pages }) }
      const { data } = yield* call.client.siteHealth.start({ body, path: { project_id: id } })
      return yield* answered(call, yield* waited(call, data, wait_seconds))
    })
)

export const getRun = tool(
  {
    annotations: reading,
    description: "Tells a run's status, progress, score, and findings by severity with the worst rules.",
    name: "get_run",
    title: "Get a run"
  },
  Schema.Struct({ ...named, wait_seconds: waiting(0) }),
  ({ wait_seconds, ...which }, call) =>
    Effect.gen(function* () {
      const run = yield* read(call, yield* runOf(call, which), 0)
      return yield* answered(call, yield* waited(call, run, wait_seconds))
    })
)

export const verifyFixes = tool(
  {
    annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    description:
      "After a change went live, looks again at what failed in a run and gives a verdict for each rule: fixed, still failing or not comparable. Needs the scope site-health:write.",
    name: "verify_fixes",
    title: "Verify fixes"
  },
  Schema.Struct({
    rules: optional(Schema.Array(Schema.String).pipe(Schema.maxItems(50)), "Default: all that failed"),
    run: Schema.String.annotations({ description: "Id of the run whose findings were repaired" }),
    wait_seconds: waiting(25)
  }),
  ({ rules, run, wait_seconds }, call) =>
    Effect.gen(function* () {
      const body = rules === undefined || rules.length === 0 ? {} : { rules }
      const { data } = yield* call.client.siteHealth.verify({ body, path: { run_id: run } })
      const ended = yield* waited(call, data, wait_seconds)
      if (!ended.result_available) return yield* answered(call, ended)
      const { data: whole } = yield* call.client.siteHealth.get({
        path: { run_id: ended.id },
        query: { include: "result" }
      })
      const verdicts = whole.result?.verification ?? []
      const byRule = Array.from(
        Map.groupBy(verdicts, ({ rule }) => rule),
        ([rule, of]) => ({ of, rule })
      )
      const count = (of: typeof verdicts, wanted: string) => of.filter(({ verdict }) => verdict === wanted).length
      const left = verdicts.filter(({ verdict }) => verdict !== "fixed")
      return yield* fitted(left.length, (rows) => ({
        run: ended.id,
        verifies: run,
        status: ended.status,
        rules: byRule.map(({ of, rule }) => ({
          rule,
          fixed: count(of, "fixed"),
          still_failing: count(of, "still_failing"),
          not_assessable: of.length - count(of, "fixed") - count(of, "still_failing")
        })),
        total: left.length,
        next_cursor: null,
        ...(rows < left.length && { left_out: `${left.length - rows} URLs: pass fewer ids in rules` }),
        rows: left
          .slice(0, rows)
          .map(({ detail, rule, url, verdict }) => ({ rule, url, verdict, detail: foreign(detail) }))
      }))
    })
)
