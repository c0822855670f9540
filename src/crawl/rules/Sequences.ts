import { bareHost } from "../../foundation/schema/Scalars.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { calendarOf, folderOf, steady } from "../frontier/Traps.ts"
import { plainTag } from "../page/Markup.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { canonicalFault, naming, readLinks } from "./Canonicals.ts"
import { type Fault, isRead, perPage, type ReadPage, type Rule, readPages } from "./Rule.ts"
import { endOf, folded, hasSameText } from "./Targets.ts"

const word =
  "page[ds]?|pagination|pag|pg|p(?:a|%c3%a1)gina|seiten?|strona|str(?:a|%c3%a1)n(?:a|ka)|strani(?:ts|c)a|side|sida|sivu|oldal|sayfa|puslapis|halaman|trang"
const extension = String.raw`\.(?:s?html?|php\d?|aspx?|jsp|cfm)`

/** `/page/2`, `/seite-2`, `/page2.html`: the word marks the number as a page number. */
const inPath = new RegExp(String.raw`/(?:${word})[-_/:=]?(\d{1,6})(?:${extension})?$`, "i")
/** `?page=2`, `?start=20`, and the names of content management systems: `?PAGEN_1=2`, `?product-page=2`, `?tx_news_pi1[currentPage]=2`. */
const inQuery = new RegExp(
  [
    `(?:${word}|paging|pn|page[-_]?(?:no|nr|num(?:ber)?|index)|pagen(?:o|um|_\\d+)|cur(?:rent)?_?page)=(\\d{1,6})`,
    String.raw`(?!.*(?:per|comments?)[-_]page)[\w-]+[-_]page=(\d{1,6})`,
    String.raw`(?:page(?:\[|%5b)number|[^=]*(?:\[|%5b)(?:current)?page)(?:\]|%5d)=(\d{1,6})`,
    // Four digits may be a year; thirteen are milliseconds, by which some systems paginate a blog.
    String.raw`(?:start|offset|limitstart|skip)=(?!(?:19|20)\d\d$)(\d{1,5}|\d{13})`
  ]
    .map((each) => `^${each}$`)
    .join("|"),
  "i"
)
/** `/p2`, `/2`, `/index2.html` and `-page-2.html` may be numbers of products and copies too. */
const maybeInPath = new RegExp(
  String.raw`(?:/(?:p[-_/]?|index[-_]?)?|[-_,;.](?:${word})[-_,=]?)([1-9]\d{0,2})(?:${extension})?$`,
  "i"
)
/** `?p=2` is a post in WordPress. */
const maybeInQuery = /^p=(\d{1,4})$/i
const anyExtension = new RegExp(`${extension}$`, "i")
const hasZero = /[-_/:=,a-z]0(?!\d)/i

/** The position of a URL in a sequence: URLs with one key differ only in their number, and the first page may have none. */
interface Place {
  readonly key: string
  readonly number: number | null
}

/** A position by a number that may be something else, until other pages confirm it. */
interface MaybePlace {
  readonly key: string
  readonly number: number
  readonly isInPath: boolean
}

interface Reading {
  readonly place: Place
  readonly maybe: MaybePlace | null
}

/** The number that a pattern finds, from any of its groups. */
const numberOf = (pattern: RegExp, text: string): number | null => {
  const digits = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
  return digits === undefined ? null : Number(digits)
}

/** The position of a URL, ignoring session ids, tracking and the order of parameters. */
const readingOf = (address: string): Reading => {
  const url = new URL(steady(new URL(address)).address)
  const path = folderOf(url.pathname)
  const parameters = url.search.slice(1).split("&")
  const keyOf = (own: string, rest: ReadonlyArray<string>) =>
    `${bareHost(url.hostname)}:${url.port}${own.replace(anyExtension, "")}?${rest.join("&")}`.toLowerCase()
  const numbers = [numberOf(inPath, path), ...parameters.map((each) => numberOf(inQuery, each))].filter(
    (each) => each !== null
  )
  if (numbers.length > 0) {
    const rest = parameters.filter((each) => !inQuery.test(each))
    return { place: { key: keyOf(path.replace(inPath, ""), rest), number: Math.max(...numbers) }, maybe: null }
  }
  const place = { key: keyOf(path, parameters), number: null }
  const asked = parameters.findIndex((each) => maybeInQuery.test(each))
  const number = asked === -1 ? numberOf(maybeInPath, path) : numberOf(maybeInQuery, parameters[asked] ?? "")
  if (number === null || (asked === -1 && calendarOf(url) !== null)) return { place, maybe: null }
  const isInPath = asked === -1
  const key = isInPath ? keyOf(path.replace(maybeInPath, ""), parameters) : keyOf(path, parameters.toSpliced(asked, 1))
  return { place, maybe: { key, number, isInPath } }
}

