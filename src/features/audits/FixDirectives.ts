import * as Schema from "effect/Schema"
import { plural } from "../../foundation/text/Words.ts"
import { type FixDirective, FixDirectiveId, lighthouseKey, thresholds } from "./Domain.ts"
import { type Finding, passScore } from "./Findings.ts"
import type { Guidance } from "./guidance/Guidance.ts"
import { guidanceFor, isGuided } from "./guidance/Lookup.ts"
import { evidenceText, promptText } from "./Prompt.ts"
import {
  type AuditEntry,
  at,
  elements,
  isJsonObject,
  type LighthouseReport,
  members,
  text
} from "./report/LighthouseReport.ts"

const maxRows = 8
const maxFields = 8
const maxRow = 600
const maxDepth = 4

/** Positions and internal names, which do not help to find the source. */
const skipped = new Set([
  "type",
  "lhId",
  "path",
  "boundingRect",
  "nodeLabel",
  "debugData",
  "urlProvider",
  "granularity",
  "key"
])

/** axe lists problems as lines under a heading; evidence joins them into one line. */
const problemOf = (explanation: string | null): string | undefined =>
  explanation
    ?.slice(0, 4_000)
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Fix (?:any|all) of the following:$/.test(line))
    .join(" / ")

const nodeFields = (node: unknown): ReadonlyArray<string> =>
  [
    ["selector", at(node, "selector"), 300],
    ["html", at(node, "snippet"), 300],
    ["problem", problemOf(text(at(node, "explanation"))), 160]
  ].flatMap(([label, value, max]) =>
    typeof value === "string" && value !== "" ? [`${label}: ${evidenceText(value, Number(max))}`] : []
  )

const location = (value: unknown): string => {
  const line = at(value, "line")
  const column = at(value, "column")
  const url = text(at(value, "url")) ?? ""
  return typeof line === "number" && typeof column === "number" ? `${url}:${line + 1}:${column + 1}` : url
}

const fieldsOf = (key: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value === "number" && Number.isFinite(value)) return [`${key}: ${Math.round(value * 1000) / 1000}`]
  if (typeof value === "boolean") return [`${key}: ${value}`]
  if (typeof value === "string") return value === "" ? [] : [`${key}: ${evidenceText(value, 300)}`]
  if (!isJsonObject(value)) return []
  if (value.type === "node") return nodeFields(value)
  if (value.type === "source-location") return [`${key}: ${evidenceText(location(value), 300)}`]
  const inner = text(value.value) ?? text(value.text) ?? text(value.url)
  return inner === null || inner === "" ? [] : [`${key}: ${evidenceText(inner, 300)}`]
}

/** The first fields of an item, at most `most`. */
const firstFields = (item: unknown, most: number): ReadonlyArray<string> => {
  const own = at(item, "type") === "node" ? nodeFields(item) : []
  if (own.length > 0) return own.slice(0, most)
  const found: Array<string> = []
  for (const [key, value] of members(item).slice(0, 40)) {
    if (found.length >= most) break
    if (!skipped.has(key) && /^[A-Za-z]\w{0,39}$/.test(key)) found.push(...fieldsOf(key, value))
  }
  return found.slice(0, most)
}

/** A row; only its first field if the row is only counted. */
const rowOf = (item: unknown, isCounted: boolean): string => {
  const row = firstFields(item, isCounted ? 1 : maxFields).join("; ")
  return row.length > maxRow ? `${row.slice(0, maxRow - 1)}…` : row
}

const longestLink = (chains: unknown): unknown => {
  const links = members(chains)
  return (links.find(([, link]) => at(link, "isLongest") === true) ?? links[0])?.[1]
}

const chainRows = function* (chains: unknown): Generator<string> {
  let link = longestLink(chains)
  for (let place = 1; link !== undefined && place <= maxRows; place++) {
    const url = text(at(link, "url")) ?? text(at(link, "request", "url"))
    if (url !== null) yield `link ${place}: ${evidenceText(url, 300)}`
    link = longestLink(at(link, "children"))
  }
}

const checklistRows = function* (items: unknown): Generator<string> {
  for (const [, item] of members(items)) {
    const label = text(at(item, "label"))
    if (at(item, "value") === false && label !== null) yield `not met: ${evidenceText(label, 300)}`
  }
}

