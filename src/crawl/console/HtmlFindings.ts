import { plural } from "../../foundation/text/Words.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { EvidenceItem, Finding } from "../report/Finding.ts"
import { html, link, type Markup } from "./Markup.ts"
import { safe } from "./Text.ts"
import { ruleName, ruleWords } from "./Wording.ts"

/** URLs that are shown at once; the others unfold. */
const shown = 10

const item = ({ detail, url }: EvidenceItem): Markup =>
  html`<li><span class="u">${link(url)} ${safe(detail)}</span></li>`

const items = (all: ReadonlyArray<EvidenceItem>): Markup =>
  all.length <= shown
    ? html`<ul>${all.map(item)}</ul>`
    : html`<ul>${all.slice(0, shown).map(item)}</ul><details><summary>${all.length - shown} more</summary><ul>${all.slice(shown).map(item)}</ul></details>`

const failed = (finding: Finding): Markup => {
  const { fix, means, source } = ruleWords(finding.rule)
  const { items: all, reason } = finding.evidence
  return html`<details open class="${finding.severity}"><summary><span class="tag ${finding.severity}">${finding.severity}</span><b>${ruleName(finding.rule)}</b> <small>${plural(finding.count, "URL")}</small></summary><p>${means}</p><p><b>Fix.</b> ${fix} <small>${source}</small></p>${reason === null ? null : html`<p class="quiet">There may be more: ${safe(reason)}.</p>`}${items(all)}</details>`
}

const others = (title: string, findings: ReadonlyArray<Finding>): Markup =>
  html`<details><summary>${title} <small>${findings.length}</small></summary><ul>${findings.map(
    ({ evidence, rule }) =>
      html`<li>${ruleName(rule)} <small>${evidence.reason ?? `${plural(evidence.assessed, "URL")} looked at`}</small></li>`
  )}</ul></details>`

/** Every rule: those that fail open and worst first, the others folded. */
export function* findingSections({ findings }: CrawlResult) {
  const of = (status: Finding["status"]) => findings.filter((finding) => finding.status === status)
  const bySeverity = (["critical", "warning", "info"] as const).flatMap((severity) =>
    of("fail").filter((finding) => finding.severity === severity)
  )
  yield html`<h2>Findings</h2>${bySeverity.length === 0 ? html`<p>Nothing was found.</p>` : null}`
  for (const finding of bySeverity) yield failed(finding)
  yield html`${others("Passed", of("pass"))}${others("Not assessed", of("not_assessed"))}`
}
