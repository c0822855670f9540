import { templateDoc } from "./Answers.ts"
import { isAllowed } from "./ModelRobots.ts"
import type { AnswerPlan, Doc, HreflangPlan, Site, SitemapFilePlan } from "./Site.ts"
import { shellDoc } from "./Sound.ts"

/** The final response for a careful reader: temporary failures are over, and unknown paths get the site's response. */
export const settled = (site: Site, url: string): Exclude<AnswerPlan, { readonly kind: "recovering" | "missing" }> => {
  const known = site.answers.get(url) ?? { kind: "missing" as const }
  const plan = known.kind === "recovering" ? known.finally : known
  if (plan.kind === "recovering") return { kind: "error", status: 500 }
  if (site.drawnByScript && (plan.kind === "page" || plan.kind === "missing"))
    return { kind: "page", doc: shellDoc(site.origin) }
  if (plan.kind !== "missing") return plan
  if (site.missing === "soft_template") return { kind: "page", doc: templateDoc(site.origin) }
  const front = site.answers.get(`${site.origin}/`)
  return site.missing === "front_page" && front?.kind === "page" ? front : { kind: "error", status: 404 }
}

const host = (url: string): string => new URL(url).host.replace(/^www\./, "")

export const isInternal = (site: Site, url: string): boolean => host(url) === host(site.origin)

/** Planted hosts of this machine or a private network, if they are not the site's own. */
export const isOutOfReach = (site: Site, url: string): boolean =>
  !isInternal(site, url) &&
  /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|10\.0\.0\.5|192\.168\.1\.10|intranet|dev\.local)[:/]/.test(
    url
  )

/** The same segment three times in a row: a crawl leaves out such endless URLs. */
export const isEndless = (url: string): boolean => {
  const segments = new URL(url).pathname.split("/").filter((segment) => segment !== "")
  return segments.some((segment, at) => segment === segments[at + 1] && segment === segments[at + 2])
}

/** URLs that no crawl requests: the planted carts, forms and sessions. */
export const acts = (url: string): boolean =>
  /[?&](?:add-to-cart|add_to_wishlist|replytocom|_wpnonce|share)=|\/(?:user|account)\/logout$|\/checkout\/cart\/add\//.test(
    url
  )

/** Whether a URL is never requested. */
const isLeft = (site: Site, url: string): boolean => isEndless(url) || acts(url) || !isAllowed(site, url)

/** The document at a URL if a crawl may read it. */
export const docAt = (site: Site, url: string): Doc | null => {
  if (isLeft(site, url)) return null
  const answer = settled(site, url)
  return answer.kind === "page" ? answer.doc : null
}

/** The immediate redirect target of a URL, on any site; null without a usable one. */
export const hopAt = (site: Site, url: string): string | null => {
  if (isLeft(site, url)) return null
  const answer = settled(site, url)
  if (answer.kind === "redirect") return answer.to
  if (answer.kind !== "page" || answer.doc.refresh === null || answer.doc.refresh.seconds > 0) return null
  return answer.doc.refresh.to === url ? null : answer.doc.refresh.to
}

/** Values of Sitemap lines that are read. */
const sitemapLines = ({ robots }: Site): ReadonlyArray<string> =>
  robots.kind === "parsed" && !robots.isHtml ? robots.sitemaps : []

const isInFull = (value: string): boolean => /^https?:\/\//.test(value)

/** Values of Sitemap lines without scheme or host, which name no sitemap. */
export const notInFull = (site: Site): ReadonlyArray<string> => sitemapLines(site).filter((value) => !isInFull(value))

/** Values of Sitemap lines with a location that only the line names. */
export const linesOutOfReach = (site: Site): ReadonlyArray<string> =>
  sitemapLines(site).filter((value) => isInFull(value) && isOutOfReach(site, value))

/** The folder of the start URL, as planted; null for the root. */
const startFolder = ({ start }: Site): string | null => /^https?:\/\/[^/]+(\/project\/)/.exec(start)?.[1] ?? null

/** The folder that sitemaps cover: a sitemap found by its location covers its own folder. */
export const sitemapFolder = (site: Site): string => {
  const [root, below] = sitemapFiles(site)
  const isRead = root !== undefined && root.plan !== null && isAllowed(site, root.url) && hasEntries(root.plan)
  return below === undefined || below.named || isRead ? "/" : (startFolder(site) ?? "/")
}

