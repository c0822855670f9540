import { record } from "../../foundation/text/Csv.ts"
import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { type EvidenceItem, evidenceOn, type Finding, type Severity, unitsOf } from "../report/Finding.ts"
import {
  type EvidenceGroup,
  groupsOf,
  headOf,
  notRead,
  ruleName,
  ruleWords,
  safe,
  saidOf,
  shownUrls,
  valueOf
} from "./Wording.ts"

const keyOf = (rule: string, url: string): string => `${rule}\n${url}`

/** The state of each issue since the baseline. */
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

/** The issues as a table, one row for each check and URL; with a baseline also the fixed ones. */
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

/** Characters that XML 1.0 cannot represent (§2.2). */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, "\ufffd")
    .replace(/[&<>"]/g, (character) => escapes[character] ?? "")

/** One line of evidence with its value or element, and five URLs. */
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

/** The report as a JUnit test suite: a check is a test; informational checks pass, with their text as output. */
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

const levels: Readonly<Record<Severity, string>> = { critical: "error", warning: "warning", info: "note" }

const descriptor = ({ category, rule, severity }: Finding) => {
  const { fix, means, source } = ruleWords(rule)
  return {
    id: rule,
    name: ruleName(rule),
    shortDescription: { text: ruleName(rule) },
    fullDescription: { text: means },
    help: { text: `${fix} (${source})` },
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: [category], severity }
  }
}

/** The value or element at fault, for programs that read the log. */
const thing = ({ markup, place, shared_by, value }: EvidenceItem) => ({
  ...(value === undefined ? {} : { value }),
  ...(markup === undefined ? {} : { markup }),
  ...(place === undefined ? {} : { place }),
  ...(shared_by === undefined ? {} : { sharedBy: shared_by })
})

const messageOf = ({ detail, rule }: FindingUnit, item: EvidenceItem | undefined): string => {
  const value = item === undefined ? null : valueOf(item)
  const said = [item === undefined ? detail : saidOf(item), ...(value === null ? [] : [`value ${value}`])]
  const markup = item?.markup === undefined ? "" : `: \`${item.markup}\``
  return safe([ruleName(rule), ...said.filter((part) => part !== "")].join(": ") + markup)
}

interface Result {
  readonly unit: FindingUnit
  readonly item?: EvidenceItem | undefined
  readonly baselineState: string | null
}

const resultOf = (index: ReadonlyMap<string, number>, { baselineState, item, unit }: Result) => {
  const { rule, severity, url } = unit
  const properties = item === undefined ? {} : thing(item)
  return {
    ruleId: rule,
    ...(index.has(rule) ? { ruleIndex: index.get(rule) } : {}),
    level: levels[severity],
    message: { text: messageOf(unit, item) },
    locations: [{ physicalLocation: { artifactLocation: { uri: URL.parse(url)?.href ?? encodeURI(url) } } }],
    partialFingerprints: { "ruleAndUrl/v1": `${rule} ${url}` },
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(baselineState === null ? {} : { baselineState })
  }
}

/** The issues as a SARIF 2.1.0 log, one result for each check and URL. With a baseline each result has a state; incomparable issues count as unchanged. */
export const renderSarif = (result: CrawlResult, diff: CrawlDiff | null): string => {
  const index = new Map(result.findings.map(({ rule }, at) => [rule, at]))
  const fresh = new Set(diff?.findings.new.map(({ rule, url }) => `${rule}\n${url}`))
  const stateOf = ({ rule, url }: FindingUnit) =>
    diff === null ? null : fresh.has(`${rule}\n${url}`) ? "new" : "unchanged"
  const { crawl, complete, termination } = result.summary
  const log = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Findable",
            version: crawl.version,
            semanticVersion: crawl.version,
            rules: result.findings.map(descriptor)
          }
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            startTimeUtc: crawl.started_at,
            properties: {
              complete,
              termination,
              notRead: notRead(result).parts.map(({ count, words }) => `${count} ${words}`),
              score: result.score.aggregate_score
            }
          }
        ],
        results: [
          ...result.findings.flatMap((finding) => {
            const seen = evidenceOn(finding)
            return unitsOf([finding]).map((unit) =>
              resultOf(index, { unit, item: seen(unit.url), baselineState: stateOf(unit) })
            )
          }),
          ...(diff?.findings.fixed ?? []).map((unit) => resultOf(index, { unit, baselineState: "absent" }))
        ]
      }
    ]
  }
  return `${JSON.stringify(log, null, 2)}\n`
}
