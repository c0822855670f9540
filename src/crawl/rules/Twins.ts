import { groupedBy } from "../../foundation/schema/Groups.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { enoughSessions, sessionOf } from "../analysis/Endless.ts"
import { difference, twinKey } from "./Addresses.ts"
import { sawEverything } from "./Preconditions.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { eligible, some } from "./Targets.ts"

/** A title or description as it is compared; null when it says nothing. */
export const folded = (text: string | null | undefined): string | null => {
  const key = (text ?? "").replace(/\s+/g, " ").trim().toLowerCase()
  return key === "" ? null : key
}

/** Whether two pages have the same text, or at least the same title. */
const isSame = ({ visit: { facts } }: ReadPage, { visit: { facts: other } }: ReadPage): boolean =>
  (facts.text.mainWords > 0 && facts.text.mainHash === other.text.mainHash) ||
  (folded(facts.title) !== null && folded(facts.title) === folded(other.title))

/** An eligible page with what its address means, and whether `endless_addresses` already reports its session ids. */
interface Meant {
  readonly page: ReadPage
  readonly key: string
  readonly isEndless: boolean
}

/** Session ids with as many addresses as `endless_addresses` reports. */
const endlessSessions = ({ pages }: AnalysedSite): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const { url } of pages) {
    const session = sessionOf(new URL(url))
    if (session !== null) counts.set(session, (counts.get(session) ?? 0) + 1)
  }
  return new Set([...counts].flatMap(([session, count]) => (count >= enoughSessions ? [session] : [])))
}

/** The eligible pages by address, and by what their addresses mean. */
const meanings = perSite((site) => {
  const sessions = eligible(site).map(({ url }) => sessionOf(new URL(url)))
  const endless = sessions.some((session) => session !== null) ? endlessSessions(site) : new Set<string>()
  const all = eligible(site).map((page, index): Meant => {
    const session = sessions[index] ?? null
    return { page, key: twinKey(page.url), isEndless: session !== null && endless.has(session) }
  })
  return { byUrl: new Map(all.map((each) => [each.page.url, each])), groups: groupedBy(all, ({ key }) => key) }
})

/** Whether another address is one of the same page, alike in all that carries meaning: `address_twins` reports both, and no rule about what pages share does. */
export const isTwin = (page: ReadPage, url: string, site: AnalysedSite): boolean => {
  const { byUrl } = meanings(site)
  const [one, other] = [byUrl.get(page.url), byUrl.get(url)]
  return one !== undefined && other !== undefined && one.key === other.key && isSame(one.page, other.page)
}

/** The other addresses of an eligible page that no other rule reports. */
const twinsOf = ({ url }: ReadPage, site: AnalysedSite): ReadonlyArray<string> => {
  const { byUrl, groups } = meanings(site)
  const own = byUrl.get(url)
  if (own === undefined || own.isEndless) return []
  return (groups.get(own.key) ?? []).flatMap(({ isEndless, page }) =>
    page !== own.page && !isEndless && isSame(own.page, page) ? [page.url] : []
  )
}

/** Pages that have several addresses. */
export const addressTwins: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "address_twins",
      name: "One page at several addresses",
      category: "content",
      severity: "info",
      means:
        "One page answers at several addresses that differ in an index file, the slash at the end, a session id or a tracking parameter alone.",
      fix: "Choose one of the addresses: redirect the others to it, or let them name it as canonical.",
      source: "Google Search Central, What is canonicalization; How to specify a canonical URL",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Engines choose one of the addresses themselves, and links to the others count less.",
        goal: "Let each listed page be found at one address",
        find: "Find what links to the other addresses (navigation, sitemap, canonicals), and where the server answers at both.",
        steps: [
          "Choose the address that the sitemap and most links name.",
          "Redirect the others to it with 301, or let their canonical name it where they must answer.",
          "Link to that address only; keep sessions in cookies, and tracking out of links of the site's own."
        ],
        never: "let each address name itself as canonical"
      }
    },
    (page, site) => {
      const twins = twinsOf(page, site)
      const [first] = twins
      return first === undefined ? null : `also at ${some(twins)}: they differ in ${difference(page.url, first)}`
    },
    { among: isEligible, precondition: sawEverything, nothing: "no page may be indexed" }
  )
]
