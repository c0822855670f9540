import type { CrawlDiff, DeadLinkUnit, FindingUnit } from "../diff/CrawlDiff.ts"
import { html, link, type Markup } from "./Markup.ts"
import { safe } from "./Text.ts"
import { ruleName } from "./Wording.ts"

const finding = ({ detail, rule, severity, url }: FindingUnit): Markup =>
  html`<li><span class="tag ${severity}">${severity}</span>${ruleName(rule)} <span class="u">${link(url)} <small>${safe(detail)}</small></span></li>`

const deadLink = ({ linked_from, url }: DeadLinkUnit): Markup =>
  html`<li>Dead link <span class="u">${link(url)} on ${link(linked_from)}</span></li>`

const list = (title: string, kind: string, items: ReadonlyArray<Markup>): ReadonlyArray<Markup> =>
  items.length === 0
    ? []
    : [
        html`<details open><summary><span class="tag ${kind}">${title}</span><small>${items.length}</small></summary><ul>${items}</ul></details>`
      ]

const pages = (title: string, changes: CrawlDiff["pages"]["added"]): ReadonlyArray<Markup> =>
  changes.length === 0
    ? []
    : [
        html`<details><summary>${title} <small>${changes.length}</small></summary><ul>${changes.map(({ url }) => html`<li class="u">${link(url)}</li>`)}</ul></details>`
      ]

/** What changed since the baseline: the new and the fixed in full, the rest in numbers. */
export const changeSection = ({ dead_links, findings, pages: changed, score }: CrawlDiff): Markup => {
  const open = findings.not_comparable.length + dead_links.not_comparable.length
  const words = [
    `${findings.new.length} new, ${findings.fixed.length} fixed and ${findings.persisting.length} persisting findings`,
    `${dead_links.new.length} new and ${dead_links.fixed.length} fixed dead links`,
    ...(open === 0 ? [] : [`${open} cannot be compared, because one of the runs did not look there`]),
    ...(score === null ? [] : [`the score went from ${score.before} to ${score.after}`])
  ]
  return html`<h2>Since the baseline</h2><p>${words.join("; ")}.</p>${list("new", "critical", [...findings.new.map(finding), ...dead_links.new.map(deadLink)])}${list("fixed", "fixed", [...findings.fixed.map(finding), ...dead_links.fixed.map(deadLink)])}${pages("Pages added", changed.added)}${pages("Pages removed", changed.removed)}${pages("Pages changed", changed.changed)}`
}
