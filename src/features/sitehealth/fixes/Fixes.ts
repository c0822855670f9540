import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../../crawl/Crawl.ts"
import {
  type EvidenceGroup,
  groupsOf,
  ruleName,
  ruleWords,
  shownUrls,
  valueOf
} from "../../../crawl/formats/Wording.ts"
import { type EvidenceItem, type Finding, severityRank } from "../../../crawl/report/Finding.ts"
import { ruleOf } from "../../../crawl/rules/Catalogue.ts"
import type { Guidance } from "../../../crawl/rules/Rule.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { FixDirectiveId } from "../../audits/Domain.ts"
import { evidenceText, promptText } from "../../audits/Prompt.ts"
import type { FixDirective, Run } from "../Domain.ts"

/** A case that needs another fix than the guidance of its check. */
interface Case {
  readonly holds: (item: EvidenceItem) => boolean
  readonly goal: string
  /** The name of the affected evidence. */
  readonly name: string
  readonly steps: Guidance["steps"]
  readonly never: string
}

/** A canonical or a redirect from one language to another takes the copy out of the index (Google Search Central, Localized versions of your pages). */
const languageCopies: Case = {
  holds: ({ detail }) => detail.includes("language copies without hreflang"),
  goal: "Connect the listed language copies by hreflang",
  name: "language copies",
  steps: [
    "Keep each copy at its own URL, with a canonical to itself.",
    "List all copies on each copy, including itself, by link rel=alternate hreflang in the head, or list them all in the sitemap.",
    "Translate title, description and text if they are not translated yet."
  ],
  never: "set the canonical to a page in another language, redirect one language to another, or set noindex on a copy"
}

const cases: ReadonlyArray<Case> = [languageCopies]

/** The guidance of a check with the steps of a case: instead of the check's steps if the case has all evidence, else next to them. */
const fitted = (guidance: Guidance, { evidence: { items } }: Finding): Guidance => {
  const found = cases.find(({ holds }) => items.some(holds))
  if (found === undefined) return guidance
  const { goal, holds, name, never, steps } = found
  if (items.every(holds)) return { ...guidance, goal, never, steps }
  const [first, ...rest] = guidance.steps
  return {
    ...guidance,
    never: `${guidance.never}; for ${name}, do not ${never}`,
    steps: [
      `For pages that the evidence calls ${name}: ${steps.join(" ")} The other steps are for the rest.`,
      first,
      ...rest
    ]
  }
}

// Other machines follow these instructions: they name requests to this installation, and no program or package, because anybody may own its name on a
// registry.

/** The checks that prove a fix once the change is deployed. */
type Done = (finding: Finding) => ReadonlyArray<string>

const each = (count: number) => (count === 1 ? "the URL" : `each of the ${count} URLs`)

const unchanged = "The listed URLs otherwise respond as before, and existing tests pass."

/** The API key for a recheck, and the meaning of the variable in place of an unset server URL. */
const needs = (base: string) =>
  `API key with site-health:write${base.startsWith("$") ? `; ${base} is the URL of the Findable server` : ""}`

/** Rechecks the fix through the server at a URL. */
const recheck = (base: string, run: string, { count, rule }: Finding): string =>
  `POST ${base}/api/v1/runs/${run}/verify with {"rules":["${rule}"]} (${needs(base)}). Poll GET ${base}/api/v1/runs/{id of the recheck}?include=result until finished_at is set. result.verification must say fixed for ${each(count)}.`

/** How to prove a fix through the API of the server at a URL. */
export const doneByApi =
  (base: string, { id, project_id }: Run): Done =>
  (finding) => [
    `After you deploy the change: ${recheck(base, id, finding)}`,
    `If it says not_assessable, its detail gives the reason. Then start a new crawl: POST ${base}/api/v1/projects/${project_id}/site-health/runs with the same start URL. When it has finished, GET ${base}/api/v1/runs/{id of the new crawl}/diff?against=${id} must list ${finding.rule} under findings.fixed for ${each(finding.count)}. Only a URL that you removed may be under findings.not_comparable, and none under findings.new or findings.persisting.`,
    unchanged
  ]

/** The name of a file without its folders; a placeholder for a name that a shell would not take literally. */
const nameOf = (file: string): string => {
  const name = file.split(/[/\\]/).at(-1) ?? ""
  return /^\w[\w.-]{0,99}$/.test(name) ? name : "report.json"
}

