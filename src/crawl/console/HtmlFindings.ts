import { plural } from "../../foundation/text/Words.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import { type EvidenceGroup, groupsOf, headOf, saidOf, shownUrls, valueOf } from "./EvidenceGroups.ts"
import { html, link, type Markup } from "./Markup.ts"
import { safe } from "./Text.ts"
import { ruleName, ruleWords } from "./Wording.ts"

/** Groups that are shown at once; the others unfold. */
const shownGroups = 10

/** The value and the element at fault, as the site writes them. */
const thing = ({ item }: EvidenceGroup): Markup => {
  const value = valueOf(item)
  const { markup } = item
  return html`${value === null ? null : html`<br><small>value</small> <code>${safe(value)}</code>`}${markup === undefined ? null : html`<br><code>${safe(markup)}</code>`}`
}

const urlList = (urls: ReadonlyArray<string>): Markup =>
  html`<ul>${urls.map((url) => html`<li class="u">${link(url)}</li>`)}</ul>`

const ofOne = (group: EvidenceGroup): Markup =>
  html`<li><span class="u">${link(group.item.url)} ${safe(saidOf(group.item))}${thing(group)}</span></li>`

const ofSeveral = (group: EvidenceGroup): Markup => {
  const { count, urls } = group
  const rest = urls.slice(shownUrls)
  const unnamed = count - urls.length
  return html`<li><span class="u"><b>${safe(headOf(group))}</b>${thing(group)}</span>${urlList(urls.slice(0, shownUrls))}${rest.length === 0 ? null : html`<details><summary>${rest.length} more</summary>${urlList(rest)}</details>`}${unnamed > 0 ? html`<small>and ${unnamed} more</small>` : null}</li>`
}

const groupItem = (group: EvidenceGroup): Markup => (group.count === 1 ? ofOne(group) : ofSeveral(group))

const groupList = (groups: ReadonlyArray<EvidenceGroup>): Markup =>
  html`<ul>${groups.slice(0, shownGroups).map(groupItem)}</ul>${
    groups.length <= shownGroups
      ? null
      : html`<details><summary>${groups.length - shownGroups} more with evidence of their own</summary><ul>${groups.slice(shownGroups).map(groupItem)}</ul></details>`
  }`

const failed = (finding: Finding): Markup => {
  const { fix, means, source } = ruleWords(finding.rule)
  const { reason } = finding.evidence
  return html`<details open class="${finding.severity}"><summary><span class="tag ${finding.severity}">${finding.severity}</span><b>${ruleName(finding.rule)}</b> <small>${plural(finding.count, "URL")}</small></summary><p>${means}</p><p><b>Fix.</b> ${fix} <small>${source}</small></p>${reason === null ? null : html`<p class="quiet">There may be more: ${safe(reason)}.</p>`}${groupList(groupsOf(finding))}</details>`
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
