import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { unitsOf } from "../report/Evidence.ts"
import type { Finding, Severity } from "../report/Finding.ts"
import { safe } from "./Text.ts"
import { ruleName, ruleWords } from "./Wording.ts"

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

const resultOf = (
  index: ReadonlyMap<string, number>,
  { detail, rule, severity, url }: FindingUnit,
  baselineState: string | null
) => ({
  ruleId: rule,
  ...(index.has(rule) ? { ruleIndex: index.get(rule) } : {}),
  level: levels[severity],
  message: { text: safe(`${ruleName(rule)}: ${detail}`).trim() },
  locations: [{ physicalLocation: { artifactLocation: { uri: URL.parse(url)?.href ?? encodeURI(url) } } }],
  partialFingerprints: { "ruleAndUrl/v1": `${rule} ${url}` },
  ...(baselineState === null ? {} : { baselineState })
})

/**
 * The failing findings as a SARIF 2.1.0 log, one result for each rule and URL. With a baseline each result has its
 * state: what cannot be compared is no news, so it counts as unchanged.
 */
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
            ...(crawl === undefined ? {} : { version: crawl.version, semanticVersion: crawl.version }),
            rules: result.findings.map(descriptor)
          }
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            ...(crawl === undefined ? {} : { startTimeUtc: crawl.started_at }),
            properties: { complete, termination, score: result.score.aggregate_score }
          }
        ],
        results: [
          ...unitsOf(result.findings).map((unit) => resultOf(index, unit, stateOf(unit))),
          ...(diff?.findings.fixed ?? []).map((unit) => resultOf(index, unit, "absent"))
        ]
      }
    ]
  }
  return `${JSON.stringify(log, null, 2)}\n`
}
