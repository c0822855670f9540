import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import { type EvidenceGroup, groupsOf, headOf, saidOf, shownUrls, valueOf } from "./EvidenceGroups.ts"
import { ruleName, ruleWords } from "./Wording.ts"

/** Characters that XML 1.0 has no way to write (§2.2). */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, "\ufffd")
    .replace(/[&<>"]/g, (character) => escapes[character] ?? "")

/** Evidence with what is at fault, as the site writes it, and five of its URLs. */
const groupLines = (group: EvidenceGroup): string => {
  const { count, item, urls } = group
  const value = valueOf(item)
  const head = count === 1 ? `${item.url}  ${saidOf(item)}`.trimEnd() : headOf(group)
  const shown = count === 1 ? [] : urls.slice(0, shownUrls)
  const more = count === 1 ? 0 : count - shown.length
  return [
    head,
    ...(value === null ? [] : [`  value: ${value}`]),
    ...(item.markup === undefined ? [] : [`  \`${item.markup}\``]),
    ...shown.map((url) => `  ${url}`),
    ...(more > 0 ? [`  and ${more} more`] : [])
  ].join("\n")
}

const outcome = (finding: Finding): string => {
  const { count, evidence, rule, severity, status } = finding
  if (status === "pass") return ""
  if (status === "not_assessed") return `<skipped>${xml(evidence.reason ?? "")}</skipped>`
  const { fix, means } = ruleWords(rule)
  const lines = groupsOf(finding).map(groupLines).join("\n")
  return severity === "info"
    ? `<system-out>${xml(`${means}\n${lines}`)}</system-out>`
    : `<failure type="${severity}" message="${xml(`${count} URLs: ${means}`)}">${xml(`${fix}\n${lines}`)}</failure>`
}

const isFailure = ({ severity, status }: Finding): boolean => status === "fail" && severity !== "info"

/** The report as a JUnit test suite: a rule is a test; what only informs passes, with its text as output. */
export const renderJunit = ({ findings, pages, summary }: CrawlResult): string => {
  const skipped = findings.filter(({ status }) => status === "not_assessed").length
  const time = (summary.crawl.duration_ms / 1000).toFixed(3)
  const counts = `tests="${findings.length}" failures="${findings.filter(isFailure).length}" errors="0" time="${time}"`
  const stamp = summary.crawl.started_at.slice(0, 19)
  const cases = findings.map(
    (finding) =>
      `<testcase classname="findable.${finding.category}.${finding.rule}" name="${xml(ruleName(finding.rule))}" time="0">${outcome(finding)}</testcase>`
  )
  const suite = `<testsuite name="${xml(`site health of ${pages[0]?.url ?? ""}`)}" ${counts} skipped="${skipped}" timestamp="${stamp}" hostname="${xml(URL.parse(pages[0]?.url ?? "")?.hostname ?? "")}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n${suite}\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`
}