/** The pages of one key by number, and whether a page links to a number of the key, or to the URL without one. */
interface Group {
  readonly pages: ReadonlyMap<number, ReadPage>
  readonly linksTo: (page: ReadPage | undefined, number: number | null) => boolean
}

/**
 * Whether numbered URLs are a sequence: page 2 and page 3 are linked, or there is no page 3 and pages 1 and 2 link to each other. Post and product numbers
 * have gaps, and their list has no number: in a path the list counts as page 1.
 */
const isSequenceOf = ({ linksTo, pages }: Group, isInPath: boolean, list: ReadPage | undefined): boolean => {
  const [one, two] = [pages.get(1), pages.get(2)]
  if (two === undefined) return false
  if (isInPath && (list === undefined || (one !== undefined && !hasSameText(one, list)))) return false
  if (linksTo(two, 3) || linksTo(pages.get(3), 2)) return true
  if (Math.max(...pages.keys()) > 2) return false
  return (linksTo(one, 2) || linksTo(list, 2)) && linksTo(two, isInPath ? null : 1)
}

/** The numbered sequences of a site. */
interface Sequences {
  readonly place: (address: string) => Place
  /** Whether the position is the first page's. */
  readonly isFirst: (place: Place) => boolean
  /** The first page, if its URL has a number. */
  readonly numberedFirst: (key: string) => ReadPage | undefined
}

const sequencesOf = perSite((site): Sequences => {
  const readings = new Map<string, Reading>()
  const reading = (address: string): Reading => {
    const known = readings.get(address) ?? readingOf(address)
    readings.set(address, known)
    return known
  }
  const nameOf = ({ isInPath, key }: MaybePlace) => `${isInPath ? "path" : "query"} ${key}`
  const groups = new Map<string, Map<number, ReadPage>>()
  const lists = new Map<string, ReadPage>()
  for (const page of readPages(site)) {
    const { maybe, place } = reading(page.url)
    if (place.number === null && !lists.has(place.key)) lists.set(place.key, page)
    if (maybe === null) continue
    const group = groups.get(nameOf(maybe)) ?? new Map<number, ReadPage>()
    groups.set(nameOf(maybe), group)
    if (!group.has(maybe.number)) group.set(maybe.number, page)
  }
  const shown = new Map<string, boolean>()
  const isShown = (own: MaybePlace): boolean => {
    const name = nameOf(own)
    const pages = groups.get(name) ?? new Map<number, ReadPage>()
    const linksTo: Group["linksTo"] = (page, number) =>
      page?.visit.facts.links.some(({ target }) => {
        const { maybe, place } = target.followable ? reading(target.url) : { maybe: null, place: null }
        if (maybe === null) return number === null && place?.key === own.key && place.number === null
        return maybe.number === number && nameOf(maybe) === name
      }) === true
    const found = shown.get(name) ?? isSequenceOf({ pages, linksTo }, own.isInPath, lists.get(own.key))
    shown.set(name, found)
    return found
  }
  const place = (address: string): Place => {
    const { maybe, place: own } = reading(address)
    return maybe !== null && isShown(maybe) ? maybe : own
  }
  const fromZero = new Set<string>()
  for (const { url } of site.pages) {
    const { key, number } = hasZero.test(url) ? place(url) : { key: "", number: null }
    if (number === 0) fromZero.add(key)
  }
  const isFirst = ({ key, number }: Place) => number === null || number <= (fromZero.has(key) ? 0 : 1)
  const firsts = new Map<string, ReadPage>()
  for (const page of readPages(site)) {
    const own = place(page.url)
    if (own.number !== null && isFirst(own)) firsts.set(own.key, page)
  }
  return { place, isFirst, numberedFirst: (key) => firsts.get(key) }
})

/** Whether two URLs are pages of one numbered sequence, such as `/blog/` and `/blog/page/2/`. */
export const isSequence = (one: string, other: string, site: AnalysedSite): boolean => {
  const { place } = sequencesOf(site)
  const [a, b] = [place(one), place(other)]
  return a.key === b.key && (a.number !== null || b.number !== null)
}

/** Link targets of a page outside of its sequence. */
const itemsOf = ({ visit }: ReadPage, key: string, { place }: Sequences): string =>
  [
    ...new Set(
      visit.facts.links.flatMap(({ target }) => (target.followable && place(target.url).key !== key ? target.url : []))
    )
  ]
    .sort()
    .join(" ")

