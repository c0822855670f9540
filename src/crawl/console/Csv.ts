import { record } from "../../foundation/text/Csv.ts"
import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { evidenceOn, unitsOf } from "../report/Evidence.ts"
import type { EvidenceItem, Finding } from "../report/Finding.ts"
import { ruleName } from "./Wording.ts"

const keyOf = (rule: string, url: string): string => `${rule}\n${url}`

/** What became of each fault since the baseline. */
const changes = ({ findings }: CrawlDiff): ReadonlyMap<string, string> =>
  new Map(
    [
      ...findings.new.map((each) => ({ ...each, change: "new" })),
      ...findings.fixed.map((each) => ({ ...each, change: "fixed" })),
      ...findings.persisting.map((each) => ({ ...each, change: "persisting" })),
      ...findings.not_comparable.map((each) => ({ ...each, change: "not_comparable" }))
    ].map(({ change, rule, url }) => [keyOf(rule, url), change])
  )

interface Row {
  readonly unit: FindingUnit
  readonly item?: EvidenceItem | undefined
}

const rowsOf = (finding: Finding): ReadonlyArray<Row> => {
  const seen = evidenceOn(finding)
  return unitsOf([finding]).map((unit) => ({ unit, item: seen(unit.url) }))
}

const columns = [
  "severity",
  "rule",
  "name",
  "category",
  "url",
  "detail",
  "change",
  "place",
  "value",
  "markup",
  "shared_by"
]

/** The failing findings as a table, one row for each rule and URL; with a baseline also those that are fixed. */
export const renderCsv = ({ findings }: CrawlResult, diff: CrawlDiff | null): string => {
  const changeOf = diff === null ? new Map<string, string>() : changes(diff)
  const gone: ReadonlyArray<Row> = (diff?.findings.fixed ?? []).map((unit) => ({ unit }))
  const rows = [...findings.flatMap(rowsOf), ...gone].map(({ item, unit: { category, detail, rule, severity, url } }) =>
    record([
      severity,
      rule,
      ruleName(rule),
      category,
      url,
      detail || null,
      changeOf.get(keyOf(rule, url)),
      item?.place,
      item?.value,
      item?.markup,
      item?.shared_by
    ])
  )
  return [record(columns), ...rows].join("")
}
