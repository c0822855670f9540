import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"

/** Which pages of a crawl a browser renders. */
export const Render = Schema.Literal("auto", "always", "never").annotations({
  identifier: "Render",
  description:
    "Which pages a browser renders: `auto`: those that scripts change, `always`: all with scripts, `never`: none"
})
export type Render = typeof Render.Type

/** Why a page that runs scripts was not rendered, or why its rendering failed. */
export const RenderingReason = Schema.Literal(
  "noindex",
  "not_200",
  "blocked",
  "template_same",
  "budget",
  "no_browser",
  "off",
  "time",
  "memory",
  "crashed",
  "too_large",
  "reload"
).annotations({
  identifier: "RenderingReason",
  description:
    "Why a page was not rendered (`noindex` to `off`), or why its rendering failed (`time` to `reload`, or `no_browser`). `blocked`: Googlebot may not fetch it; `template_same`: scripts change nothing on other pages of its template; `budget`: a limit of the crawl"
})
export type RenderingReason = typeof RenderingReason.Type

/** Why a server or machine renders nothing. */
export const RenderingOffReason = Schema.Literal(
  "off",
  "no_browser",
  "wrong_path",
  "no_sandbox",
  "no_shared_memory",
  "not_started"
).annotations({
  identifier: "RenderingOffReason",
  description:
    "Why nothing is rendered: `off` (FINDABLE_RENDER), `no_browser`, `wrong_path` (CHROME_PATH names no file), `no_sandbox`, `no_shared_memory`, or `not_started` for other reasons; the command `doctor` says what to do"
})
export type RenderingOffReason = typeof RenderingOffReason.Type

/** The values of a page that scripts may change. */
export const Changeable = Schema.Literal(
  "title",
  "description",
  "h1",
  "words",
  "canonical",
  "robots",
  "links",
  "nofollow",
  "hreflang",
  "structured_data"
).annotations({
  identifier: "RenderingChange",
  description:
    "What differs. `words` and `links` are counts: words of the text, and URLs of the site that the page links to. `nofollow` counts links with that value, and `hreflang` and `structured_data` list what the page declares"
})
export type Changeable = typeof Changeable.Type

/** One value of a page before and after its scripts. */
export const RenderingDifference = Schema.Struct({
  what: field(Changeable, "What differs"),
  raw: Schema.NullOr(Schema.String).annotations({
    description: "Value in the HTML that the server sends; null if none"
  }),
  rendered: Schema.NullOr(Schema.String).annotations({ description: "Value after scripts; null if none" })
}).annotations({ identifier: "RenderingDifference", description: "A value of a page before and after its scripts" })
export type RenderingDifference = typeof RenderingDifference.Type

/** The scripts of a page and their changes. */
export const PageRendering = Schema.Struct({
  state: Schema.Literal("rendered", "not_rendered", "failed").annotations({
    description: "Whether the page was rendered in a browser; only then its other values are those after scripts"
  }),
  reason: Schema.NullOr(RenderingReason).annotations({
    description: "Why it was not rendered, or why rendering failed; null if it was rendered"
  }),
  differences: Schema.Array(RenderingDifference).annotations({
    description: "Values that scripts change, add or remove; empty if it was not rendered"
  }),
  links_only_rendered: Schema.Int.annotations({
    description: "URLs of the site that only links added by scripts point to"
  }),
  requests: Schema.Int.annotations({ description: "Requests of its scripts and styles that Findable answered" }),
  refused: Schema.Array(
    Schema.Struct({
      url: Schema.String.annotations({ description: "URL that the page requested" }),
      why: Schema.String.annotations({ description: "Reason in one word, such as `robots`, `method` or `time`" })
    }).annotations({ identifier: "RenderingRefusal", description: "A request of a page that got no response" })
  ).annotations({ description: "Requests of the page that got no response, at most 50" }),
  errors: Schema.Array(Schema.String).annotations({ description: "Uncaught errors of its scripts, at most 20" }),
  redirect: Schema.NullOr(Schema.String).annotations({
    description: "URL that a script redirects to; null if none does"
  })
}).annotations({ identifier: "PageRendering", description: "The scripts of a page and their changes" })
export type PageRendering = typeof PageRendering.Type

/** Reasons that leave the content after scripts open, in a crawl that renders. For the other reasons engines do not render either, or the template is known. */
const opening: ReadonlySet<RenderingReason | null> = new Set<RenderingReason>([
  "budget",
  "no_browser",
  "time",
  "memory",
  "crashed",
  "too_large",
  "reload"
])

/** Whether the content of a page after its scripts is unknown. */
export const isUnseen = (rendering: PageRendering | null): boolean =>
  rendering !== null && rendering.state !== "rendered" && opening.has(rendering.reason)

/** Whether the crawl rendered pages, or would have. */
export const isRendering = ({ mode }: RenderingSummary): boolean => mode === "auto" || mode === "always"

/** Pages of one template: the same kind of URL with the same scripts. */
const RenderingTemplate = Schema.Struct({
  example: Schema.String.annotations({ description: "URL of its first page" }),
  pages: Schema.Int.annotations({ description: "Crawled pages of the template" }),
  rendered: Schema.Int.annotations({ description: "Pages of it that were rendered" }),
  differs: Schema.Boolean.annotations({ description: "Whether scripts change a value on one of them" })
}).annotations({
  identifier: "RenderingTemplate",
  description: "Pages of the same kind of URL with the same scripts"
})
export type RenderingTemplate = typeof RenderingTemplate.Type

/** The rendered pages of a crawl, and the reasons for others. */
export const RenderingSummary = Schema.Struct({
  mode: Schema.Literal("auto", "always", "never", "off").annotations({
    description: "What was requested, or `off` if this server or machine renders nothing"
  }),
  reason: Schema.NullOr(RenderingOffReason).annotations({
    description: "Why the mode is `off`; null in other modes"
  }),
  browser: Schema.NullOr(Schema.String).annotations({
    description: "Browser and version, such as `HeadlessChrome/156.0.8078.108`; null if none was started"
  }),
  rendered: Schema.Int.annotations({ description: "Pages that were rendered" }),
  failed: Schema.Int.annotations({ description: "Pages whose rendering failed" }),
  not_rendered: field(
    Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({
      identifier: "NotRenderedPages",
      description: "Pages with scripts that were not rendered, by reason"
    }),
    "Pages with scripts that were not rendered, by reason"
  ),
  requests: Schema.Int.annotations({
    description: "Requests for scripts, styles and data of pages; each URL is requested once in a crawl"
  }),
  templates: Schema.Array(RenderingTemplate).annotations({
    description: "Templates of pages with scripts, in the order of their first pages"
  })
}).annotations({
  identifier: "RenderingSummary",
  description: "The rendered pages of a crawl, and the reasons for others"
})
export type RenderingSummary = typeof RenderingSummary.Type

/** Evidence of checks that scripts may change, in a crawl that runs none. */
export const scriptsNotRun = "scripts were not run"

/** How many pages with scripts were rendered, in words. */
export const renderedShare = ({ failed, not_rendered, rendered }: RenderingSummary): string => {
  const left = Object.values(not_rendered).reduce((sum, count) => sum + count, failed)
  return `${rendered} of ${rendered + left} pages with scripts were rendered`
}

/** The summary of a crawl by a version that rendered nothing. */
export const nothingRendered: RenderingSummary = {
  mode: "off",
  reason: null,
  browser: null,
  rendered: 0,
  failed: 0,
  not_rendered: {},
  requests: 0,
  templates: []
}
