import type { EncodingDecision } from "./Encoding.ts"
import type { HeadingFacts, ImageFacts, MuteImage } from "./Images.ts"
import type { CanonicalLink, HreflangLink, PageLink, RelationLink } from "./LinkFacts.ts"
import type { MetaFacts, RobotsMeta } from "./Metas.ts"
import type { Refresh } from "./Refresh.ts"
import type { PagePart, ResourceFacts } from "./Resources.ts"
import type { StructuredDataBlock } from "./StructuredData.ts"
import type { TextFacts } from "./TextFacts.ts"

/** What one HTML document says, read without running scripts; strings are capped copies, lists capped and in document order. */
export interface PageFacts {
  /** The final URL the bytes came from. */
  readonly url: string
  readonly encoding: EncodingDecision
  /** Bytes of the document that were decoded and parsed. */
  readonly htmlBytes: number
  /** False when the parser's work budget ended before the document did (hostile nesting). */
  readonly parsedWholly: boolean
  /** False when there was no DOCTYPE; `quirks` is the mode that follows from it. */
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** The `lang` attribute of `<html>`, trimmed; null when absent. */
  readonly lang: string | null
  /** The first `<base href>` as written, or null. */
  readonly base: string | null
  /** What relative URLs of this page resolve against (HTML standard, document base URL). */
  readonly baseUrl: string
  /** `document.title` by the HTML standard; null when there is no title element, `""` when it is empty. */
  readonly title: string | null
  /** Number of HTML `title` elements in the document. */
  readonly titles: number
  /** Whether the first title stood inside `<head>`. */
  readonly titleInHead: boolean
  /** Contents of all `meta[name=description]`, as written. */
  readonly descriptions: ReadonlyArray<string>
  /** `meta` elements in order, capped at 500. */
  readonly metas: ReadonlyArray<MetaFacts>
  /** `meta` elements that address robots in general, or googlebot. */
  readonly robots: ReadonlyArray<RobotsMeta>
  readonly viewport: string | null
  /** The first `meta http-equiv=refresh` that the standard's algorithm accepts. */
  readonly refresh: Refresh | null
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  /** `<link>` elements other than canonical and hreflang: next, prev, amphtml, icon, stylesheet … */
  readonly relations: ReadonlyArray<RelationLink>
  /** `a[href]`, `area[href]`, `iframe[src]`, `frame[src]`. */
  readonly links: ReadonlyArray<PageLink>
  /** How many links the document has, also those above the cap of `links`. */
  readonly linkCount: number
  readonly headings: ReadonlyArray<HeadingFacts>
  readonly images: ReadonlyArray<ImageFacts>
  readonly imageCount: number
  /** Images with neither an `alt` attribute nor another name, decoration and what is hidden left out. */
  readonly imagesWithoutAlt: number
  /** The first hundred of them. */
  readonly muteImages: ReadonlyArray<MuteImage>
  /** Sub-resources (scripts, styles, images, media, frames) in order. */
  readonly resources: ReadonlyArray<ResourceFacts>
  /** Images, styles and scripts on the page's own host: the first three hundred that differ. */
  readonly parts: ReadonlyArray<PagePart>
  /** Sub-resources addressed by `http:` on an `https:` page. */
  readonly insecureResources: ReadonlyArray<ResourceFacts>
  /** Addresses in attributes that are neither links nor loaded: form actions, pings, citations. */
  readonly mentions: ReadonlyArray<ResourceFacts>
  /** Scripts that run: classic ones and modules, data blocks left out. */
  readonly scripts: number
  /** Whether what is shown without scripts says that the page needs them. */
  readonly asksForScripts: boolean
  readonly structuredData: ReadonlyArray<StructuredDataBlock>
  /** `itemtype` names of microdata, distinct. */
  readonly microdataTypes: ReadonlyArray<string>
  /** Open Graph (`og:…`) and `twitter:…` metas, first content of each name. */
  readonly social: Readonly<Record<string, string>>
  readonly text: TextFacts
}
