import { invalidLanguages } from "./DocumentPlants.ts"
import { elsewhereIs, isBrokenFile, isHeavyImage, linksElsewhere, ownFiles } from "./ModelFiles.ts"
import { isOutOfReach, versionsOf } from "./ModelReach.ts"
import { canonicalOf, directivesOf } from "./ModelVerdict.ts"
import { docs, isRead, pages, type ReadPlace, type Truth } from "./RuleTruth.ts"
import type { Doc, HreflangPlan, LinkPlan } from "./Site.ts"
import { countWords } from "./Text.ts"
import { destination, isInternal, type Place, type World } from "./World.ts"

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ""
const characters = (text: string | undefined): number => [...(text ?? "")].length
/** A page that does not declare UTF-8 is read byte by byte. */
const shown = ({ charset, titles }: Doc): number =>
  charset === "none" || charset === "latin1"
    ? new TextEncoder().encode(titles[0]?.trim()).length
    : characters(titles[0]?.trim())
const ownText = ({ code, h1, words }: Doc): string => [...h1, ...words, ...code].join(" ").trim()
const mainText = (doc: Doc): string => [...doc.menu, ownText(doc)].join(" ").trim()
const folded = (text: string | undefined): string => (text ?? "").replace(/\s+/g, " ").trim().toLowerCase()

/** The canonical, if it is another page. */
const target = ({ page, url }: ReadPlace, { places }: World): Place | undefined => {
  const named = canonicalOf(page)
  return named === null || named === url ? undefined : places.get(named)
}

const canonicalTo = (holds: (named: Place, world: World, place: ReadPlace) => boolean): Truth =>
  pages((place, world) => {
    const named = target(place, world)
    return named !== undefined && holds(named, world, place)
  })

const canonical = (holds: (written: string, to: string | null, place: string) => boolean): Truth =>
  indexed(({ canonicals }) => canonicals.some(({ place, to, written }) => holds(written, to, place)))

const readOnce = <K extends object, V>(read: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}

const eligible = readOnce(
  ({ places }: World): ReadonlyArray<ReadPlace> =>
    [...places.values()].filter(isRead).filter(({ reason }) => reason === "ok")
)

/** A check of indexable documents. */
const indexed = (holds: (doc: Doc) => boolean): Truth => pages(({ page, reason }) => reason === "ok" && holds(page))

/** A URL without its meaningless parts, as far as they are planted. */
const meaningOf = (url: string): string => {
  const { host, pathname, searchParams } = new URL(url)
  const told = [...searchParams].filter(([name]) => !/^(?:utm_\w+|gclid|fbclid|sid|PHPSESSID)$/.test(name))
  const path = pathname.replace(/;jsessionid=\w+$/, "").replace(/\/(?:(?:index|default)\.\w+)?$/, "")
  return `${host}${path}?${new URLSearchParams(told.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`
}

const meaning = readOnce((place: ReadPlace): string => meaningOf(place.url))

/** Whether two URLs are one page: equal in meaning, and with one text or title. */
const areTwins = (one: ReadPlace, other: ReadPlace): boolean =>
  one.url !== other.url &&
  meaning(one) === meaning(other) &&
  [textOf, ({ titles }: Doc) => folded(titles[0])].some((of) => of(one.page) !== "" && of(one.page) === of(other.page))

/** Another indexable page has the same content, except language versions and other URLs of the page. */
const shared = (isSame: (a: Doc, b: Doc) => boolean): Truth =>
  pages(
    (place, world) =>
      place.reason === "ok" &&
      eligible(world).some(
        (other) =>
          other.url !== place.url &&
          !areTwins(place, other) &&
          !place.page.versions.includes(other.url) &&
          isSame(place.page, other.page) &&
          !versionsOf(world.site, place.url, place.page).some(({ to }) => to === other.url)
      )
  )

const sameText = (keyOf: (doc: Doc) => string) => shared((a, b) => keyOf(a) !== "" && keyOf(a) === keyOf(b))

/** Properties that pages of one sequence may share. */
const sameOutsideSequences = (keyOf: (doc: Doc) => string) =>
  shared((a, b) => keyOf(a) !== "" && keyOf(a) === keyOf(b) && (a.first === null || a.first !== b.first))