/** The sitemap files that a crawl opens: those in robots.txt, or the usual locations, and the files of an index. */
export const sitemapFiles = (
  site: Site
): ReadonlyArray<{ readonly url: string; readonly plan: SitemapFilePlan | null; readonly named: boolean }> => {
  const names = sitemapLines(site).filter((value) => isInFull(value) && !isOutOfReach(site, value))
  const folder = startFolder(site)
  const below = folder === null ? [] : [`${site.origin}${folder}sitemap.xml`]
  // A file below the start URL was only tried: an invalid one is ignored.
  const tried = below.filter(
    (url) => isAllowed(site, url) && site.sitemaps.some((file) => file.url === url && hasEntries(file))
  )
  const roots = names.length > 0 ? names : [`${site.origin}/sitemap.xml`, ...tried]
  const open = (url: string, named: boolean) => ({
    url,
    named,
    plan: site.sitemaps.find((file) => file.url === url) ?? null
  })
  return roots.flatMap((url) => {
    const root = open(url, names.length > 0)
    const children = root.plan?.kind === "index" && isAllowed(site, url) ? root.plan.listed : []
    return [root, ...children.map((child) => open(child, true))]
  })
}

/** A Sitemap line without scheme or host means a file that the crawl does not open. */
export const lacksNamed = (site: Site): boolean => {
  const opened = new Set(sitemapFiles(site).map(({ url }) => new URL(url).pathname))
  const { host } = new URL(site.origin)
  const pathOf = (value: string) => `/${value.replace(/^\/+/, "").replace(`${host}/`, "")}`
  return (
    notInFull(site).some((value) => value !== "" && !opened.has(pathOf(value))) ||
    linesOutOfReach(site).some((value) => !opened.has(new URL(value).pathname))
  )
}

/** Whether every entry of a sitemap file is read, even if an error follows. */
export const hasEntries = ({ fault }: SitemapFilePlan): boolean =>
  !["absent", "error", "not_a_sitemap", "empty", "text_ahead"].includes(fault)

/** The URLs in sitemaps, of this site and of others; unreadable files list nothing. */
export const listedUrls = (site: Site): ReadonlyArray<string> =>
  sitemapFiles(site).flatMap(({ plan, url }) =>
    plan !== null && plan.kind === "urls" && isAllowed(site, url) && hasEntries(plan) ? plan.listed : []
  )

/** The language versions of a page: those of the sitemap only if a file with them lists the page. */
export const versionsOf = (site: Site, url: string, doc: Doc): ReadonlyArray<HreflangPlan> => {
  const listed = sitemapFiles(site).some(
    ({ plan, url: file }) =>
      plan?.kind === "urls" &&
      plan.form === "xml" &&
      isAllowed(site, file) &&
      hasEntries(plan) &&
      plan.listed.includes(url)
  )
  return doc.hreflangs.filter(({ place }) => place !== "sitemap" || (listed && site.robots.kind !== "unreachable"))
}

/** The link targets of a document on this site. */
export const linksOf = (site: Site, doc: Doc): ReadonlyArray<string> =>
  doc.links.flatMap(({ kind, to }) => (kind === "page" && to !== null && isInternal(site, to) ? [to] : []))

const leads = (site: Site, url: string): ReadonlyArray<string> => {
  const doc = docAt(site, url)
  const named =
    doc === null
      ? []
      : [...doc.canonicals, ...doc.hreflangs.filter(({ place }) => place !== "sitemap"), { to: doc.next }].flatMap(
          ({ to }) => to ?? []
        )
  const hop = hopAt(site, url)
  const all = [...(hop === null ? [] : [hop]), ...(doc === null ? [] : linksOf(site, doc)), ...named]
  return all.filter((to) => isInternal(site, to))
}

/** Every URL of the site that an unlimited crawl meets, through pages or the sitemap. */
export const reach = (site: Site, withSitemap = true): ReadonlySet<string> => {
  const met = new Set<string>([site.start])
  const follow = (urls: ReadonlyArray<string>) => {
    for (const url of urls) {
      if (met.has(url)) continue
      met.add(url)
      follow(leads(site, url))
    }
  }
  follow(leads(site, site.start))
  if (!withSitemap || site.robots.kind === "unreachable") return met
  const listed = listedUrls(site).filter((url) => isInternal(site, url))
  follow(listed)
  for (const url of listed) {
    const answer = site.answers.get(url)
    const named = answer?.kind === "page" ? versionsOf(site, url, answer.doc) : []
    // Canonicals of pages were followed, if they exist.
    follow(named.flatMap(({ place, to }) => (place === "sitemap" && to !== null && isInternal(site, to) ? [to] : [])))
  }
  return met
}

/** Minimum clicks from the start page; redirects count as none. URLs without a link path are absent. */
export const depths = (site: Site): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  let round = [site.start]
  for (let depth = 0; round.length > 0; depth++) {
    const here = round.filter((url) => !found.has(url))
    for (const url of here) {
      if (found.has(url)) continue
      found.set(url, depth)
      const hop = hopAt(site, url)
      if (hop !== null && isInternal(site, hop)) here.push(hop)
    }
    round = here.flatMap((url) => {
      const doc = docAt(site, url)
      return doc === null ? [] : linksOf(site, doc)
    })
  }
  return found
}