/** The rows of tables, lists and their sections, depth first in the order of the report, without empty rows. */
const rowsOf = function* (details: unknown, budget: { left: number; shown: number }, depth = 0): Generator<string> {
  if (depth > maxDepth || !isJsonObject(details)) return
  if (details.type === "checklist") return yield* checklistRows(details.items)
  if (isJsonObject(details.chains)) return yield* chainRows(details.chains)
  if (details.type === "list-section") return yield* rowsOf(details.value, budget, depth + 1)
  if (!Array.isArray(details.items)) {
    const row = rowOf(details, budget.shown <= 0)
    if (row === "") return
    budget.shown -= 1
    yield row
    return
  }
  for (const item of details.items) {
    if (budget.left-- <= 0) return
    yield* rowsOf(item, budget, depth + 1)
  }
}

/** The details of a check, as safe lines. */
interface EvidenceRows {
  /** At most 8 lines. */
  readonly rows: ReadonlyArray<string>
  /** Further rows of the report; items beyond the first thousand are not counted. */
  readonly more: number
}

/** The rows of a check's details, each one line of evidence that cannot leave its block. */
const evidenceRows = (details: unknown): EvidenceRows => {
  if (!isJsonObject(details) || (!Array.isArray(details.items) && details.type !== "checklist"))
    return { rows: [], more: 0 }
  const rows = [...rowsOf(details, { left: 1_000, shown: maxRows })]
  return { rows: rows.slice(0, maxRows), more: Math.max(0, rows.length - maxRows) }
}

/** A metric with an estimated gain from a fix: `today` and `gain` in milliseconds, or unitless for CLS. */
interface Gain {
  readonly metric: "LCP" | "FCP" | "TBT" | "INP" | "CLS"
  readonly gain: number
  readonly today: number | null
}

/** Lighthouse's estimated gains for a check. */
const gainsOf = ({ savings }: AuditEntry, { lab }: LighthouseReport): ReadonlyArray<Gain> => {
  const all: ReadonlyArray<Gain> = [
    { metric: "LCP", gain: savings.lcp, today: lab.lcp_ms },
    { metric: "FCP", gain: savings.fcp, today: lab.fcp_ms },
    { metric: "TBT", gain: savings.tbt, today: null },
    { metric: "INP", gain: savings.inp, today: lab.inp_ms },
    { metric: "CLS", gain: savings.cls, today: lab.cls }
  ]
  return all.filter(({ gain, metric }) => (metric === "CLS" ? gain >= 0.001 : gain >= 1))
}

const amount = (metric: Gain["metric"], value: number): string =>
  metric === "CLS" ? String(Math.round(value * 1000) / 1000) : `${Math.round(Math.min(value, 1e9))} ms`

/** "LCP 600 ms": one estimated gain in words. */
const gainText = ({ gain, metric }: Gain): string => `${metric} ${amount(metric, gain)}`

/** The expected result of a new run for a gain. */
const gainTarget = ({ gain, metric, today }: Gain): string =>
  today === null || gain >= today
    ? `${metric} improves (the estimate is ${amount(metric, gain)})`
    : `${metric} falls from ${amount(metric, today)} to about ${amount(metric, today - gain)}`

const vitalTargets: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(lcp-|largest-contentful|prioritize-lcp|preload-lcp)/, `LCP is at most ${thresholds.lcp_ms.good} ms`],
  [/^(cls-|layout-shift)/, `CLS is at most ${thresholds.cls.good}`],
  [/^(inp-|work-during-interaction)/, `INP is at most ${thresholds.inp_ms.good} ms`]
]

/** The "good" bound of a check about one Core Web Vital. */
const vitalTarget = (auditId: string): ReadonlyArray<string> =>
  vitalTargets.flatMap(([audits, target]) => (audits.test(auditId) ? [target] : []))

const maxScripts = 5

/** The scripts behind the main-thread checks; Lighthouse breaks these down only by kinds of work. */
const scriptRows = ({ audit }: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  if (!mainThreadAudits.has(audit.id)) return []
  const rows = ["bootup-time", "long-tasks"].map((id) => evidenceRows(report.audits.get(id)?.details).rows)
  return (rows.find((of) => of.length > 0) ?? []).slice(0, maxScripts).map((row) => `script: ${row}`)
}