/** A later page of a sequence has another page of it, with other content, as canonical. */
const namesOther = ({ page, reason, url }: ReadPlace, world: World): boolean => {
  const named = canonicalOf(page)
  const other = page.first === null || named === null ? undefined : destination(world, named)
  return (
    /^canonical_/.test(reason) &&
    page.first !== url &&
    other?.page != null &&
    other.page.first === page.first &&
    other.url !== url &&
    textOf(other.page) !== textOf(page)
  )
}

/** The end of the redirects from the canonical. */
const endOfTarget = (place: Place, world: World): Place =>
  (place.health === "redirect" ? destination(world, place.url) : undefined) ?? place

const enough = readOnce((doc: Doc): boolean => countWords(mainText(doc)) >= 25)
const textOf = readOnce((doc: Doc): string => folded(mainText(doc)))

const shingles = readOnce((doc: Doc): ReadonlySet<string> => {
  const all = folded(ownText(doc)).split(" ")
  return new Set(all.map((_, at) => all.slice(at, at + 3).join(" ")))
})

/** Both texts share nine of ten sequences of three words. */
const isNear = (a: Doc, b: Doc): boolean => {
  if (!enough(a) || !enough(b) || textOf(a) === textOf(b)) return false
  const [left, right] = [shingles(a), shingles(b)]
  let both = 0
  for (const each of left) if (right.has(each)) both += 1
  return both / (left.size + right.size - both) >= 0.9
}

const deadEnd = ({ page, url }: ReadPlace, { site }: World): boolean =>
  !page.links.some(({ kind, to }) => kind === "page" && to !== null && to !== url && isInternal(site, to))

const isOwn = (site: World["site"], to: string | null): boolean => to !== null && isInternal(site, to)

const link = (holds: (link: LinkPlan, world: World) => boolean): Truth =>
  pages(({ page }, world) => page.links.some((each) => holds(each, world)))

/** A check of the language versions of indexable pages. */
const versions = (holds: (versions: ReadonlyArray<HreflangPlan>, url: string, world: World) => boolean): Truth =>
  pages(({ page, reason, url }, world) => reason === "ok" && holds(versionsOf(world.site, url, page), url, world))

/** Whether a version is a page, or a URL that redirects to it. */
const leadsTo = (named: ReadonlyArray<HreflangPlan>, url: string, world: World): boolean =>
  named.some(({ to }) => to === url || (to !== null && destination(world, to)?.url === url))

/** The only x-default page of the versions; null for none or several. */
const defaultOf = (named: ReadonlyArray<HreflangPlan>, world: World): string | null => {
  const urls = new Set(
    named.flatMap(({ language, to }) =>
      language === "x-default" && to !== null ? [destination(world, to)?.url ?? to] : []
    )
  )
  const [only = null] = urls
  return urls.size === 1 ? only : null
}

/** A redirect of the x-default version that depends on the visitor. */
const choosesLanguage = ({ language, to }: HreflangPlan, { site }: World): boolean => {
  const answer = to === null ? undefined : site.answers.get(to)
  return language === "x-default" && answer?.kind === "redirect" && [302, 303, 307].includes(answer.status)
}

