import { maskedText } from "../page/Credentials.ts"
import { plainLink } from "../page/Links.ts"
import { maxMarkup, plainTag } from "../page/Markup.ts"
import type { RobotsMeta } from "../page/Meta.ts"
import type { PagePart, ResourceFacts } from "../page/Resources.ts"
import type { CanonicalLink, HreflangLink } from "../page/UrlIdentity.ts"
import type { EvidenceItem, PagePlace } from "../report/Finding.ts"
import type { KeptLink } from "../visit/Visit.ts"
import { type Failure, type Fault, type FaultyElement, maxElements } from "./Rule.ts"
import { some } from "./Targets.ts"

/** From this number of pages on, an element is a shared cause. */
export const few = 3
/** Maximum pages that evidence names per cause. */
const maxSample = 5

/** An element that fails a check, and how many pages have it. */
export interface Cause {
  readonly element: FaultyElement
  readonly count: number
  readonly sample: ReadonlyArray<string>
}

/** The common causes of a check's failures. */
export interface Causes {
  readonly of: (element: FaultyElement) => Cause | undefined
  /** All failures have one common element. */
  readonly isOne: boolean
}

interface Tally extends Cause {
  count: number
  last: string
  readonly sample: Array<string>
}

const relative = /\b(href|src)="(?![a-z][a-z\d+.-]*:|[/#"])([^"]*)"/gi

/** Markup with relative URLs made absolute, because a template's elements write them by the depth of the page. */
const absolute = (markup: string, url: string): string =>
  markup.replace(relative, (written, name: string, reference: string) => {
    const target = URL.parse(reference, url)
    return target === null ? written : `${name}="${target.href}"`
  })

const keyOf = ({ key, markup }: FaultyElement): string => key ?? markup

/** Counts the pages of each element of a check: elements are equal if their place and their key are, as written or with absolute URLs. */
export const causesOf = (failures: ReadonlyArray<Failure>): Causes => {
  const byPlace = new Map<PagePlace, Map<string, Tally>>()
  const tallies = new Set<Tally>()
  const tallyOf = (url: string, element: FaultyElement): Tally => {
    const { place } = element
    const own = keyOf(element)
    const known = byPlace.get(place) ?? new Map<string, Tally>()
    byPlace.set(place, known)
    const key = known.has(own) ? own : absolute(own, url)
    const tally = known.get(key) ?? { element, count: 0, last: "", sample: [] }
    tallies.add(tally)
    known.set(own, tally)
    known.set(key, tally)
    return tally
  }
  const count = (url: string, element: FaultyElement) => {
    const tally = tallyOf(url, element)
    if (tally.last !== url) {
      tally.count += 1
      tally.last = url
      if (tally.sample.length < maxSample) tally.sample.push(url)
    }
  }
  for (const { elements = [], url } of failures) for (const element of elements) count(url, element)
  return {
    of: (element) => byPlace.get(element.place)?.get(keyOf(element)),
    isOne: tallies.size === 1
  }
}

/**
 * Whether the score may charge an element once for all pages: three or more pages have it, or the check has no other cause, because otherwise a fix on the
 * third page of a small site would lower the score.
 */
export const isShared = ({ isOne, of }: Causes, element: FaultyElement): boolean =>
  isOne || (of(element)?.count ?? 0) >= few

/** Whether a cause is reported once for all its pages: three or more, and over 30 % of the checked pages. */
export const isSiteWide = ({ count }: Cause, assessed: number): boolean => count >= few && 10 * count > 3 * assessed

const things: Readonly<Record<string, string>> = {
  a: "link",
  area: "area of an image map",
  button: "button",
  iframe: "iframe",
  img: "image",
  input: "field"
}

const places: Readonly<Record<PagePlace, string>> = {
  footer: "in the footer",
  head: "in the head",
  header: "in the header",
  main: "in the main content",
  nav: "in the navigation"
}

const headerLine = "Link: <"

/** A canonical as written in the page or its header. */
export const canonicalMarkup = ({ raw, source }: CanonicalLink): string =>
  source === "html" ? plainTag("link", { rel: "canonical", href: raw }) : `${headerLine}${raw}>; rel="canonical"`

/** The evidence line for all pages of a site-wide cause. */
export const itemOfCause = ({ count, element: { markup, place, value }, sample }: Cause): EvidenceItem => {
  const tag = /^<([a-z][a-z0-9-]*)/i.exec(markup)?.[1]?.toLowerCase() ?? ""
  const detail = `${count} pages, the same ${markup.startsWith(headerLine) ? "Link header" : `${things[tag] ?? "element"} ${places[place]}`}`
  const item = {
    url: sample[0] ?? "",
    detail,
    markup: markup.slice(0, maxMarkup),
    place,
    shared_by: count,
    sample
  }
  return value === undefined ? item : { ...item, value: maskedText(value) }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** Links without kept markup, written once each because pages share links. */
const written = new WeakMap<KeptLink, FaultyElement>()

/** A link as written; if only its start tag was kept, with only its text. */
export const linkElement = (link: KeptLink): FaultyElement => {
  const known = written.get(link)
  if (known !== undefined) return known
  const { kind, markup, place, raw, tag, text } = link
  const isFrame = kind === "iframe" || kind === "frame"
  const rest = kind === "a" ? `${escaped(text)}</a>` : ""
  const key = markup ?? plainLink(link) + rest
  const element = { markup: markup ?? (tag ?? plainLink(link)) + rest, key, place, link: isFrame ? null : raw }
  written.set(link, element)
  return element
}

/** The canonicals of the document, without header canonicals. */
export const canonicalElements = (links: ReadonlyArray<CanonicalLink>): ReadonlyArray<FaultyElement> =>
  links.flatMap((link) =>
    link.source === "html" ? [{ markup: canonicalMarkup(link), place: link.inHead ? "head" : "main", link: null }] : []
  )

/** The language alternates of the document, without header ones. */
export const hreflangElements = (links: ReadonlyArray<HreflangLink>): ReadonlyArray<FaultyElement> =>
  links.flatMap(({ inHead, raw, source, written: hreflang }) =>
    source === "html"
      ? [
          {
            markup: plainTag("link", { rel: "alternate", hreflang, href: raw }),
            place: inHead ? "head" : "main",
            link: null
          }
        ]
      : []
  )

/** The robots directives of the document. */
export const robotsElements = (metas: ReadonlyArray<RobotsMeta>): ReadonlyArray<FaultyElement> =>
  metas.map(({ agent, content, inHead }) => ({
    markup: plainTag("meta", { name: agent, content }),
    place: inHead ? "head" : "main",
    link: null
  }))

/** The resources that a page loads. */
export const resourceElements = (resources: ReadonlyArray<ResourceFacts>): ReadonlyArray<FaultyElement> =>
  resources.map(({ from, place, raw, tag }) => {
    const [name = "", attribute = "src"] = from.replace("]", "").split("[")
    return { markup: tag, key: plainTag(name, { [attribute]: raw }), place, link: null }
  })

/** A part on the site's own host. */
export const partElement = ({ kind, link, place, raw, tag }: PagePart): FaultyElement => ({
  markup: kind === "script" ? `${tag}</script>` : tag,
  key: `${kind} ${plainTag("img", { src: raw })}`,
  place,
  link
})

/** The distinct things of a page, as many as fit, because each needs a fix. */
export const listed = (things: ReadonlyArray<string>): string => some([...new Set(things)], maxElements)

/** The distinct things, with their number if there are several or one repeats. */
export const counted = (things: ReadonlyArray<string>, what: string): string =>
  things.length === 1 ? listed(things) : `${things.length} ${what}: ${listed(things)}`

/** The fault of links, with a few words for each; null without links. */
export const linkFault = (links: ReadonlyArray<KeptLink>, wordsFor: (link: KeptLink) => string): Fault | null => {
  const [first] = links
  return first === undefined
    ? null
    : {
        detail: counted(links.map(wordsFor), "links"),
        value: first.raw,
        elements: links.map(linkElement)
      }
}
