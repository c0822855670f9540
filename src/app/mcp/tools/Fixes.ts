import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import {
  type Call,
  defaulting,
  fits,
  foreign,
  greatest,
  Instructions,
  optional,
  reading,
  sizeOf,
  tokensAtMost,
  tool,
  whole,
  written
} from "../Tool.ts"
import { severity } from "./Findings.ts"
import { named, runOf } from "./Sites.ts"

type Fix = Pick<
  | Effect.Effect.Success<ReturnType<Call["client"]["siteHealthResults"]["fixes"]>>["data"][number]
  | Effect.Effect.Success<ReturnType<Call["client"]["audits"]["fixes"]>>["data"][number],
  "agent_prompt" | "category" | "human_summary" | "id" | "severity" | "why_it_matters"
>

/** The run or the audit of the fixes. */
type Of = { readonly audit: string | undefined } | { readonly run: string }

/** The most characters of a reason, and the fewest of useful instructions: a line says as much as fewer. */
const [longestReason, shortestPrompt] = [1000, 500]

/** Tokens that lines leave to full fixes. */
const room = 3500

/** The most characters of a summary in a line for each attempt, until all fixes fit. */
const summaries = [300, 100, 40, 0]

const [begin, end] = ["<evidence>", "</evidence>"]

/** Instructions with at most `characters`: the last lines of evidence are left out first, then the end of the text. */
const promptOf = (prompt: string, characters: number) => {
  const lines = prompt.split("\n")
  const last = lines.lastIndexOf(end)
  const first = lines.indexOf(begin)
  let beyond = prompt.length - characters
  let dropped = 0
  while (beyond > 0 && last - dropped - 1 > first && first !== -1) {
    dropped++
    beyond -= (lines[last - dropped]?.length ?? 0) + 1
  }
  const text = dropped === 0 ? prompt : lines.toSpliced(last - dropped, dropped).join("\n")
  return { dropped, isCut: text.length > characters, text: text.slice(0, Math.max(0, characters)) }
}

/** The place of the whole fix when a response has only a part. */
const elsewhere = (of: Of, id: string) =>
  "run" in of
    ? `list_findings with rule=${id.replace(/^fix_/, "")} lists every URL`
    : `GET /api/v1/audits/${of.audit}/fixes returns everything`

/** A fix with at most `characters` of instructions. */
const inFull = (of: Of, { agent_prompt, category, human_summary, id, severity, why_it_matters }: Fix, most: number) => {
  const { dropped, isCut, text } = promptOf(agent_prompt, most)
  const missing = [
    ...(dropped > 0 ? [`${dropped} lines of evidence`] : []),
    ...(isCut ? ["the end of agent_prompt"] : [])
  ]
  return {
    id,
    severity,
    category,
    summary: foreign(human_summary),
    why_it_matters: why_it_matters.slice(0, longestReason),
    agent_prompt: new Instructions({ text }),
    ...(missing.length > 0 && { left_out: `${missing.join(" and ")}: ${elsewhere(of, id)}` })
  }
}

/** A fix with the part of its instructions that fits into a body; undefined if that is next to nothing. */
const cutToFit = (of: Of, fix: Fix, bodyWith: (row: object) => object) => {
  const { length } = fix.agent_prompt
  const fitsWith = (most: number) => fits(bodyWith(inFull(of, fix, most)))
  const most = fitsWith(length) ? length : greatest(0, length, fitsWith)
  return most < Math.min(length, shortestPrompt) ? undefined : { isWhole: most === length, row: inFull(of, fix, most) }
}

const inOneLine =
  (summary: number) =>
  ({ human_summary, id, severity }: Fix) => ({
    id,
    severity,
    ...(summary > 0 && { summary: foreign(human_summary.slice(0, summary)) })
  })

/** All fixes that fit, a line each: all fixes, except of reports with hundreds. The number of lines does not depend on the number of full fixes. */
const linesOf = (fixes: ReadonlyArray<Fix>) => {
  for (const summary of summaries) {
    const lines = fixes.map(inOneLine(summary))
    if (sizeOf(lines) <= tokensAtMost - room) return lines
  }
  const lines = fixes.map(inOneLine(0))
  return lines.slice(
    0,
    greatest(0, lines.length + 1, (count) => sizeOf(lines.slice(0, count)) <= tokensAtMost - 300)
  )
}

/** The omissions of a response: `unnamed` fixes without a row, and `short` more with only a line. */
const leftOut = (unnamed: number, short: number) =>
  [
    ...(unnamed > 0 ? [`${unnamed} fixes: filter by severity`] : []),
    ...(short > 0 ? [`${short} fixes have one line each: pass an id as fix to read one`] : [])
  ].join("; ")

/** Fixes, worst first: up to `limit` full ones if they fit, all others as a line each. */
export const fixesBody = (of: Of, fixes: ReadonlyArray<Fix>, limit: number): object => {
  const rows: Array<object> = [...linesOf(fixes)]
  const wanted = Math.min(limit, rows.length)
  const bodyOf = (left_out: string, rows: ReadonlyArray<object>) => ({
    ...of,
    total: fixes.length,
    next_cursor: null,
    ...(left_out !== "" && { left_out }),
    rows
  })
  // Measured with the longest possible note of omissions, so the full fixes do not depend on the requested number.
  const longest = leftOut(fixes.length, fixes.length)
  let full = 0
  for (const fix of fixes.slice(0, wanted)) {
    const cut = cutToFit(of, fix, (row) => bodyOf(longest, rows.with(full, row)))
    if (cut === undefined) break
    rows[full++] = cut.row
    if (!cut.isWhole) break
  }
  return bodyOf(leftOut(fixes.length - rows.length, wanted - full), rows)
}

/** One fix, cut to its limit. */
export const fixBody = (of: Of, fix: Fix): object => ({
  ...of,
  ...(cutToFit(of, fix, (row) => ({ ...of, ...row }))?.row ?? inFull(of, fix, shortestPrompt))
})

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
          ? yield* apiError("not_found", `No fix ${fix.slice(0, 100)}: call read_fixes without fix to list all`)
          : yield* written(fixBody(of, found))
      }
      const fixes = data.filter((fix) => severity === undefined || fix.severity === severity)
      return yield* written(fixesBody(of, fixes, limit))
    })
)
