import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import { ruleName, ruleWords } from "./Wording.ts"

/** Characters that XML 1.0 has no way to write (§2.2). */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, "\ufffd")
    .replace(/[&<>"]/g, (character) => escapes[character] ?? "")

const outcome = ({ count, evidence, rule, severity, status }: Finding): string => {
  if (status === "pass") return ""
  if (status === "not_assessed") return `<skipped>${xml(evidence.reason ?? "")}</skipped>`
  const { fix, means } = ruleWords(rule)
  const lines = evidence.items.map(({ detail, url }) => `${url}  ${detail}`).join("\n")
  return severity === "info"
    ? `<system-out>${xml(`${means}\n${lines}`)}</system-out>`
    : `<failure type="${severity}" message="${xml(`${count} URLs: ${means}`)}">${xml(`${fix}\n${lines}`)}</failure>`
}

const isFailure = ({ severity, status }: Finding): boolean => status === "fail" && severity !== "info"

/** The report as a JUnit test suite: a rule is a test; what only informs passes, with its text as output. */
export const renderJunit = ({ findings, pages, summary }: CrawlResult): string => {
  const skipped = findings.filter(({ status }) => status === "not_assessed").length
  const time = ((summary.crawl?.duration_ms ?? 0) / 1000).toFixed(3)
  const counts = `tests="${findings.length}" failures="${findings.filter(isFailure).length}" errors="0" time="${time}"`
  const stamp = (summary.crawl?.started_at ?? "1970-01-01T00:00:00").slice(0, 19)
  const cases = findings.map(
    (finding) =>
      `<testcase classname="findable.${finding.category}.${finding.rule}" name="${xml(ruleName(finding.rule))}" time="0">${outcome(finding)}</testcase>`
  )
  const suite = `<testsuite name="${xml(`site health of ${pages[0]?.url ?? ""}`)}" ${counts} skipped="${skipped}" timestamp="${stamp}" hostname="${xml(URL.parse(pages[0]?.url ?? "")?.hostname ?? "")}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n${suite}\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`
}
