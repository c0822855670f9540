import { type EvidenceGroup, groupsOf, shownUrls, valueOf } from "../../../crawl/console/EvidenceGroups.ts"
import type { EvidenceItem, Finding } from "../../../crawl/report/Finding.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { evidenceText } from "../../audits/fixes/Prompt.ts"

/** More lines do not help to repair what generates the pages; all URLs are in the result. */
const maxLines = 40

/** Room for an address, for what is said of it, and for an element or a value, in characters. */
const maxUrl = 500
const maxDetail = 500
const maxThing = 300

/** What is said of a page, and the thing itself: its value, its place, its markup. The line of a site-wide cause names its place itself. */
const fieldsOf = (item: EvidenceItem): ReadonlyArray<string> => {
  const value = valueOf(item)
  return [
    ...(item.detail === "" ? [] : [evidenceText(item.detail, maxDetail)]),
    ...(value === null ? [] : [`value: ${evidenceText(value, maxThing)}`]),
    ...(item.place === undefined || item.shared_by !== undefined ? [] : [`place: ${item.place}`]),
    ...(item.markup === undefined ? [] : [`markup: ${evidenceText(item.markup, maxThing)}`])
  ]
}

/** One page in one line; several in one line for what they have in common and one for each of five of them. */
const linesOf = ({ count, item, urls }: EvidenceGroup): ReadonlyArray<string> => {
  const fields = fieldsOf(item)
  if (count === 1) return [[evidenceText(item.url, maxUrl), ...fields].join(" | ")]
  const shown = urls.slice(0, shownUrls)
  const head = item.shared_by === undefined ? [`${plural(count, "URL")} with the same evidence`, ...fields] : fields
  return [
    head.join(" | "),
    ...shown.map((url) => `on ${evidenceText(url, maxUrl)}`),
    ...(count > shown.length ? [`and on ${count - shown.length} more`] : [])
  ]
}

/** The evidence of a finding by its causes, those of most pages first, as lines that cannot leave their block. */
export const evidenceLines = (finding: Finding): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const groups = groupsOf(finding)
  for (const [index, group] of groups.entries()) {
    const own = linesOf(group)
    if (lines.length + own.length > maxLines)
      return [...lines, `(${plural(groups.length - index, "more cause")} in the result)`]
    lines.push(...own)
  }
  return lines
}
