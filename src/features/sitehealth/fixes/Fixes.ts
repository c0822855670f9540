import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../../crawl/Crawl.ts"
import { type EvidenceGroup, groupsOf, ruleWords, shownUrls, valueOf } from "../../../crawl/formats/Wording.ts"
import { type EvidenceItem, type Finding, severityRank } from "../../../crawl/report/Finding.ts"
import { ruleOf } from "../../../crawl/rules/Catalogue.ts"
import type { Guidance } from "../../../crawl/rules/Rule.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { FixDirectiveId } from "../../audits/Domain.ts"
import { evidenceText, promptText } from "../../audits/Prompt.ts"
import type { FixDirective, Run } from "../Domain.ts"

/** What the evidence of a finding may show to be something else than the rule's own guidance repairs. */
interface Case {
  readonly holds: (item: EvidenceItem) => boolean
  readonly goal: string
  /** What it is that the steps are for, in the words of the evidence. */
  readonly name: string
  readonly steps: Guidance["steps"]
  readonly never: string
}

/** A canonical or a redirect from one language to another takes the copy out of the index (Google Search Central, Localized versions of your pages). */
const languageCopies: Case = {
  holds: ({ detail }) => detail.includes("language copies without hreflang"),
  goal: "Tie the listed language copies to each other by hreflang",
  name: "language copies",
  steps: [
    "Leave each copy at its own address, with itself as canonical.",
    "Let each copy name all others and itself by link rel=alternate hreflang in the head, or let the sitemap do so for all of them.",
    "Give title, description and text in the language of the copy where they are not translated yet."
  ],
  never: "name a page in another language as canonical, redirect one language to another, or noindex a copy"
}

const cases: ReadonlyArray<Case> = [languageCopies]

/** The guidance of a rule with the repair that fits what was found: in place of its own where all evidence is of one case, else beside it. */
const fitted = (guidance: Guidance, { evidence: { items } }: Finding): Guidance => {
  const found = cases.find(({ holds }) => items.some(holds))
  if (found === undefined) return guidance
  const { goal, holds, name, never, steps } = found
  if (items.every(holds)) return { ...guidance, goal, never, steps }
  const [first, ...rest] = guidance.steps
  return {
    ...guidance,
    never: `${guidance.never}, or, of ${name}, ${never}`,
    steps: [
      `Of those that the evidence calls ${name}: ${steps.join(" ")} The other steps are for the rest.`,
      first,
      ...rest
    ]
  }
}

// Instructions are followed on other machines: they name requests to this installation, and neither a program nor a package, whose name may be anybody's on a registry.

/** The checks that prove a repair once the change is served. */
type Done = (finding: Finding) => ReadonlyArray<string>

const each = (count: number) => (count === 1 ? "the URL" : `each of the ${count} URLs`)

const unchanged = "The listed URLs answer as before in every other respect, and existing tests pass."

/** The key that a verification asks for, and the variable of the reader that stands for an address which nobody set. */
const needs = (base: string) =>
  `key with site-health:write${base.startsWith("$") ? `; ${base} is the address of the Findable server` : ""}`

/** The end of a repair by the API of the server at an address. */
export const doneByApi =
  (base: string, { id, project_id }: Run): Done =>
  ({ count, rule }) => [
    `After the change is served: POST ${base}/api/v1/runs/${id}/verify with {"rules":["${rule}"]} (${needs(base)}), then GET ${base}/api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}, and still_failing for none.`,
    `Where it says not_assessable, its detail gives the reason. Then, in a new run of the whole site (POST ${base}/api/v1/projects/${project_id}/site-health/runs, same start URL), GET ${base}/api/v1/runs/{new run}/diff?against=${id} lists ${rule} for ${each(count)} under findings.fixed (not_comparable only for a URL that was meant to go), and nothing of it under findings.new or findings.persisting.`,
    unchanged
  ]

/** The name of a file without its folders; a name that a shell would not take as it is stands for itself no longer. */
const nameOf = (file: string): string => {
  const name = file.split(/[/\\]/).at(-1) ?? ""
  return /^\w[\w.-]{0,99}$/.test(name) ? name : "report.json"
}

/** The end of a repair by a report in a file, and by a server that watches the site. */
export const doneByReport =
  (base: string, file: string): Done =>
  ({ count, rule }) => {
    const report = nameOf(file)
    return [
      `After the change is served, where a Findable server watches the site: POST ${base}/api/v1/runs/{run_id}/verify with {"rules":["${rule}"]} (${needs(base)}), for a run that found the same, then GET ${base}/api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}.`,
      `Without a server: whoever gave these instructions verifies ${report}, the report that they were made from, for the rule ${rule}. The verification says fixed for ${each(count)}.`,
      `Where a verification says that something is not assessable, it gives the reason. Then in a new crawl of the same start URL, compared with ${report}, ${rule} is fixed for ${each(count)} (not comparable only for a URL that was meant to go), and nowhere new.`,
      unchanged
    ]
  }

/** More lines do not help to repair what generates the pages; all URLs are in the result. */
const maxLines = 40

/** Room for an address, for what is said of it, and for an element or a value, in characters. */
const maxUrl = 500
const maxDetail = 2000
const maxThing = 300

/** What is said of a page, and the thing itself: its value, its place, its markup. The line of a site-wide cause names its place itself. */
const fieldsOf = (item: EvidenceItem): ReadonlyArray<string> => {
  const value = valueOf(item)
  return [
    ...(item.detail === "" ? [] : [evidenceText(item.detail, maxDetail)]),
    ...(value === null ? [] : [`value: ${evidenceText(value, maxThing)}`]),
    ...(item.place === undefined || item.shared_by !== undefined ? [] : [`place: ${item.place}`]),
    ...(item.markup === undefined ? [] : [`markup: ${evidenceText(item.markup, maxThing)}`])
  ]
}

/** One page in one line; several in one line for what they have in common and one for each of five of them. */
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

/** The evidence of a finding by its causes, those of most pages first, as lines that cannot leave their block. */
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

/** Guidance for a rule that this version does not know: the result comes from another one. */
const unknown: Guidance = {
  why: "The crawl that found this knows a rule that this version does not.",
  goal: "Make the rule pass on the listed URLs",
  find: "Find what generates the listed pages.",
  steps: ["Read what the evidence says of each URL.", "Repair its origin."],
  never: "change what the evidence does not speak of"
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
      find: `${find} Repair what generates the pages, not generated files.`,
      from: "the crawled site; in them <\\/ stands for </ and ' may stand for a backtick",
      goal,
      heading: `Finding: site health rule ${rule} (${category}, ${severity}) fails on ${plural(count, "URL")}. ${means}`,
      hiddenFrom: "the crawler",
      never,
      steps
    })
  }
}

/** One directive for each rule that fails, worst first; the same result always gives the same bytes. */
export const fixDirectives = ({ findings }: CrawlResult, done: Done): ReadonlyArray<FixDirective> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity] || b.count - a.count)
    .map((finding) => directive(finding, done))
