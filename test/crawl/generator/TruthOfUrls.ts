import {
  hasEntries,
  lacksNamed,
  linesOutOfReach,
  listedUrls,
  notInFull,
  settled,
  sitemapFiles,
  sitemapFolder
} from "./ModelReach.ts"
import { aiAgents, isAllowed, isOpenToGoogle } from "./ModelRobots.ts"
import { canonicalOf, folder } from "./ModelVerdict.ts"
import { pages, site, type Truth, urls } from "./RuleTruth.ts"
import type { Site } from "./Site.ts"
import { isPage } from "./States.ts"
import {
  destination,
  endOf,
  hopAt,
  isEndless,
  isInternal,
  isLedTo,
  isUnseen,
  type Place,
  type World,
  waysTo
} from "./World.ts"

const having = (reason: Place["reason"]): Truth => urls((place) => place.reason === reason)
const failing = (reason: Place["reason"]): Truth =>
  urls((place, world) => place.reason === reason && isLedTo(world, place.url))
const listedAs = (holds: (place: Place) => boolean): Truth => urls((place) => place.listed && holds(place))
const isRedirect = ({ health }: Place): boolean => health === "redirect"
const isNoindex = ({ reason }: Place): boolean => reason === "noindex_meta" || reason === "noindex_header"

const hasSecureStart = ({ url }: Place): boolean => url.startsWith("https:")

const canTellOrphans = ({ hasSitemap, isKnown, sitemapRead }: World): boolean => hasSitemap && sitemapRead && isKnown

/** A link leads to the URL, also through redirects, or to a page with it as canonical. */
export const isLinked = (world: World, url: string): boolean =>
  reaches(world, url) ||
  [...world.places.values()].some(
    ({ page, url: other }) => page !== null && canonicalOf(page) === url && reaches(world, other)
  )

const reaches = (world: World, url: string): boolean =>
  waysTo(world, url).some(({ linkedFrom }) => linkedFrom.length > 0)

/** A page in the sitemap has it as canonical, which other checks cover. */
const isNamedByListed = ({ places }: World, url: string): boolean =>
  [...places.values()].some(({ listed, page }) => listed && page !== null && canonicalOf(page) === url)

/** A URL without its session id; null when it has none. */
const withoutSession = (url: string): string | null =>
  /(?:PHPSESSID|sid|jsessionid)=/.test(url) ? url.replace(/(PHPSESSID|sid|jsessionid)=\w+/, "$1") : null

/** The list that a filter URL belongs to; null for other URLs. */
const filtered = (url: string): string | null => (/\?color=\w+&size=/.test(url) ? url.replace(/\?.*/, "") : null)

/** The count of the most frequent key. */
const most = (keys: ReadonlyArray<string | null>): number =>
  Math.max(
    0,
    ...Object.values(
      Object.groupBy(
        keys.filter((key) => key !== null),
        (key) => key
      )
    ).map((each = []) => each.length)
  )

const sitemapFaults = ({ site: plan }: World): boolean =>
  sitemapFiles(plan).some(({ named, plan: file, url }) => {
    if (named && !isOpenToGoogle(plan, url)) return true
    if (!isAllowed(plan, url) || file === null || file.fault === "none" || file.fault === "absent") return false
    // An unreadable file at the usual location is ignored if robots.txt names another one.
    return named || file.fault === "malformed" || file.kind === "index" || !lacksNamed(plan)
  })

/** Whether a line of robots.txt is misspelled, tolerated by Google or not, or names a sitemap without its full URL. */
const hasFaultyLine = (plan: Site): boolean => {
  const { groups, rules, strange } = plan.robots
  const fields = [...rules, ...groups, ...groups.flatMap((group) => group.rules)]
  return (
    strange.some(({ isWrong }) => isWrong) ||
    fields.some(({ field }) => field !== undefined) ||
    notInFull(plan).length > 0
  )
}

const isAbsent = (file: { readonly fault: string } | null): boolean => file === null || file.fault === "absent"
const canReadSitemaps = ({ site: plan }: World): boolean => plan.robots.kind !== "unreachable"

