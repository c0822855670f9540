import type { PageFacts } from "../page/Page.ts"
import { collapse } from "../page/Text.ts"
import type { PageLink } from "../page/UrlIdentity.ts"
import type { Changeable, RenderingDifference } from "../report/Rendering.ts"
import { sameSite } from "../site/Site.ts"

/** The differences between the HTML of a page and the page after its scripts. */
export interface Differences {
  readonly list: ReadonlyArray<RenderingDifference>
  /** URLs of the site with links in the rendered page alone, in document order. */
  readonly linksOnlyRendered: ReadonlyArray<string>
  readonly linksOnlyRaw: ReadonlyArray<string>
  /** URLs of the site with a nofollow on their links in raw HTML alone. */
  readonly nofollowRemoved: ReadonlyArray<string>
  /** Types of structured data that raw HTML lacks. */
  readonly typesOnlyRendered: ReadonlyArray<string>
  readonly wordsOnlyRendered: number
}

const longest = 1000

const text = (value: string | null | undefined): string | null => {
  const found = collapse(value ?? "")
  return found === "" ? null : found.slice(0, longest)
}

const joined = (values: Iterable<string>): string | null => text([...new Set(values)].join(", "))

/** The first-level heading of a page. */
export const headingOf = ({ headings }: Pick<PageFacts, "headings">): string | null =>
  headings.find((heading) => heading.level === 1 && heading.text !== "")?.text ?? null

/** The URLs that a page declares as its canonical in its head. */
export const canonicalUrls = ({ canonicals }: Pick<PageFacts, "canonicals">): ReadonlyArray<string> => [
  ...new Set(canonicals.flatMap(({ inHead, url, valid }) => (valid && inHead && url !== null ? [url] : [])))
]

const robotsOf = ({ robots }: PageFacts): ReadonlyArray<string> =>
  robots.flatMap(({ agent, directives, inHead }) =>
    inHead ? directives.tokens.map((token) => (agent === "robots" ? token : `${agent}: ${token}`)) : []
  )

const hreflangsOf = ({ hreflangs }: PageFacts): ReadonlyArray<string> =>
  hreflangs.map(({ language, raw, url }) => `${language} ${url ?? raw}`).sort()

/** Types of structured data, of JSON-LD and of microdata. */
export const typesOf = ({ microdataTypes, structuredData }: PageFacts): ReadonlyArray<string> =>
  [...new Set([...structuredData.flatMap(({ types }) => types), ...microdataTypes])].sort()

/** Links that lead to pages of the site; a bare fragment is no link. */
const internal = (links: ReadonlyArray<PageLink>, url: string): ReadonlyArray<readonly [string, PageLink]> => {
  const own = new URL(url)
  return links.flatMap((link) =>
    link.target.followable && sameSite(own, new URL(link.target.url)) && link.target.url !== url
      ? [[link.target.url, link] as const]
      : []
  )
}

/** The text differs from 50 words and a tenth of the text on. */
const fewWords = 50
const share = 0.1

const differsInWords = (raw: number, rendered: number): boolean =>
  Math.abs(rendered - raw) >= fewWords && Math.abs(rendered - raw) > raw * share

/** Compares raw and rendered page; values that are not listed are equal. */
export const differencesOf = (raw: PageFacts, rendered: PageFacts): Differences => {
  const list: Array<RenderingDifference> = []
  const add = (what: Changeable, before: string | null, after: string | null) => {
    if (before !== after) list.push({ what, raw: before, rendered: after })
  }
  add("title", text(raw.title), text(rendered.title))
  add("description", text(raw.descriptions[0]), text(rendered.descriptions[0]))
  add("h1", text(headingOf(raw)), text(headingOf(rendered)))
  const words = { raw: raw.text.words, rendered: rendered.text.words }
  if (differsInWords(words.raw, words.rendered)) add("words", String(words.raw), String(words.rendered))
  add("canonical", joined(canonicalUrls(raw)), joined(canonicalUrls(rendered)))
  add("robots", joined(robotsOf(raw)), joined(robotsOf(rendered)))
  const [before, after] = [internal(raw.links, raw.url), internal(rendered.links, raw.url)]
  const [had, has] = [new Set(before.map(([url]) => url)), new Set(after.map(([url]) => url))]
  if (had.symmetricDifference(has).size > 0)
    list.push({ what: "links", raw: String(had.size), rendered: String(has.size) })
  const followed = (links: typeof before) => new Set(links.flatMap(([url, { nofollow }]) => (nofollow ? [] : [url])))
  const [followedRaw, followedRendered] = [followed(before), followed(after)]
  add("nofollow", String(had.difference(followedRaw).size), String(has.difference(followedRendered).size))
  add("hreflang", joined(hreflangsOf(raw)), joined(hreflangsOf(rendered)))
  const [typesRaw, typesRendered] = [typesOf(raw), typesOf(rendered)]
  add("structured_data", joined(typesRaw), joined(typesRendered))
  return {
    list,
    linksOnlyRendered: [...has.difference(had)],
    linksOnlyRaw: [...had.difference(has)],
    nofollowRemoved: [...had].filter((url) => !followedRaw.has(url) && followedRendered.has(url)),
    typesOnlyRendered: [...new Set(typesRendered).difference(new Set(typesRaw))],
    wordsOnlyRendered: Math.max(0, words.rendered - words.raw)
  }
}

const keyOf = ({ raw, target }: PageLink): string => (target.followable ? target.url : raw)

/**
 * The page that search engines index: the page after its scripts, with the robots directives of both versions, because the most restrictive one holds, and
 * with the links that scripts remove, because engines follow the links of raw HTML first.
 */
export const effective = (raw: PageFacts, rendered: PageFacts): PageFacts => {
  const shown = new Set(rendered.links.map(keyOf))
  const removed = raw.links.filter((link) => !shown.has(keyOf(link)))
  const said = new Set(rendered.robots.map(({ agent, content }) => `${agent} ${content}`))
  return {
    ...rendered,
    doctype: raw.doctype,
    links: [...rendered.links, ...removed],
    linkCount: rendered.linkCount + removed.length,
    parsedWholly: raw.parsedWholly && rendered.parsedWholly,
    quirks: raw.quirks,
    refresh: raw.refresh,
    robots: [...rendered.robots, ...raw.robots.filter(({ agent, content }) => !said.has(`${agent} ${content}`))],
    scriptHash: raw.scriptHash,
    scripts: raw.scripts
  }
}
