import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { ruleName } from "./Wording.ts"

/** A cell that a spreadsheet would run as a formula is made text; what needs quotes gets them (RFC 4180). */
const cell = (text: string): string => {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

const unit = (rule: string, url: string): string => `${rule}\n${url}`

/** What became of each fault since the baseline. */
const changes = ({ findings }: CrawlDiff): ReadonlyMap<string, string> =>
  new Map(
    [
      ...findings.new.map((each) => ({ ...each, change: "new" })),
      ...findings.fixed.map((each) => ({ ...each, change: "fixed" })),
      ...findings.persisting.map((each) => ({ ...each, change: "persisting" })),
      ...findings.not_comparable.map((each) => ({ ...each, change: "not_comparable" }))
    ].map(({ change, rule, url }) => [unit(rule, url), change])
  )

/** The failing findings as a table, one row for each rule and URL; with a baseline also those that are fixed. */
export const renderCsv = ({ findings }: CrawlResult, diff: CrawlDiff | null): string => {
  const changeOf = diff === null ? new Map<string, string>() : changes(diff)
  const failing = findings.flatMap(({ category, evidence, pages, rule, severity }) =>
    pages.map((url, index) => ({ rule, category, severity, url, detail: evidence.items[index]?.detail ?? "" }))
  )
  const rows = [...failing, ...(diff?.findings.fixed ?? [])].map(({ category, detail, rule, severity, url }) =>
    [severity, rule, ruleName(rule), category, url, detail, changeOf.get(unit(rule, url)) ?? ""].map(cell).join(",")
  )
  return ["severity,rule,name,category,url,detail,change", ...rows].map((row) => `${row}\r\n`).join("")
}
