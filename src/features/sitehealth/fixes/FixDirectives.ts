import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../../crawl/Crawl.ts"
import { ruleWords } from "../../../crawl/console/Wording.ts"
import { type Finding, severityRank } from "../../../crawl/report/Finding.ts"
import { ruleOf } from "../../../crawl/rules/Catalogue.ts"
import type { Guidance } from "../../../crawl/rules/Rule.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { FixDirectiveId } from "../../audits/FixDirective.ts"
import { promptText } from "../../audits/fixes/Prompt.ts"
import type { FixDirective } from "../Domain.ts"
import { fitted } from "./Cases.ts"
import type { Done } from "./Done.ts"
import { evidenceLines } from "./EvidenceLines.ts"

const directiveId = Schema.decodeSync(FixDirectiveId)

/** Guidance for a rule that this version does not know: the result comes from another one. */
const unknown: Guidance = {
  why: "The crawl that found this knows a rule that this version does not.",
  goal: "Make the rule pass on the listed URLs",
  find: "Find what generates the listed pages.",
  steps: ["Read what the evidence says of each URL.", "Repair its origin."],
  never: "change what the evidence does not speak of"
}

const directive = (finding: Finding, done: Done): FixDirective => {
  const { category, count, rule, severity } = finding
  const { means, source } = ruleWords(rule)
  const { find, goal, never, steps, why } = fitted(ruleOf(rule)?.guidance ?? unknown, finding)
  return {
    id: directiveId(`fix_${rule}`),
    category,
    severity,
    human_summary: `${means} (${plural(count, "URL")})`,
    why_it_matters: why,
    agent_prompt: promptText({
      docs: source === "" ? undefined : source,
      done: done(finding),
      evidence: evidenceLines(finding),
      except: "the pages themselves",
      find: `${find} Repair what generates the pages, not generated files.`,
      from: "the crawled site; in them <\\/ stands for </ and ' may stand for a backtick",
      goal,
      heading: `Finding: site health rule ${rule} (${category}, ${severity}) fails on ${plural(count, "URL")}. ${means}`,
      hiddenFrom: "the crawler",
      never,
      steps
    })
  }
}

/** One directive for each rule that fails, worst first; the same result always gives the same bytes. */
export const fixDirectives = ({ findings }: CrawlResult, done: Done): ReadonlyArray<FixDirective> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity] || b.count - a.count)
    .map((finding) => directive(finding, done))