const mainThreadAudits = new Set(["mainthread-work-breakdown", "interactive", "max-potential-fid", "first-cpu-idle"])

const evidenceLines = (finding: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  const { more, rows } = evidenceRows(finding.audit.details)
  const measured = report.fetchTime === null ? [] : [`measured: ${evidenceText(report.fetchTime, 40)}`]
  const rest = more === 0 ? [] : [`(${more} more in the report)`]
  return [
    ...(isGuided(finding.audit.id) ? [] : [`audit: ${evidenceText(finding.audit.id, 80)}`]),
    `page: ${evidenceText(report.url, 500)}`,
    ...measured,
    ...rows,
    ...rest,
    ...scriptRows(finding, report)
  ]
}

const doneWhen = ({ audit, category, severity }: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  const preset = report.device === "desktop" ? " --preset=desktop" : ""
  const targets =
    category === "performance" ? [...vitalTarget(audit.id), ...gainsOf(audit, report).map(gainTarget)] : []
  const passed = severity === "info" ? "lists no issue any more" : `scores at least ${passScore} or no longer applies`
  return [
    isGuided(audit.id)
      ? `In a new Lighthouse run of the page (--only-audits=${audit.id}${preset}) the audit ${audit.id} ${passed}.`
      : `In a new Lighthouse run of the page the audit that the evidence names ${passed}.`,
    ...(targets.length === 0
      ? []
      : [`In a full run: ${targets.join("; ")}. Lab values vary, so compare the median of three runs.`]),
    "Existing tests pass, and the page looks and behaves as before."
  ]
}

const heading = ({ audit, category }: Finding, report: LighthouseReport): string => {
  const version = /^[\d.]+/.exec(report.version)?.[0] ?? ""
  const gains = gainsOf(audit, report).map(gainText)
  const estimate = gains.length === 0 ? "" : ` Estimated gain: ${gains.join(", ")}.`
  const name = isGuided(audit.id) ? `audit ${audit.id}` : "audit, named in the evidence"
  return `Finding: Lighthouse ${version} ${name} (${[lighthouseKey[category], ...(report.device ? [report.device] : [])].join(", ")}).${estimate}`
}

/** Instructions for a coding agent, from one check of an audit. */
const agentPrompt = (finding: Finding, guidance: Guidance, report: LighthouseReport): string =>
  promptText({
    docs: guidance.docs,
    done: doneWhen(finding, report),
    evidence: evidenceLines(finding, report),
    except: "the page itself",
    find: "Find the source: search the repository for file names, ids, class names and visible texts of the evidence in templates, components, styles and build or server configuration. Fix what generates the page, not generated files.",
    from: "the audited page",
    goal: guidance.goal,
    heading: heading(finding, report),
    hiddenFrom: "Lighthouse",
    steps: guidance.steps
  })

const directiveId = Schema.decodeSync(FixDirectiveId)

/** Number of elements or requests in a check; null if its rows are something else, such as a breakdown. */
const affected = (details: unknown): number | null => {
  const items = elements(at(details, "items"))
  const [first] = items
  const places = isJsonObject(first) && (isJsonObject(first.node) || "url" in first || isJsonObject(first.source))
  return places ? items.length : null
}

const facts = (finding: Finding, report: LighthouseReport): string => {
  const count = affected(finding.audit.details)
  const gains = finding.category === "performance" ? gainsOf(finding.audit, report).map(gainText) : []
  const parts = [
    ...(count === null ? [] : [plural(count, "place")]),
    ...(gains.length === 0 ? [] : [`estimated gain ${gains.join(", ")}`])
  ]
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`
}

/** One directive for each finding, in the order of the findings; equal reports give equal bytes. */
export const fixDirectives = (
  findings: ReadonlyArray<Finding>,
  report: LighthouseReport
): ReadonlyArray<FixDirective> =>
  findings.map((finding) => {
    const guidance = guidanceFor(finding.audit.id, finding.category)
    return {
      id: directiveId(`fix_${finding.audit.id}`),
      category: finding.category,
      severity: finding.severity,
      human_summary: `${guidance.summary}${facts(finding, report)}.`,
      why_it_matters: guidance.why,
      agent_prompt: agentPrompt(finding, guidance, report)
    }
  })