/** The truth of checks about pages, from the definitions of the checks. */
export const truthOfPages: Readonly<Record<string, Truth>> = {
  meta_refresh: docs(({ refresh }, url) => refresh !== null && refresh.place !== "script" && refresh.to !== url),
  noindex_page: docs((doc) => directivesOf(doc).some(({ hides }) => hides)),
  noscript_only: docs(({ noscripts }) => noscripts.some(({ speaks }) => speaks)),
  noscript_ends_head: docs(
    ({ canonicals, hreflangs, noscripts, refresh, robots, titleOutsideHead, titles }) =>
      noscripts.some(({ endsHead, place }) => endsHead && place === "head") &&
      ((titles.length > 0 && !titleOutsideHead) ||
        refresh?.place === "meta" ||
        [...canonicals, ...hreflangs, ...robots].some(({ place }) => place === "head"))
  ),
  noindex_with_canonical: pages(
    ({ reasons }) =>
      reasons.some((each) => /^canonical_/.test(each)) && reasons.some((reason) => reason.startsWith("noindex"))
  ),
  robots_meta_outside_head: docs(({ robots }) => robots.some(({ place }) => place === "body")),
  robots_directives_conflict: docs(
    (doc) =>
      directivesOf(doc).some(({ saysIndex }) => saysIndex) && directivesOf(doc).some(({ saysNoindex }) => saysNoindex)
  ),
  robots_directive_unreadable: docs(({ robots }) =>
    robots.some(({ isGarbled, place }) => isGarbled === true && place !== "body")
  ),
  canonical_missing: pages(({ page, reason }) => reason === "ok" && page.canonicals.length === 0),
  canonical_conflicting: indexed(
    ({ canonicals }) => new Set(canonicals.flatMap(({ place, to }) => (place === "body" ? [] : (to ?? [])))).size > 1
  ),
  canonical_invalid: canonical((_, to) => to === null),
  canonical_relative: canonical((written, to) => to !== null && !/^[a-z]+:/i.test(written)),
  canonical_fragment: canonical((written) => written.includes("#")),
  canonical_outside_head: canonical((_, __, place) => place === "body"),
  canonical_to_error: canonicalTo((named, world) => endOfTarget(named, world).health === "failed"),
  canonical_to_redirect: canonicalTo(
    (named, world) => named.health === "redirect" && endOfTarget(named, world).health !== "failed"
  ),
  canonical_to_hidden: canonicalTo(
    ({ reason }, _, { reasons }) =>
      /^noindex|^blocked_by/.test(reason) && !reasons.some((each) => each.startsWith("noindex"))
  ),
  canonical_chain: canonicalTo(
    ({ reasons }, world, place) => reasons.some((each) => /^canonical_/.test(each)) && !namesOther(place, world)
  ),
  canonical_to_first_page: pages(namesOther),
  canonical_cross_site: pages(({ page }, { site }) => {
    const named = canonicalOf(page)
    return named !== null && !isInternal(site, named) && !isOutOfReach(site, named)
  }),
  canonical_unreachable: pages((place, world) => {
    const named = canonicalOf(place.page)
    const reason = target(place, world)?.reason
    return (
      (named !== null && isOutOfReach(world.site, named)) || reason === "timed_out" || reason === "connection_failed"
    )
  }),
  title_missing: indexed(({ titles }) => isBlank(titles[0])),
  title_multiple: indexed(({ titles }) => titles.length > 1),
  title_outside_head: indexed(({ titleOutsideHead, titles }) => titleOutsideHead && titles.length > 0),
  title_long: indexed((doc) => shown(doc) > 70),
  description_missing: indexed(({ descriptions }) => descriptions.every(isBlank)),
  description_multiple: indexed(({ descriptions }) => descriptions.length > 1),
  description_long: indexed(({ descriptions }) => characters(descriptions[0]) > 320),
  h1_missing: indexed(({ h1 }) => h1.every(isBlank)),
  h1_multiple: indexed(({ h1 }) => h1.filter((text) => !isBlank(text)).length > 1),
  thin_content: indexed((doc) => countWords(mainText(doc)) < 50),
  image_alt_missing: indexed(({ images }) => images.includes(null)),
  title_duplicate: sameOutsideSequences(({ titles }) => folded(titles[0])),
  description_duplicate: sameOutsideSequences(({ descriptions }) => folded(descriptions[0])),
  content_duplicate: sameText((doc) => (enough(doc) ? textOf(doc) : "")),
  content_near_duplicate: shared(isNear),
  address_twins: pages(
    (place, world) => place.reason === "ok" && eligible(world).some((other) => areTwins(place, other))
  ),
  broken_link: pages(
    ({ page, url }, world) =>
      world.checkDeadLinks &&
      page.links.some(({ to }) => to !== null && to !== url && /^http_/.test(destination(world, to)?.reason ?? ""))
  ),
  resource_broken: pages(
    ({ page, reason, url }, { site }) =>
      reason === "ok" && ownFiles(site, page, url).some((file) => isBrokenFile(site, file))
  ),
  image_heavy: pages(({ page, reason, url }, { site }) => reason === "ok" && isHeavyImage(site, page, url)),
  external_link_broken: pages(
    ({ page }, { checkExternalLinks, site }) =>
      checkExternalLinks && linksElsewhere(site, page).some((to) => elsewhereIs(site, to) === "broken")
  ),
  link_invalid: link(({ kind }) => kind === "invalid"),
  url_credentials: link(({ kind }) => kind === "credentials"),
  link_script: link(({ kind }) => kind === "script"),
  link_text_missing: link(({ kind, text, to }, { site }) => kind === "page" && text === "" && isOwn(site, to)),
  control_unnamed: link(
    ({ isMuteControl, kind, text, to }, { site }) =>
      isMuteControl === true || (kind === "page" && text === "" && !isOwn(site, to))
  ),
  link_nofollow_internal: pages(({ page, url }, { places, site }) =>
    page.links.some(
      ({ rel, to }) =>
        rel !== undefined &&
        rel !== "noopener" &&
        to !== null &&
        to !== url &&
        isInternal(site, to) &&
        // A page that is not indexable gets no credit, and a sorted view of a page is not meant to.
        places.get(to)?.reason === "ok" &&
        !(to.includes("?") && places.get(to.replace(/\?.*/, ""))?.reason === "ok")
    )
  ),
  dead_end: pages(deadEnd),
  page_deep: pages(({ depth }) => depth !== null && depth > 4),
  hreflang_invalid: versions((named) => named.some(({ isTag, to }) => !isTag || to === null)),
  hreflang_relative: versions((named) => named.some(({ to, written }) => to !== null && !/^https?:/.test(written))),
  hreflang_conflicting: versions((named) =>
    named.some((one) =>
      named.some(({ language, to }) => language.toLowerCase() === one.language.toLowerCase() && to !== one.to)
    )
  ),
  hreflang_default_conflicting: versions((named, url, world) => {
    const own = defaultOf(named, world)
    return named.some(({ to }) => {
      const other = to === null || to === url ? null : (world.places.get(to)?.page ?? null)
      const theirs = other === null || to === null ? [] : versionsOf(world.site, to, other)
      const theirDefault = defaultOf(theirs, world)
      return own !== null && theirDefault !== null && own !== theirDefault && leadsTo(theirs, url, world)
    })
  }),
  hreflang_self_missing: versions((named, url, world) => named.length > 0 && !leadsTo(named, url, world)),
  hreflang_no_return: versions((named, url, world) =>
    named.some(({ to }) => {
      const other = to === null || to === url ? null : (world.places.get(to)?.page ?? null)
      return other !== null && to !== null && !leadsTo(versionsOf(world.site, to, other), url, world)
    })
  ),
  hreflang_to_unindexable: versions((named, url, world) =>
    named.some((version) => {
      const { to } = version
      const health = to === null || to === url ? undefined : world.places.get(to)?.health
      return !choosesLanguage(version, world) && (health === "failed" || health === "redirect" || health === "hidden")
    })
  ),
  next_to_error: pages(({ page }, world) => page.next !== null && destination(world, page.next)?.health === "failed"),
  language_missing: docs(({ lang }) => isBlank(lang ?? "")),
  language_invalid: docs(({ lang }) => lang !== null && invalidLanguages.includes(lang)),
  viewport_missing: docs(({ viewport }) => !viewport),
  quirks_mode: docs(({ doctype }) => doctype !== "html5"),
  charset_undeclared: docs(({ charset }) => charset === "none" || charset === "late"),
  charset_not_utf8: docs(({ charset }) => charset === "latin1"),
  page_over_2mb: docs(({ bulk }) => bulk === "long"),
  markup_too_deep: docs(({ bulk }) => bulk === "deep"),
  structured_data_syntax: indexed(({ jsonLd }) => jsonLd.includes("broken")),
  structured_data_empty: indexed(({ jsonLd }) =>
    jsonLd.some(
      (kind) => kind === "list" || kind === "object" || kind === "null" || kind === "no graph" || kind === "blank"
    )
  ),
  structured_data_untyped: indexed(({ jsonLd }) =>
    jsonLd.some((kind) => kind === "contextless" || kind === "typeless")
  ),
  mixed_content: docs(
    ({ resources }, url) => url.startsWith("https:") && resources.some((each) => each.startsWith("http:"))
  )
}
