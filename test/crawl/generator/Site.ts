/** A hyperlink as the generator means it: how it is written, and where it leads if anywhere. */
export interface LinkPlan {
  readonly written: string
  /** The identity of the http(s) URL it leads to; null when nobody can follow it. */
  readonly to: string | null
  readonly kind: "page" | "invalid" | "credentials" | "script" | "other"
  readonly text: string
  /** What it is written as; an `a` when absent. */
  readonly element?: "area" | "iframe"
  /** The text is the alternative text of an image. */
  readonly image?: boolean
  /** The text would suit any link on a page in this language. */
  readonly suitsAny?: string
  /** A control without a name: neither a link to a page nor to another site. */
  readonly isMuteControl?: true
  readonly rel?: "nofollow" | "ugc" | "sponsored" | "noopener"
  /** The whole element as it stands in the document, where the way it is written is the point. */
  readonly raw?: string
}

export interface CanonicalPlan {
  readonly written: string
  /** The http(s) URL it names; null when it is not valid. */
  readonly to: string | null
  readonly place: "head" | "body" | "header"
}

export interface HreflangPlan {
  readonly language: string
  readonly written: string
  readonly to: string | null
  readonly isTag: boolean
  readonly place: "head" | "header" | "sitemap"
}

/** One robots directive list; the flags say what it means, whatever its words. */
export interface RobotsPlan {
  readonly place: "head" | "body" | "header"
  /** Whom it addresses: a meta name, or the agent of an X-Robots-Tag line (null: everybody). */
  readonly agent: string | null
  readonly content: string
  readonly saysNoindex: boolean
  readonly saysIndex: boolean
  /** It takes effect now: noindex, none, or a date that has passed. */
  readonly hides: boolean
  /** Engines cannot read it as its author means it. */
  readonly isGarbled?: true
}

/** An HTML document as data: the markup is drawn from it, and so is what is true of it. */
export interface Doc {
  lang: string | null
  doctype: "html5" | "none" | "obsolete"
  charset: "header" | "meta" | "bom" | "none" | "late" | "latin1"
  /** Null stands for no title element. */
  titles: Array<string>
  titleOutsideHead: boolean
  descriptions: Array<string>
  viewport: boolean
  robots: Array<RobotsPlan>
  canonicals: Array<CanonicalPlan>
  hreflangs: Array<HreflangPlan>
  /** The address that `link rel=next` names. */
  next: string | null
  h1: Array<string>
  /** Words of the template before the content, in no landmark. */
  menu: ReadonlyArray<string>
  words: Array<string>
  /** Words of code, which stands beside the text. */
  code: Array<string>
  links: Array<LinkPlan>
  /** Alternative texts; null for an image without the attribute. */
  images: Array<string | null>
  jsonLd: Array<
    "sound" | "graph" | "broken" | "contextless" | "typeless" | "list" | "object" | "null" | "no graph" | "blank"
  >
  /** Typed JSON-LD as text, and whether it lacks what its type requires. */
  typedData: Array<{ readonly text: string; readonly isFaulty: boolean }>
  /** Open Graph properties with their contents. */
  openGraph: Array<readonly [property: string, content: string]>
  /** Contents of noscript elements: whether they speak to engines, and whether they hold what may not stand in a head. */
  noscripts: Array<{
    readonly content: string
    readonly place: "head" | "body"
    readonly speaks: boolean
    readonly endsHead: boolean
  }>
  /** Images as they stand in the document, and whether nothing says how large they are. */
  pictures: Array<{ readonly markup: string; readonly isUnsized: boolean }>
  /** Names of its parts, by which links reach them; `markup` is how they stand in the document. */
  parts: Array<{ readonly name: string; readonly markup: string }>
  /** The first page of the numbered sequence that it is one of. */
  first: string | null
  /** Its translations, whether it names them or not. */
  versions: Array<string>
  /** Addresses of sub-resources. */
  resources: Array<string>
  /** Addresses of stylesheets, and of images that have a name. */
  styles: Array<string>
  photos: Array<string>
  refresh: { readonly seconds: number; readonly to: string; readonly place: "meta" | "header" } | null
  bulk: "none" | "long" | "deep"
  /** What a base element says. */
  base: string | null
  /** Nothing at all is sent. */
  empty: boolean
  /** Tags and attributes in capital letters. */
  shouting: boolean
  /** Nothing but an empty root for a script to fill. */
  shell: boolean
  /** Meant as an error page, whatever its status says. */
  isErrorPage: boolean
}

