import * as Schema from "effect/Schema"
import { FixDirectiveId } from "../../audits/FixDirective.ts"
import { evidenceText } from "../../audits/fixes/EvidenceText.ts"
import { promptText } from "../../audits/fixes/Prompt.ts"
import type { CrawlResult } from "../../crawl/Crawl.ts"
import { ruleWords } from "../../crawl/console/Wording.ts"
import type { Finding, Severity } from "../../crawl/report/Finding.ts"
import type { Run } from "../Domain.ts"
import type { FixDirective } from "./FixDirective.ts"
import { whereOf } from "./Where.ts"

const directiveId = Schema.decodeSync(FixDirectiveId)

/** More lines are of no help to somebody who repairs what generates them; all URLs are in the result. */
const maxLines = 25

const weight: Record<Severity, number> = { critical: 0, warning: 1, info: 2 }

const evidence = ({ count, evidence: { items } }: Finding): ReadonlyArray<string> => [
  ...items.slice(0, maxLines).map(({ detail, url }) => {
    const what = detail === "" ? "" : ` | ${evidenceText(detail, 300)}`
    return `${evidenceText(url, 500)}${what}`
  }),
  ...(count > maxLines ? [`(${count - maxLines} more in the result)`] : [])
]

const urls = (count: number) => `${count} ${count === 1 ? "URL" : "URLs"}`

/** What the agent, or whoever runs it, can measure after the change is served. */
const doneWhen = ({ count, rule }: Finding, { id, project_id }: Run): ReadonlyArray<string> => [
  `After the change is served: POST /api/v1/runs/${id}/verify with {"rules":["${rule}"]}, then GET /api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${count === 1 ? "the URL" : `each of the ${count} URLs`}, and still_failing for none.`,
  `Where it says not_assessable, its detail tells why. Then, in a new run of the whole site (POST /api/v1/projects/${project_id}/site-health/runs, same start URL), GET /api/v1/runs/{new run}/diff?against=${id} lists ${rule} for ${count === 1 ? "the URL" : `each of the ${count} URLs`} under findings.fixed (not_comparable only for a URL that was meant to go), and nothing of it under findings.new or findings.persisting.`,
  "The listed URLs answer as before in every other respect, and existing tests pass."
]

const directive = (finding: Finding, run: Run): FixDirective => {
  const { category, count, rule, severity } = finding
  const { fix, means, source } = ruleWords(rule)
  const { after, find, why } = whereOf[category]
  return {
    id: directiveId(`fix_${rule}`),
    category,
    severity,
    human_summary: `${means} (${urls(count)})`,
    why_it_matters: why,
    agent_prompt: promptText({
      docs: source === "" ? undefined : source,
      done: doneWhen(finding, run),
      evidence: evidence(finding),
      except: "the pages themselves",
      find: `${find} Repair what generates the pages, not generated files.`,
      from: "the crawled site",
      goal: `make the rule ${rule} pass on the listed URLs`,
      heading: `Finding: site health rule ${rule} (${category}, ${severity}) fails on ${urls(count)}. ${means}`,
      hiddenFrom: "the crawler",
      steps: [fix, after].filter((step) => step !== "")
    })
  }
}

/** One directive for each rule that fails, worst first; the same result always gives the same bytes. */
export const fixDirectives = ({ findings }: CrawlResult, run: Run): ReadonlyArray<FixDirective> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => weight[a.severity] - weight[b.severity] || b.count - a.count)
    .map((finding) => directive(finding, run))
