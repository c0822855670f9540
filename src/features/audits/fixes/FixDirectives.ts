import * as Schema from "effect/Schema"
import { plural } from "../../../foundation/text/Words.ts"
import type { Finding } from "../assessment/Findings.ts"
import { type FixDirective, FixDirectiveId } from "../FixDirective.ts"
import { at, elements, isJsonObject } from "../report/Json.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import { agentPrompt } from "./AgentPrompt.ts"
import { gainsOf, gainText } from "./Gains.ts"
import { guidanceFor } from "./guidance/Lookup.ts"

const directiveId = Schema.decodeSync(FixDirectiveId)

/** How many elements or requests a check lists; null where its rows are something else, such as a breakdown. */
const affected = (details: unknown): number | null => {
  const items = elements(at(details, "items"))
  const [first] = items
  const places = isJsonObject(first) && (isJsonObject(first.node) || "url" in first || isJsonObject(first.source))
  return places ? items.length : null
}

const facts = (finding: Finding, report: LighthouseReport): string => {
  const count = affected(finding.audit.details)
  const gains = finding.category === "performance" ? gainsOf(finding.audit, report).map(gainText) : []
  const parts = [
    ...(count === null ? [] : [plural(count, "place")]),
    ...(gains.length === 0 ? [] : [`estimated gain ${gains.join(", ")}`])
  ]
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`
}

/** One directive for each finding, in the order of the findings; the same report always gives the same bytes. */
export const fixDirectives = (
  findings: ReadonlyArray<Finding>,
  report: LighthouseReport
): ReadonlyArray<FixDirective> =>
  findings.map((finding) => {
    const guidance = guidanceFor(finding.audit.id, finding.category)
    return {
      id: directiveId(`fix_${finding.audit.id}`),
      category: finding.category,
      severity: finding.severity,
      human_summary: `${guidance.summary}${facts(finding, report)}.`,
      why_it_matters: guidance.why,
      agent_prompt: agentPrompt(finding, guidance, report)
    }
  })
