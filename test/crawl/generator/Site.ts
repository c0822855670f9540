import type { ScriptPlan } from "./Scripted.ts"

/** A hyperlink of the generator: its markup, and its target. */
export interface LinkPlan {
  readonly written: string
  /** The normalized http(s) URL of the target; null when nobody can follow it. */
  readonly to: string | null
  readonly kind: "page" | "invalid" | "credentials" | "script" | "other"
  readonly text: string
  /** The name of its element; `a` by default. */
  readonly element?: "area" | "iframe"
  /** The text is the alternative text of an image. */
  readonly image?: boolean
  /** The text would suit any link on a page in this language. */
  readonly suitsAny?: string
  /** A control without a name: a link neither to a page nor to another site. */
  readonly isMuteControl?: true
  readonly rel?: "nofollow" | "ugc" | "sponsored" | "noopener"
  /** The whole element as markup, where its form matters. */
  readonly raw?: string
}

export interface CanonicalPlan {
  readonly written: string
  /** The http(s) URL it names; null when it is invalid. */
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

/** One list of robots directives; the flags give its effect, with any wording. */
export interface RobotsPlan {
  readonly place: "head" | "body" | "header"
  /** The addressed robot: a meta name, or the agent of an X-Robots-Tag line (null: all). */
  readonly agent: string | null
  readonly content: string
  readonly saysNoindex: boolean
  readonly saysIndex: boolean
  /** It is in effect now: noindex, none, or a past date. */
  readonly hides: boolean
  /** Search engines cannot read it as intended. */
  readonly isGarbled?: true
}

/** An HTML document as data, from which its markup and the truth about it are derived. */
export interface Doc {
  lang: string | null
  doctype: "html5" | "none" | "obsolete"
  charset: "header" | "meta" | "bom" | "none" | "late" | "latin1"
  /** Null means no title element. */
  titles: Array<string>
  titleOutsideHead: boolean
  descriptions: Array<string>
  viewport: boolean
  robots: Array<RobotsPlan>
  canonicals: Array<CanonicalPlan>
  hreflangs: Array<HreflangPlan>
  /** The URL in `link rel=next`. */
  next: string | null
  h1: Array<string>
  /** Words of the template before the content, in no landmark. */
  menu: ReadonlyArray<string>
  words: Array<string>
  /** Words of code, beside the text. */
  code: Array<string>
  links: Array<LinkPlan>
  /** Alternative texts; null for an image without the attribute. */
  images: Array<string | null>
  jsonLd: Array<
    "sound" | "graph" | "broken" | "contextless" | "typeless" | "list" | "object" | "null" | "no graph" | "blank"
  >
  /** Typed JSON-LD as text, and whether it lacks a required property. */
  typedData: Array<{ readonly text: string; readonly isFaulty: boolean }>
  /** Open Graph properties with their contents. */
  openGraph: Array<readonly [property: string, content: string]>
  /** Contents of noscript elements: whether they address search engines, and whether they are invalid in a head. */
  noscripts: Array<{
    readonly content: string
    readonly place: "head" | "body"
    readonly speaks: boolean
    readonly endsHead: boolean
  }>
  /** Images as markup, and whether their size is open. */
  pictures: Array<{ readonly markup: string; readonly isUnsized: boolean }>
  /** Names of its fragments, the targets of links; `markup` is their form in the document. */
  parts: Array<{ readonly name: string; readonly markup: string }>
  /** The first page of its numbered sequence. */
  first: string | null
  /** Its translations, named or not. */
  versions: Array<string>
  /** URLs of resources. */
  resources: Array<string>
  /** URLs of stylesheets, and of images with a name. */
  styles: Array<string>
  photos: Array<string>
  refresh: { readonly seconds: number; readonly to: string; readonly place: "meta" | "header" | "script" } | null
  bulk: "none" | "long" | "deep"
  /** The content of a base element. */
  base: string | null
  /** Nothing at all is sent. */
  empty: boolean
  /** Tags and attributes in capital letters. */
  shouting: boolean
  /** Only an empty root for a script to fill. */
  shell: boolean
  /** Intended as an error page, with any status. */
  isErrorPage: boolean
}

/** The response of a URL. */
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
  /** Responds with `first` a number of times, and with `finally` forever after. */
  | { readonly kind: "recovering"; readonly times: number; readonly first: AnswerPlan; readonly finally: AnswerPlan }

/** An image, style or script, or an external page. HEAD returns the same as GET, is refused, or returns 404. */
export interface FilePlan {
  readonly status: number
  /** Bytes of a sound response. */
  readonly length: number
  readonly head: "same" | "refused" | "wrong"
  /** Returns 200 after a number of requests. */
  readonly recovers?: number
  /** The target of a redirect. */
  readonly to?: string
}

export interface RobotsRulePlan {
  readonly allow: boolean
  readonly pattern: string
  /** Its field as written, if it is misspelled or lacks its colon and Google reads it anyway. */
  readonly field?: string
}

/** A group of agents, which replaces the default one for them. */
export interface RobotsGroupPlan {
  readonly agents: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RobotsRulePlan>
  /** Its field as written, misspelled like that of a rule. */
  readonly field?: string
  /** A line between its agents, and one after its rules, neither of which is a rule. */
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
  /** Lines in the group without effect; the flag says whether that is a mistake. */
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
  /** The text after the first syntax error of a malformed file. */
  breach?: string
  /** The compression of a file: the number of gzip members, and zeros after them. */
  packed?: { readonly members: number; readonly padding: number }
  /** The text beside each URL of an XML file, and whether it can be read. */
  hints?: { readonly text: string; readonly isWrong: boolean }
}

/** The site's response to unknown paths. */
export type MissingPlan = "not_found" | "soft_template" | "front_page"

/** A whole site as data. */
export interface Site {
  readonly seed: number
  readonly origin: string
  /** The start URL of the crawl. */
  start: string
  readonly answers: Map<string, AnswerPlan>
  readonly robots: RobotsFilePlan
  readonly sitemaps: Array<SitemapFilePlan>
  /** Failing responses of images, styles and scripts, and responses of external pages. */
  readonly files: Map<string, FilePlan>
  readonly elsewhere: Map<string, FilePlan>
  /** What scripts do to pages; their documents in `answers` are those that search engines index. */
  readonly scripted: Map<string, ScriptPlan>
  missing: MissingPlan
  /** Words at the beginning of every page, from the template. */
  readonly menu: Array<string>
  /** Every path, known or not, returns the same shell for a script. */
  drawnByScript: boolean
  /** Milliseconds to the first byte of the pages, in rotation. */
  firstBytes: ReadonlyArray<number>
  /** Names of the defects planted, for messages. */
  readonly planted: ReadonlyArray<string>
}
