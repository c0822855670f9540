import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { evidenceOn, unitsOf } from "../report/Evidence.ts"
import type { EvidenceItem, Finding, Severity } from "../report/Finding.ts"
import { saidOf, valueOf } from "./EvidenceGroups.ts"
import { notRead } from "./NotRead.ts"
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

/** What is at fault, for those who read the log by program. */
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
