import { firstByteOf } from "./Answers.ts"
import { now } from "./Crawling.ts"
import { hasEntries, listedUrls, settled, sitemapFiles, versionsOf } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import { canonicalOf } from "./ModelVerdict.ts"
import { pages, type ReadPlace, site, type Truth } from "./RuleTruth.ts"
import type { Doc, LinkPlan } from "./Site.ts"
import { isLinked } from "./TruthOfUrls.ts"
import { endOf, isInternal, isReadWhole, type World } from "./World.ts"

/** A check of indexable documents. */
const eligible = (holds: (doc: Doc, place: ReadPlace, world: World) => boolean): Truth =>
  pages((place, world) => place.reason === "ok" && holds(place.page, place, world))

const isBlank = (text: string | null | undefined): boolean => (text ?? "").trim() === ""

const lacks = ({ openGraph }: Doc, property: string): boolean =>
  openGraph.every(([name, content]) => name !== property || isBlank(content))

const hasPath = ({ places }: World, url: string): boolean =>
  [...places.values()].some(
    ({ depth, page, url: other }) => depth !== null && (other === url || (page !== null && canonicalOf(page) === url))
  )

const partOf = (written: string): string | undefined => written.trim().split("#")[1]?.replace(/:~:.*/, "")

/** The page and fragment that a browser reaches by a link; redirects may change the fragment. */
const arrivalOf = (url: string, written: string, { places, site: plan }: World) => {
  const { end, hops, last } = endOf(plan, url)
  let part = partOf(written)
  for (const from of [url, ...hops].slice(0, hops.length)) {
    const answer = settled(plan, from)
    if (answer.kind !== "redirect") return null
    part = partOf(answer.written ?? "") ?? part
  }
  const place = end === "page" ? places.get(last) : undefined
  return place?.page == null || !isReadWhole(place) || place.page.shell
    ? null
    : { part: part ?? "", parts: place.page.parts }
}

/** A link to a missing fragment of a page that was read completely. */
const isLost = ({ kind, to, written }: LinkPlan, world: World): boolean => {
  const arrival = kind === "page" && to !== null ? arrivalOf(to, written, world) : null
  if (arrival === null) return false
  const part = decodeURIComponent(arrival.part)
  if (/^(?:top)?$/i.test(part) || /[=/!:]/.test(part)) return false
  return arrival.parts.every(({ name }) => name !== arrival.part && name !== part)
}

const suits = ({ lang }: Doc, { kind, suitsAny, to }: LinkPlan, url: string): boolean =>
  kind === "page" &&
  to !== url &&
  suitsAny !== undefined &&
  (isBlank(lang) || lang?.toLowerCase().split(/[-_]/)[0] === suitsAny)

/** The dates in sitemaps for the site's URLs; null for invalid ones. */
const datesOf = ({ site: plan }: World): ReadonlyArray<string | null> => {
  const found = new Map<string, string | null>()
  for (const { plan: file, url } of sitemapFiles(plan)) {
    if (file?.kind !== "urls" || !isAllowed(plan, url) || !hasEntries(file)) continue
    const date = file.form === "xml" && file.hints?.isWrong !== true ? file.hints?.text : undefined
    for (const listed of file.listed)
      if (isInternal(plan, listed) && !found.has(listed))
        found.set(listed, /<lastmod>([^<]+)<\/lastmod>/.exec(date ?? "")?.[1] ?? null)
  }
  return [...found.values()]
}

const hasFutureDate = (world: World): boolean =>
  datesOf(world).some((date) => date !== null && Date.parse(date) > now + 86_400_000)

const hasOneDate = (world: World): boolean => {
  // News articles may all be of one day.
  if (sitemapFiles(world.site).some(({ plan }) => plan?.form === "xml" && plan.hints?.text.includes("<news:news>")))
    return false
  const dates = datesOf(world)
  return world.sitemapRead && dates.length > 20 && dates[0] != null && dates.every((date) => date === dates[0])
}

const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2
}

/** The truth of checks about fragments, link texts, social cards, structured data and versions, and about paths, dates and times. */
export const truthOfDetails: Readonly<Record<string, Truth>> = {
  unreachable_page: eligible(
    (_, { url }, world) => world.isKnown && url !== world.start && isLinked(world, url) && !hasPath(world, url)
  ),
  hreflang_missing: eligible(
    (doc, { url }, { places, site }) =>
      versionsOf(site, url, doc).length === 0 &&
      doc.versions.some((version) => {
        const place = places.get(version)
        return place?.reason === "ok" && place.page != null && versionsOf(site, version, place.page).length === 0
      })
  ),
  link_fragment_missing: pages(({ page }, world) => page.links.some((link) => isLost(link, world))),
  link_text_generic: eligible((doc, { url }) => doc.links.some((link) => suits(doc, link, url))),
  image_dimensions_missing: eligible(({ pictures }) => pictures.some(({ isUnsized }) => isUnsized)),
  open_graph_relative: eligible(({ openGraph }) =>
    openGraph.some(
      ([name, content]) => /^og:(?:url|image)/.test(name) && !isBlank(content) && !/^https?:/.test(content.trim())
    )
  ),
  open_graph_missing: eligible((doc) => ["og:title", "og:type", "og:image", "og:url"].some((each) => lacks(doc, each))),
  structured_data_required: eligible(({ typedData }) => typedData.some(({ isFaulty }) => isFaulty)),
  sitemap_lastmod_implausible: site(
    (world) =>
      world.site.robots.kind !== "unreachable" &&
      listedUrls(world.site).length > 0 &&
      (hasFutureDate(world) || hasOneDate(world))
  ),
  response_slow: site(({ places, site: plan }) => {
    const read = [...places.values()].filter(({ page, reason }) => page !== null && reason === "ok")
    return medianOf(read.map(({ url }) => firstByteOf(plan, url))) > 800
  })
}
