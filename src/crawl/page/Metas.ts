import { html } from "parse5"
import type { Outline, Placed } from "./Outline.ts"
import { type Refresh, refresh } from "./Refresh.ts"
import { directives, type RobotsDirectives } from "./RobotsDirectives.ts"
import { collapse, keep } from "./Strings.ts"
import type { BaseUrl } from "./UrlIdentity.ts"

/** One `meta` element; absent attributes are null, names are lower-cased and trimmed. */
export interface MetaFacts {
  readonly name: string | null
  readonly property: string | null
  readonly httpEquiv: string | null
  readonly charset: string | null
  readonly content: string | null
  /** Whether the parser left the element in `<head>`: an element that is invalid there ends the head. */
  readonly inHead: boolean
}

/** A robots `meta` element; `agent` is its lower-cased name (`robots`, `googlebot`). */
export interface RobotsMeta {
  readonly agent: string
  readonly content: string
  readonly inHead: boolean
  readonly directives: RobotsDirectives
}

const maxMetas = 500
const maxContent = 2000

/** Names of meta elements that speak of the index: to all robots, and to Googlebot, by which pages are judged. */
const robotsNames = new Set(["robots", "googlebot"])

const name = (value: string | null): string | null => (value === null ? null : keep(collapse(value).toLowerCase(), 100))

const value = (text: string | null): string | null => (text === null ? null : keep(text, maxContent))

const meta = ({ element, inHead }: Placed): MetaFacts => ({
  name: name(element.getAttribute("name")),
  property: name(element.getAttribute("property")),
  httpEquiv: name(element.getAttribute("http-equiv")),
  charset: name(element.getAttribute("charset")),
  content: value(element.getAttribute("content")),
  inHead
})

/** The `meta` elements of the document in order. */
export const metas = ({ elements }: Outline): ReadonlyArray<MetaFacts> =>
  elements
    .filter((placed) => placed.name === "meta" && placed.namespace === html.NS.HTML)
    .slice(0, maxMetas)
    .map(meta)

/** Contents of the metas of one name, in order. */
export const contentsOf = (all: ReadonlyArray<MetaFacts>, wanted: string): ReadonlyArray<string> =>
  all.flatMap((found) => (found.name === wanted && found.content !== null ? [found.content] : []))

/** The robots metas, wherever they stand: whether one in the body counts is the reader's decision. */
export const robotsMetas = (all: ReadonlyArray<MetaFacts>): ReadonlyArray<RobotsMeta> =>
  all.flatMap(({ content, inHead, name: agent }) =>
    agent !== null && robotsNames.has(agent) && content !== null
      ? [{ agent, content, inHead, directives: directives(content) }]
      : []
  )

/** The first refresh that the standard accepts. */
export const metaRefresh = (all: ReadonlyArray<MetaFacts>, base: BaseUrl, self: string): Refresh | null => {
  for (const { content, httpEquiv } of all) {
    const found = httpEquiv === "refresh" && content !== null ? refresh(content, base, self) : null
    if (found !== null) return found
  }
  return null
}

/** Open Graph properties and Twitter names with the first content of each; some sites write one where the other belongs. */
export const social = (all: ReadonlyArray<MetaFacts>): Readonly<Record<string, string>> => {
  const found = all.flatMap(({ content, name: key, property }) => {
    const wanted = [property, key].find((label) => label !== null && /^(?:og|twitter):/.test(label))
    return wanted && content !== null ? [[wanted, content] as const] : []
  })
  return Object.fromEntries(found.reverse())
}
