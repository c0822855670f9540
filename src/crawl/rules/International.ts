import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { HreflangLink } from "../page/LinkFacts.ts"
import { healthStateOf } from "../report/States.ts"
import { international as guidance } from "./guidance/International.ts"
import { isRead, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

const guide = "Google Search Central, Tell Google about localized versions of your page"

/** Language versions that the page names in its head or in its Link header. */
const versionsOf = ({ visit }: ReadPage): ReadonlyArray<HreflangLink> =>
  [...visit.facts.hreflangs, ...(visit.headerFacts?.hreflangs ?? [])].filter(({ inHead }) => inHead)

/** Where a page says that it has language versions: on itself, or in its entry of a sitemap. */
const namedBy = (page: ReadPage, { sitemap }: AnalysedSite): ReadonlyArray<string | null> => [
  ...versionsOf(page).map(({ url }) => url),
  ...(sitemap?.alternates.get(page.url) ?? [])
]

const among = { among: (page: ReadPage) => versionsOf(page).length > 0, nothing: "no page names language versions" }

const listed = (items: ReadonlyArray<string>): string | null => (items.length === 0 ? null : some(items))

export const international: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "hreflang_invalid",
      category: "international",
      severity: "warning",
      means:
        "An hreflang names no language or country that there is (en-UK and jp are en-GB and ja), or its address does not parse; it is ignored.",
      fix: "Use a language, optionally a script and a region, such as en-GB, or x-default.",
      source: `${guide}; ISO 639-1; ISO 3166-1; BCP 47`,
      restsOn: "own",
      guidance: guidance.hreflang_invalid
    },
    (page) =>
      listed(
        versionsOf(page).flatMap(({ language, raw, url, wellFormed }) =>
          wellFormed && url !== null ? [] : [`${language} ${raw}`]
        )
      ),
    among
  ),
  perPage(
    {
      id: "hreflang_conflicting",
      category: "international",
      severity: "warning",
      means: "One language is given two different addresses.",
      fix: "Keep one address for each language.",
      source: guide,
      restsOn: "own",
      guidance: guidance.hreflang_conflicting
    },
    (page) => {
      const versions = versionsOf(page)
      const languages = [...new Set(versions.map(({ language }) => language))]
      return listed(
        languages.filter(
          (each) => new Set(versions.filter(({ language }) => language === each).map(({ url }) => url)).size > 1
        )
      )
    },
    among
  ),
  perPage(
    {
      id: "hreflang_self_missing",
      category: "international",
      severity: "info",
      means: "The page names its versions in other languages but not itself.",
      fix: "List the page's own language and address too.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      guidance: guidance.hreflang_self_missing
    },
    (page, site) => (namedBy(page, site).includes(page.url) ? null : "no entry for itself"),
    among
  ),
  perPage(
    {
      id: "hreflang_no_return",
      name: "hreflang without return link",
      category: "international",
      severity: "warning",
      means: "A language version does not name this page in return, so the pair is ignored.",
      fix: "Let every version list all versions.",
      source: guide,
      needsRendering: true,
      guidance: guidance.hreflang_no_return
    },
    (page, site) =>
      listed(
        versionsOf(page).flatMap(({ url }) => {
          const target = url === null || url === page.url ? undefined : site.find(url)
          if (target === undefined || !isRead(target)) return []
          return namedBy(target, site).includes(page.url) ? [] : [target.url]
        })
      ),
    among
  ),
  perPage(
    {
      id: "hreflang_to_unindexable",
      name: "hreflang to a page that may not be indexed",
      category: "international",
      severity: "warning",
      means: "A language version redirects, fails, or may not be indexed.",
      fix: "Name pages that answer 200 and may be indexed.",
      source: guide,
      guidance: guidance.hreflang_to_unindexable
    },
    (page, site) =>
      listed(
        versionsOf(page).flatMap(({ url }) => {
          const target = url === null ? undefined : site.find(url)
          const health = target === undefined ? "eligible" : healthStateOf[target.reason]
          const isBad = health === "failed" || health === "redirect" || health === "hidden"
          return target !== undefined && target.url !== page.url && isBad ? [`${target.url} (${target.reason})`] : []
        })
      ),
    among
  )
]