/** Whether a page adds nothing to another: the server ignores the number. */
const isCopyOf = (page: ReadPage, other: ReadPage, key: string, sequences: Sequences): boolean =>
  hasSameText(page, other) &&
  folded(page.visit.facts.title) === folded(other.visit.facts.title) &&
  itemsOf(page, key, sequences) === itemsOf(other, key, sequences)

/** Whether the URL without a number shows all pages: page 1 has a number, and page 1 and this page together have hardly more words. */
const showsAll = (list: ReadPage, page: ReadPage, first: ReadPage | undefined): boolean =>
  first !== undefined &&
  first !== list &&
  !hasSameText(first, list) &&
  list.visit.facts.text.mainWords >= 0.8 * (first.visit.facts.text.mainWords + page.visit.facts.text.mainWords)

/** The fault of a later page whose canonical is another page of its sequence with other content. */
export const namesOtherPage = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const named = page.canonical.url
  if (named === null || (page.reason !== "canonical_elsewhere" && page.reason !== "canonical_variant")) return null
  const target = site.find(named)
  if (target === undefined) return null
  const other = endOf(site, target)
  const sequences = sequencesOf(site)
  const own = sequences.place(page.url)
  const place = sequences.place(other.url)
  if (sequences.isFirst(own) || place.key !== own.key || place.number === own.number) return null
  if (!isRead(other) || isCopyOf(page, other, own.key, sequences)) return null
  const isFirst = sequences.isFirst(place)
  if (isFirst && showsAll(other, page, sequences.numberedFirst(own.key))) return null
  return canonicalFault(readLinks(page), `${other.url} (${isFirst ? "page 1" : "another page"} of the list)`)
}

/** Checks of canonicals between pages of a sequence. */
export const sequenceCanonicals: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_to_first_page",
      name: "Paginated page canonicalized to page 1",
      category: "canonicals",
      severity: "warning",
      means:
        "A later page of a paginated list (/page/2/, ?page=2) is canonicalized to page 1, or to another page of the list.",
      fix: "Give each page of the list a canonical to itself.",
      source:
        "Google Search Central, Pagination best practices, Use URLs correctly; Google Search Central Blog, 5 common mistakes with rel=canonical",
      guidance: {
        why: "Each page lists different items. Search engines may drop the later pages and the links on them.",
        goal: "Give each listed page a canonical to its own URL, including the page number",
        find: "Find where the canonical of lists is made: head template, SEO plugin (some have an option for paginated pages), component or Link header. Look for code that drops the query or the last part of the path.",
        steps: [
          "Keep the page number in the canonical, and keep dropping parameters for sorting, filters and tracking.",
          "Give page 1 one URL: the one without a number if both work.",
          "If one page shows all items, later pages may use that page as canonical instead.",
          "Check page 1, page 2 and the last page of each kind of list."
        ],
        never: "set noindex on later pages, or remove the links between them"
      }
    },
    namesOtherPage,
    naming
  )
]

/** The fault of a page with a `rel=next` that leads to an error. */
const brokenNext = ({ visit }: ReadPage, site: AnalysedSite): Fault | null => {
  const isBroken = (url: string) => {
    const target = site.find(url)
    return target !== undefined && healthStateOf[endOf(site, target).reason] === "failed"
  }
  const elements = visit.facts.next.filter(({ url }) => isBroken(url))
  const headers = (visit.headerFacts?.next ?? []).filter(isBroken)
  const [first] = [...elements.map(({ raw }) => raw), ...headers]
  if (first === undefined) return null
  return {
    detail: `next page ${first}`,
    value: first,
    elements: elements.map(({ raw }) => ({
      markup: plainTag("link", { rel: "next", href: raw }),
      place: "head",
      link: null
    }))
  }
}

/** Checks of `rel=next` in the head. */
export const nextPages: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "next_to_error",
      name: "Broken rel=next link",
      category: "links",
      severity: "info",
      means: "The rel=next link of the page points to a page that returns an error.",
      fix: "Omit rel=next on the last page, or point it to an existing page.",
      source: "HTML standard §4.6.7.14, Link type next; Google Search Central, Pagination best practices",
      guidance: {
        why: "Google no longer uses rel=next, but other search engines and reading modes follow it to an error.",
        goal: "Point rel=next of each listed page to a page that returns 200, or omit it",
        find: "Find what writes rel=next (list template or SEO plugin), and how it determines the last page.",
        steps: ["Count the pages of the list with the same query that fills it.", "Omit rel=next on the last page."],
        never: "let pages after the last one return 200 with an empty list"
      }
    },
    brokenNext
  )
]
