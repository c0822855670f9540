import { html } from "parse5"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import type { PagePlace } from "../report/Finding.ts"
import { hasCredentials, shownReference } from "./Credentials.ts"
import { linkAround, srcset } from "./Images.ts"
import { maxMarkup, startTagOf } from "./Markup.ts"
import type { Outline, Placed } from "./Outline.ts"
import { keep, tokens } from "./Text.ts"
import { type BaseUrl, httpIdentity, ownPrefixes, parseReference } from "./UrlIdentity.ts"

/** A reference to something other than a page: a sub-resource, or a URL in an attribute that is no link. */
export interface ResourceFacts {
  /** Element name and attribute, such as `script[src]`. */
  readonly from: string
  readonly raw: string
  readonly url: string | null
  readonly place: PagePlace
  /** The element's start tag as written. */
  readonly tag: string
}

/** An image, style or script that a browser loads to draw the page, on the page's own host. */
export interface PagePart {
  readonly kind: "image" | "style" | "script"
  readonly url: string
  /** The reference in the first element of the page that loads the resource. */
  readonly raw: string
  readonly place: PagePlace
  /** The start tag of that element. */
  readonly tag: string
  /** The `href` of the enclosing link, as written; null outside of links. */
  readonly link: string | null
}

const maxResources = 2000
/** Maximum parts to keep per page: above the number that a crawl requests, so the report can say that some are left. */
const maxParts = 300

/** Attributes with URLs that a browser loads with the page. */
const loaded: Readonly<Record<string, ReadonlyArray<string>>> = {
  audio: ["src"],
  embed: ["src"],
  frame: ["src"],
  iframe: ["src"],
  img: ["src", "srcset"],
  input: ["src"],
  object: ["data"],
  script: ["src"],
  source: ["src", "srcset"],
  track: ["src"],
  video: ["src", "poster"]
}

/** Attributes with a URL that is neither loaded nor a link to follow. */
const mentioned: Readonly<Record<string, ReadonlyArray<string>>> = {
  a: ["ping"],
  applet: ["archive", "codebase"],
  area: ["ping"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  del: ["cite"],
  form: ["action"],
  html: ["manifest"],
  img: ["longdesc", "dynsrc", "lowsrc"],
  input: ["formaction"],
  ins: ["cite"],
  isindex: ["action"],
  object: ["codebase"],
  q: ["cite"],
  table: ["background"],
  td: ["background"]
}

/** Elements of SVG that load their references; `xlink:href` is the old name of `href`. */
const drawn = new Set(["image", "feImage", "use", "script"])

/** `rel` tokens that make the browser load a `<link>`'s target. */
const loadingRel = new Set(["stylesheet", "icon", "preload", "modulepreload", "manifest", "apple-touch-icon"])

const written = (value: string, attribute: string): ReadonlyArray<string> =>
  attribute === "srcset" ? srcset(value.slice(0, 20_000), 20) : [value]

const among = (table: typeof loaded, name: string): ReadonlyArray<string> =>
  Object.hasOwn(table, name) ? (table[name] ?? []) : []

const loadedOf = ({ element, name, namespace }: Placed): ReadonlyArray<string> => {
  if (namespace === html.NS.SVG) return drawn.has(name) ? ["href", "xlink:href"] : []
  if (namespace !== html.NS.HTML) return []
  if (name !== "link") return among(loaded, name)
  return tokens(element.getAttribute("rel") ?? "").some((rel) => loadingRel.has(rel)) ? ["href"] : []
}

const mentionedOf = ({ name, namespace }: Placed): ReadonlyArray<string> =>
  namespace === html.NS.HTML ? among(mentioned, name) : []

/** Records a reference and its element. */
type Note = (resource: ResourceFacts, placed: Placed) => void

/** The references in these attributes of all elements, up to the cap; a loop, because large pages have many elements. */
const references = (
  { elements }: Outline,
  attributesOf: (placed: Placed) => ReadonlyArray<string>,
  base: BaseUrl,
  note: Note = () => undefined
): ReadonlyArray<ResourceFacts> => {
  const found: Array<ResourceFacts> = []
  for (const placed of elements) {
    for (const attribute of attributesOf(placed)) {
      const value = placed.element.getAttribute(attribute)
      // A reference into the document itself loads nothing.
      if (value === null || /^[\t\n\f\r ]*(?:#|$)/.test(value)) continue
      const from = `${placed.name}[${attribute}]`
      const tag = keep(startTagOf(placed.element), maxMarkup)
      for (const reference of written(value, attribute)) {
        if (found.length === maxResources) return found
        const raw = shownReference(reference)
        const resource = { from, raw, url: httpIdentity(reference, base), place: placed.place, tag }
        found.push(resource)
        note(resource, placed)
      }
    }
  }
  return found
}

/** The kind of part that a reference loads; null for media, frames and the like, and for the candidates of `srcset`. */
const kindOf = (from: string, { element }: Placed): PagePart["kind"] | null => {
  if (from === "img[src]") return "image"
  if (from === "script[src]") return "script"
  const isStyle = from === "link[href]" && tokens(element.getAttribute("rel") ?? "").includes("stylesheet")
  return isStyle ? "style" : null
}

/** Collects the distinct parts of a page on its own host. */
const partsOf = (self: string) => {
  const prefixes = ownPrefixes(new URL(self))
  const known = new Set<string>()
  const parts: Array<PagePart> = []
  const note: Note = ({ from, raw, tag, url }, placed) => {
    if (url === null || known.has(url) || parts.length === maxParts) return
    const kind = prefixes.some((prefix) => url.startsWith(prefix)) ? kindOf(from, placed) : null
    if (kind === null) return
    known.add(url)
    const { element, place } = placed
    parts.push({ kind, url, raw, place, tag, link: linkAround(element) })
  }
  return { note, parts }
}

/** The sub-resources of the document, the parts on its own host, the insecurely loaded ones, and URLs in other attributes. */
export const resources = (document: Outline, base: BaseUrl, self: string) => {
  const { note, parts } = partsOf(self)
  const found = references(document, loadedOf, base, note)
  const blocked = ({ raw, url }: ResourceFacts): URL | null => {
    const address = url === null && raw.includes("@") ? parseReference(raw, base) : null
    return address !== null && isWeb(address) && hasCredentials(address) ? address : null
  }
  const isInsecure = (each: ResourceFacts) => (each.url ?? blocked(each)?.href)?.startsWith("http:") === true
  return {
    resources: found,
    parts,
    resourcesWithCredentials: found.filter((each) => blocked(each) !== null),
    insecureResources: self.startsWith("https:") ? found.filter(isInsecure) : [],
    mentions: references(document, mentionedOf, base)
  }
}
