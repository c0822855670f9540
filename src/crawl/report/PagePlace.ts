import * as Schema from "effect/Schema"

/** Where on the site a fault stands: a part of the page by its landmarks (HTML standard §4.3, WAI-ARIA landmark roles), or a file beside the pages. */
export const FaultPlace = Schema.Literal("header", "nav", "main", "footer", "head", "sitemap", "robots").annotations({
  identifier: "FaultPlace",
  description: "Part of a page by its landmarks, `head`, or a file beside the pages"
})
export type FaultPlace = typeof FaultPlace.Type

/** A part of a page; what stands in none of the others counts as the main content. */
export type PagePlace = Exclude<FaultPlace, "sitemap" | "robots">
