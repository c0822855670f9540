import { record } from "../../foundation/text/Csv.ts"
import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { unitsOf } from "../report/Evidence.ts"
import { ruleName } from "./Wording.ts"

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
  const rows = [...unitsOf(findings), ...(diff?.findings.fixed ?? [])].map(
    ({ category, detail, rule, severity, url }) =>
      record([severity, rule, ruleName(rule), category, url, detail || null, changeOf.get(unit(rule, url))])
  )
  return [record(["severity", "rule", "name", "category", "url", "detail", "change"]), ...rows].join("")
}
