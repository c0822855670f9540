import * as Schema from "effect/Schema"

/** The four Lighthouse categories that an audit reports, in the spelling of this API. */
export const Category = Schema.Literal("performance", "seo", "accessibility", "best_practices").annotations({
  identifier: "AuditCategory"
})
export type Category = typeof Category.Type

/** Lighthouse's own key of each category, in the order in which the categories are read. */
export const lighthouseKey = {
  performance: "performance",
  accessibility: "accessibility",
  best_practices: "best-practices",
  seo: "seo"
} as const satisfies Record<Category, string>

/** The categories in the order in which they are read; of two equal findings the earlier category owns it. */
export const categories: ReadonlyArray<Category> = ["performance", "accessibility", "best_practices", "seo"]