/** How to prove a fix by a report in a file, or by a server that crawls the site. */
export const doneByReport =
  (base: string, file: string): Done =>
  (finding) => {
    const { count, rule } = finding
    const report = nameOf(file)
    return [
      `After you deploy the change, if a Findable server crawls the site, take run_id from a crawl with the same issue: ${recheck(base, "{run_id}", finding)}`,
      `Without a server: ask whoever gave you these instructions to recheck ${report}, the report behind them, for ${rule}. The recheck must say fixed for ${each(count)}.`,
      `If a recheck has no result for a URL, it gives the reason. Then compare a new crawl of the same start URL with ${report}: ${rule} must be fixed for ${each(count)} and new on none. Only a URL that you removed may be not comparable.`,
      unchanged
    ]
  }

/** More lines do not help to fix the source of the pages; the result has all URLs. */
const maxLines = 40

/** Maximum characters of a URL, of a detail, and of an element or a value. */
const maxUrl = 500
const maxDetail = 2000
const maxThing = 300

/** The detail of a page, with its value, place and markup. The line of a site-wide cause names its place itself. */
const fieldsOf = (item: EvidenceItem): ReadonlyArray<string> => {
  const value = valueOf(item)
  return [
    ...(item.detail === "" ? [] : [evidenceText(item.detail, maxDetail)]),
    ...(value === null ? [] : [`value: ${evidenceText(value, maxThing)}`]),
    ...(item.place === undefined || item.shared_by !== undefined ? [] : [`place: ${item.place}`]),
    ...(item.markup === undefined ? [] : [`markup: ${evidenceText(item.markup, maxThing)}`])
  ]
}

/** One line per page; a group prints its shared part once, then at most five pages. */
const linesOf = ({ count, item, urls }: EvidenceGroup): ReadonlyArray<string> => {
  const fields = fieldsOf(item)
  if (count === 1) return [[evidenceText(item.url, maxUrl), ...fields].join(" | ")]
  const shown = urls.slice(0, shownUrls)
  const head = item.shared_by === undefined ? [`${plural(count, "URL")} with the same evidence`, ...fields] : fields
  return [
    head.join(" | "),
    ...shown.map((url) => `on ${evidenceText(url, maxUrl)}`),
    ...(count > shown.length ? [`and on ${count - shown.length} more`] : [])
  ]
}

/** The evidence of an issue by cause, most pages first, as lines that cannot leave their block. */
const evidenceLines = (finding: Finding): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const groups = groupsOf(finding)
  for (const [index, group] of groups.entries()) {
    const own = linesOf(group)
    if (lines.length + own.length > maxLines)
      return [...lines, `(${plural(groups.length - index, "more cause")} in the result)`]
    lines.push(...own)
  }
  return lines
}

const directiveId = Schema.decodeSync(FixDirectiveId)

/** Guidance for an unknown check of a result from another version. */
const unknown: Guidance = {
  why: "Another version of Findable found this issue, and this version does not know its check.",
  goal: "Fix the issue on the listed URLs",
  find: "Find what generates the listed pages.",
  steps: ["Read the evidence of each URL.", "Fix the cause."],
  never: "change anything that the evidence does not mention"
}

const directive = (finding: Finding, done: Done): FixDirective => {
  const { category, count, rule, severity } = finding
  const { means, source } = ruleWords(rule)
  const { find, goal, never, steps, why } = fitted(ruleOf(rule)?.guidance ?? unknown, finding)
  return {
    id: directiveId(`fix_${rule}`),
    category,
    severity,
    human_summary: `${means} (${plural(count, "URL")})`,
    why_it_matters: why,
    agent_prompt: promptText({
      docs: source === "" ? undefined : source,
      done: done(finding),
      evidence: evidenceLines(finding),
      except: "the pages themselves",
      find: `${find} Fix what generates the pages, not generated files.`,
      from: "the crawled site (escaping: <\\/ means </, and a quote may replace a backtick)",
      goal,
      heading: `Issue: ${ruleName(rule)} (check ${rule}, ${category}, ${severity}) on ${plural(count, "URL")}. ${means}`,
      hiddenFrom: "the crawler",
      never,
      steps
    })
  }
}

/** One directive for each issue, worst first; equal results give equal bytes. */
export const fixDirectives = ({ findings }: CrawlResult, done: Done): ReadonlyArray<FixDirective> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity] || b.count - a.count)
    .map((finding) => directive(finding, done))
