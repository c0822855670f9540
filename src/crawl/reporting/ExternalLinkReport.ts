import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { wasAsked } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { linksElsewhere } from "../analysis/LinksElsewhere.ts"
import { maxLinkers } from "../frontier/UrlRecord.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { having, unasked } from "../run/Checks.ts"
import { isWhole } from "./DeadLinkReport.ts"

/** Cost of looking a link up, in characters. */
const worthOfLink = 4

/** The pages that link to an address, and the text of the first link. */
interface Linkers {
  readonly pages: Set<string>
  text: string | null
}

/** For each of these addresses the pages that link there. */
function* linkersOf(
  { pages, start }: AnalysedSite,
  broken: ReadonlyArray<string>
): Steps<ReadonlyMap<string, Linkers>> {
  const linkers = new Map(broken.map((url): readonly [string, Linkers] => [url, { pages: new Set(), text: null }]))
  if (broken.length === 0) return linkers
  yield* each(pages, ({ url, visit }) => {
    const links = visit?.facts?.links ?? []
    for (const { target, text } of linksElsewhere(start, links)) {
      const known = linkers.get(target.url)
      if (known === undefined) continue
      known.pages.add(url)
      known.text ??= text
    }
    return 1 + links.length * worthOfLink
  })
  return linkers
}

/** What the run may say about links to other sites: found means confirmed, unverified is never found. */
export function* externalLinks(site: AnalysedSite): Steps<DeadLinks> {
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!site.checkExternalLinks) return { state: "disabled", ...nothing }
  if (!site.pages.some(wasAsked)) return { state: "unavailable", ...nothing }
  const checks = site.externalLinks
  if (checks === null) return { state: "partial", ...nothing }
  const broken = checks.wanted.filter((url) => checks.answers.get(url)?.verdict === "broken")
  const linkers = yield* linkersOf(site, broken)
  const item = (url: string): DeadLink => {
    const from = [...(linkers.get(url)?.pages ?? [])]
    const check = checks.answers.get(url)
    return {
      url,
      http_status: check?.status ?? 0,
      linked_from: from.slice(0, maxLinkers),
      all_linked_from: from,
      anchor_text: linkers.get(url)?.text ?? null,
      attempts: check?.attempts ?? []
    }
  }
  return {
    state: isWhole(site) && unasked(checks) === 0 ? "complete" : "partial",
    checked: having(checks, "sound") + broken.length,
    found: broken.length,
    unverified: having(checks, "closed") + having(checks, "unverified"),
    items: broken.map(item)
  }
}