/** A hidden URL that does not count for the site: a variant of an indexable canonical, or a crawled page with added parameters. */
const isVariant = ({ page, reason, url }: Place, { places, start }: World): boolean => {
  const [plain = url] = url.split("?", 1)
  const isRead = plain !== url && places.get(plain)?.page != null
  const named = page === null ? null : canonicalOf(page)
  const isOther = reason === "canonical_elsewhere" && (named === null || folder(named) !== folder(url))
  return reason === "canonical_variant" || (url !== start && isRead && !isOther)
}

/** The URLs that count for the score: indexable pages, hidden ones and errors, except those deducted where they are named. */
const counted = (world: World) => {
  const isNamedOnly = ({ listedOnly, url }: Place) =>
    listedOnly && waysTo(world, url).every(({ linkedFrom }) => linkedFrom.length === 0)
  const isDeadTarget = ({ reason, url }: Place) =>
    reason === "http_4xx" &&
    world.checkDeadLinks &&
    !isUnseen(world) &&
    waysTo(world, url).some(({ linkedFrom }) => linkedFrom.some((from) => world.places.get(from)?.page != null))
  const all = [...world.places.values()].filter(
    (place) =>
      place.health === "eligible" ||
      (place.health === "hidden" && !isVariant(place, world)) ||
      (place.health === "failed" && (place.url === world.start || (!isNamedOnly(place) && !isDeadTarget(place))))
  )
  const having = (health: Place["health"]) => all.filter((place) => place.health === health).length
  return { all: all.length, eligible: having("eligible"), hidden: having("hidden") }
}

