import type { PagePlace } from "../report/PagePlace.ts"

/** Where a reference leads, or why the crawl cannot follow it. */
export type LinkTarget =
  | {
      readonly followable: true
      /** The URL's identity: absolute, no fragment, percent-escapes upper-cased. */
      readonly url: string
      /** The fragment without `#`, null when absent. */
      readonly fragment: string | null
    }
  | {
      readonly followable: false
      /** `scheme`: not http(s) (mailto, tel, javascript, data, blob …); `edge`: `/cdn-cgi/`; `too_long`: above 2,048 characters; `invalid`: does not parse. */
      readonly reason: "scheme" | "edge" | "too_long" | "invalid"
      /** The scheme with `:` for `scheme`, otherwise the reference as written. */
      readonly detail: string
    }

/** A hyperlink or nested document of the page. */
export interface PageLink {
  readonly kind: "a" | "area" | "iframe" | "frame"
  /** The attribute as written, trimmed and capped. */
  readonly raw: string
  readonly target: LinkTarget
  /** Lower-cased `rel` tokens in order. */
  readonly rel: ReadonlyArray<string>
  /** True when `rel` holds nofollow, ugc or sponsored. */
  readonly nofollow: boolean
  /** Anchor text (or the `alt` of images inside, `alt` of an area, `title` of a frame), collapsed, ≤ 200 characters. */
  readonly text: string
  /** It has an accessible name, or is hidden and needs none. */
  readonly isNamed: boolean
  /** Its script opens or closes something on the page: it would lead nowhere if it were an address. */
  readonly isToggle: boolean
  /** Whether the link stands inside `<noscript>`. */
  readonly inNoscript: boolean
  readonly place: PagePlace
  /** The element, of links at which the page alone may show a fault: without a name, without an address, or with nofollow; null for others. */
  readonly markup: string | null
}

/** A `rel=canonical`, from a `<link>` element or a `Link` header. */
export interface CanonicalLink {
  readonly source: "html" | "header"
  readonly raw: string
  /** Resolved identity, null when `valid` is false. */
  readonly url: string | null
  /** False for an empty, unparsable or non-http(s) reference. */
  readonly valid: boolean
  /** Whether the reference was already absolute as written. */
  readonly absolute: boolean
  /** The fragment of the reference without `#`, null when absent. */
  readonly fragment: string | null
  /** True for headers, and for elements that the parser left in `<head>`. */
  readonly inHead: boolean
}

/** A `rel=alternate hreflang`, from a `<link>` element or a `Link` header. */
export interface HreflangLink {
  readonly source: "html" | "header"
  /** The language as written, lower-cased and trimmed. */
  readonly language: string
  /** The same as the page writes it, in its case. */
  readonly written: string
  /** Whether the language is `x-default` or a language[-script][-region] tag whose codes are assigned. */
  readonly wellFormed: boolean
  readonly raw: string
  readonly url: string | null
  readonly inHead: boolean
}

/** Any other `<link rel href>`. */
export interface RelationLink {
  readonly rel: ReadonlyArray<string>
  readonly raw: string
  readonly url: string | null
  readonly type: string | null
  readonly media: string | null
  readonly inHead: boolean
}
