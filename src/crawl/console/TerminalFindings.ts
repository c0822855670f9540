import { plural } from "../../foundation/text/Words.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { type Finding, type Severity, severityRank } from "../report/Finding.ts"
import { type EvidenceGroup, groupsOf, headOf, saidOf, shownUrls, valueOf } from "./EvidenceGroups.ts"
import { columns, fit, type Paint, safe, widthOf, wrap } from "./Text.ts"
import { ruleName, ruleWords } from "./Wording.ts"

type Section = ReadonlyArray<string>

/** How many groups of evidence of one finding are shown. */
const shownGroups = 3

/** The colour of a severity. */
export const shade = (paint: Paint, severity: Severity): ((text: string) => string) =>
  severity === "critical" ? paint.red : severity === "warning" ? paint.yellow : paint.dim

const indented = (by: number, text: string): string => `${" ".repeat(by)}${wrap(text, columns - by, " ".repeat(by))}`

/** The value and the element at fault, as the site writes them. */
const thing = ({ item }: EvidenceGroup): Section => {
  const value = valueOf(item)
  return [
    ...(value === null ? [] : [indented(6, `value: ${value}`)]),
    ...(item.markup === undefined ? [] : [indented(6, `\`${item.markup}\``)])
  ]
}

const groupLines = (group: EvidenceGroup): Section => {
  const { count, item, urls } = group
  if (count === 1) {
    const line = `    ${safe(item.url)}  ${safe(saidOf(item))}`.trimEnd()
    const head = widthOf(line) <= columns ? [line] : [`    ${safe(item.url)}`, indented(6, saidOf(item))]
    return [...head, ...thing(group)]
  }
  const shown = urls.slice(0, shownUrls)
  return [
    indented(4, headOf(group)),
    ...thing(group),
    ...shown.map((url) => `      ${safe(url)}`),
    ...(count > shown.length ? [`      and ${count - shown.length} more`] : [])
  ]
}

const findingLines = (finding: Finding, paint: Paint): Section => {
  const words = ruleWords(finding.rule)
  const groups = groupsOf(finding)
  const { reason } = finding.evidence
  const head = `${finding.severity.padEnd(9)}${ruleName(finding.rule)} (${plural(finding.count, "URL")}, ${finding.rule})`
  return [
    shade(paint, finding.severity)(fit(head, columns)),
    indented(2, words.means),
    indented(2, `Fix: ${words.fix}`),
    ...groups.slice(0, shownGroups).flatMap((group) => groupLines(group).map(paint.dim)),
    ...(groups.length > shownGroups
      ? [paint.dim(`    and ${groups.length - shownGroups} more with evidence of their own`)]
      : []),
    ...(reason === null ? [] : [paint.dim(indented(4, `There may be more: ${reason}.`))])
  ]
}

/** The failing rules, worst first, each group of evidence with what is at fault and five of its URLs; the others in numbers. */
export const findingsSection = ({ findings }: CrawlResult, paint: Paint): Section => {
  const failed = findings.filter(({ status }) => status === "fail")
  const sorted = failed.toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity])
  const passed = findings.filter(({ status }) => status === "pass").length
  const open = findings.filter(({ status }) => status === "not_assessed")
  const reasons = [...new Set(open.map(({ evidence }) => evidence.reason ?? ""))]
  return [
    `${paint.bold("Findings")}  ${failed.length} failed, ${passed} passed, ${open.length} not assessed`,
    ...sorted.flatMap((finding) => ["", ...findingLines(finding, paint)]),
    ...(reasons.length === 0 ? [] : ["", `Not assessed: ${wrap(reasons.join("; "), columns - 14, "  ")}`])
  ]
}