/** The truth of checks about URLs and the site, from the definitions of the checks. */
export const truthOfUrls: Readonly<Record<string, Truth>> = {
  needs_javascript: site(isUnseen),
  page_client_error: failing("http_4xx"),
  page_server_error: failing("http_5xx"),
  soft_404: urls(
    ({ reason, url }, world) => reason === "soft_404" && !world.site.scripted.has(url) && isLedTo(world, url)
  ),
  missing_page_answers_200: site(
    ({ site: plan }) =>
      (plan.drawnByScript || plan.missing !== "not_found") && isAllowed(plan, `${plan.origin}/findable-probe-x`)
  ),
  page_timed_out: having("timed_out"),
  connection_lost: having("connection_failed"),
  rate_limited: having("rate_limited"),
  bot_challenge: having("bot_challenge"),
  redirect_loop: having("redirect_loop"),
  redirect_to_error: urls((place, world) => isRedirect(place) && destination(world, place.url)?.health === "failed"),
  redirect_chain: urls((place, world) => {
    const { end, hops } = endOf(world.site, place.url)
    return isRedirect(place) && end !== "loop" && hops.length > 1
  }),
  redirect_temporary: having("redirect_temporary"),
  redirect_offsite: having("redirect_offsite"),
  redirect_without_target: urls((place, world) => isRedirect(place) && hopAt(world.site, place.url) === null),
  redirect_downgrade: urls(
    (place, world) =>
      isRedirect(place) && hasSecureStart(place) && hopAt(world.site, place.url)?.startsWith("http:") === true
  ),
  link_to_redirect: pages(({ page, url }, { places }) =>
    page.links.some(({ to }) => to !== null && to !== url && places.get(to)?.health === "redirect")
  ),
  robots_unreachable: site(({ site: plan }) => plan.robots.kind === "unreachable"),
  robots_truncated: site(
    ({ site: plan }) => plan.robots.kind === "parsed" && plan.robots.overlong && !plan.robots.isHtml
  ),
  robots_txt_html: site(({ site: plan }) => plan.robots.kind === "parsed" && plan.robots.isHtml),
  robots_txt_lines: site(
    ({ site: plan }) => plan.robots.kind === "parsed" && !plan.robots.isHtml && hasFaultyLine(plan)
  ),
  noindex_file: urls(({ reason, url }, { site: plan }) => {
    const answer = reason === "not_html" ? settled(plan, url) : null
    return answer?.kind === "file" && answer.hides
  }),
  sitemap_values_invalid: site(
    (world) =>
      canReadSitemaps(world) &&
      world.hasSitemap &&
      sitemapFiles(world.site).some(
        ({ plan, url }) =>
          plan?.kind === "urls" &&
          plan.form === "xml" &&
          plan.hints?.isWrong === true &&
          plan.listed.length > 0 &&
          hasEntries(plan) &&
          isAllowed(world.site, url)
      )
  ),
  start_blocked: site(({ site: plan, start }) => plan.robots.kind !== "unreachable" && !isOpenToGoogle(plan, start)),
  start_hidden: site(({ places, start }) => {
    const place = places.get(start)
    return place?.page != null && place.health === "hidden" && place.reason !== "blocked_by_robots"
  }),
  no_eligible_page: site((world) => counted(world).eligible === 0 && counted(world).all > 0),
  start_unavailable: site(({ places, start }) => /^(?:hidden|failed)$/.test(places.get(start)?.health ?? "")),
  mostly_hidden: site((world) => 2 * counted(world).hidden > counted(world).all),
  bingbot_blocked: urls(
    (place, { site: plan }) =>
      isPage(place) && isOpenToGoogle(plan, place.url) && !isAllowed(plan, place.url, "Bingbot")
  ),
  ai_bots_blocked: site(
    ({ places, site: plan, start }) =>
      plan.robots.kind !== "unreachable" &&
      aiAgents.some(
        (agent) =>
          !isAllowed(plan, start, agent) ||
          [...places.values()].some(
            (place) => isPage(place) && isOpenToGoogle(plan, place.url) && !isAllowed(plan, place.url, agent)
          )
      )
  ),
  blocked_but_linked: urls(({ linkedFrom, reason }) => reason === "blocked_by_robots" && linkedFrom.length > 0),
  endless_addresses: site(({ places }) => {
    const all = [...places.keys()]
    return all.some(isEndless) || most(all.map(withoutSession)) >= 3 || most(all.map(filtered)) >= 15
  }),
  sitemap_missing: site(
    (world) =>
      canReadSitemaps(world) &&
      notInFull(world.site).length + linesOutOfReach(world.site).length === 0 &&
      sitemapFiles(world.site).every(({ plan, url }) => isAbsent(plan) && isAllowed(world.site, url))
  ),
  sitemap_invalid: site((world) => canReadSitemaps(world) && sitemapFaults(world)),
  sitemap_named_but_absent: site(
    (world) =>
      canReadSitemaps(world) &&
      sitemapFiles(world.site).some(({ named, plan, url }) => named && isAbsent(plan) && isAllowed(world.site, url))
  ),
  sitemap_foreign_urls: site(
    (world) =>
      canReadSitemaps(world) &&
      (linesOutOfReach(world.site).length > 0 || listedUrls(world.site).some((url) => !isInternal(world.site, url)))
  ),
  sitemap_lists_errors: listedAs(({ health }) => health === "failed"),
  sitemap_lists_redirects: listedAs(isRedirect),
  sitemap_lists_noindex: listedAs(isNoindex),
  sitemap_lists_canonicalised: listedAs(({ reason }) => /^canonical_/.test(reason)),
  sitemap_lists_blocked: listedAs(({ reason }) => reason === "blocked_by_robots"),
  page_not_in_sitemap: pages(
    ({ listed, reason, url }, world) =>
      reason === "ok" &&
      !listed &&
      world.hasSitemap &&
      world.sitemapRead &&
      new URL(url).pathname.startsWith(sitemapFolder(world.site)) &&
      !isNamedByListed(world, url)
  ),
  orphan_page: pages(
    ({ listed, reason, url }, world) =>
      reason === "ok" && listed && url !== world.start && canTellOrphans(world) && !isLinked(world, url)
  ),
  // Generated sites over the loopback interface are served on 127.0.0.1.
  page_over_http: pages(({ url }) => url.startsWith("http:") && !url.startsWith("http://127.0.0.1:"))
}