/** What a URL answers. */
export type AnswerPlan =
  | { readonly kind: "page"; readonly doc: Doc }
  | { readonly kind: "redirect"; readonly status: number; readonly written: string | null; readonly to: string | null }
  | { readonly kind: "error"; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: "challenge"; readonly how: "header" | "page" }
  | { readonly kind: "fault"; readonly fault: "timeout" | "reset" | "protocol" }
  | { readonly kind: "file"; readonly hides: boolean }
  | { readonly kind: "huge" }
  /** The site does not know the path: see `MissingPlan`. */
  | { readonly kind: "missing" }
  /** Answers `first` so many times and then as `finally` for good. */
  | { readonly kind: "recovering"; readonly times: number; readonly first: AnswerPlan; readonly finally: AnswerPlan }

/** An image, style or script, or a page of another site. HEAD is answered as GET is, or refused, or as if nothing was there. */
export interface FilePlan {
  readonly status: number
  /** Bytes of a sound answer. */
  readonly length: number
  readonly head: "same" | "refused" | "wrong"
  /** After so many requests it answers 200. */
  readonly recovers?: number
  /** Where a redirect leads. */
  readonly to?: string
}

export interface RobotsRulePlan {
  readonly allow: boolean
  readonly pattern: string
  /** Its field as the file has it, where that is misspelt or lacks its colon and Google reads it all the same. */
  readonly field?: string
}

/** A group of agents, which obey it instead of the default one. */
export interface RobotsGroupPlan {
  readonly agents: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RobotsRulePlan>
  /** Its field as the file has it, misspelt as that of a rule may be. */
  readonly field?: string
  /** A line between its agents, and one behind its rules, neither of which is a rule. */
  readonly between?: string
  readonly behind?: string
}

export interface RobotsFilePlan {
  kind: "parsed" | "absent" | "unreachable"
  status: number
  /** Rules of the default group, in order. */
  rules: Array<RobotsRulePlan>
  groups: Array<RobotsGroupPlan>
  /** More than 500 KiB of comments before the end. */
  overlong: boolean
  /** Lines in the group that nobody obeys; the flag says whether that is a mistake. */
  strange: Array<{ readonly line: string; readonly isWrong: boolean }>
  /** An HTML page is sent in its place. */
  isHtml: boolean
  /** Values of Sitemap lines. */
  sitemaps: Array<string>
}

export type SitemapForm = "xml" | "text" | "rss" | "atom"

export interface SitemapFilePlan {
  readonly url: string
  readonly kind: "urls" | "index"
  readonly form: SitemapForm
  /** Page URLs, or the files of an index. */
  readonly listed: Array<string>
  fault:
    | "none"
    | "absent"
    | "error"
    | "malformed"
    | "not_a_sitemap"
    | "empty"
    | "text_ahead"
    | "blank_ahead"
    | "undeclared"
    | "trailing"
  /** What ends the sense of a malformed file. */
  breach?: string
  /** How a file is packed that is sent as gzip: in so many members, and zeros behind them. */
  packed?: { readonly members: number; readonly padding: number }
  /** What stands beside each address of an XML file, and whether it can be read. */
  hints?: { readonly text: string; readonly isWrong: boolean }
}

/** How the site answers paths that it does not have. */
export type MissingPlan = "not_found" | "soft_template" | "front_page"

/** A whole site as data. */
export interface Site {
  readonly seed: number
  readonly origin: string
  /** Where the crawl is told to begin. */
  start: string
  readonly answers: Map<string, AnswerPlan>
  readonly robots: RobotsFilePlan
  readonly sitemaps: Array<SitemapFilePlan>
  /** What images, styles and scripts answer that are not in order, and pages of other sites. */
  readonly files: Map<string, FilePlan>
  readonly elsewhere: Map<string, FilePlan>
  missing: MissingPlan
  /** Words with which the template begins every page. */
  readonly menu: Array<string>
  /** Every path, known or not, is answered with the same shell for a script. */
  drawnByScript: boolean
  /** Milliseconds to the first byte of the pages, one after the other in turns. */
  firstBytes: ReadonlyArray<number>
  /** Names of the defects planted, for messages. */
  readonly planted: ReadonlyArray<string>
}
