import type { AnalysedSite } from "../analysis/AnalysedSite.ts"

/**
 * Rules about what scripts may add to a page or put in its place. Of a site that shows nothing without its scripts they would
 * speak of the shell. What counts before any script runs is judged all the same: answers, redirects, robots, and directives.
 */
export const rendered: ReadonlySet<string> = new Set([
  "canonical_missing",
  "title_missing",
  "title_long",
  "description_missing",
  "description_long",
  "h1_missing",
  "h1_multiple",
  "thin_content",
  "image_alt_missing",
  "title_duplicate",
  "description_duplicate",
  "content_duplicate",
  "content_near_duplicate",
  "broken_link",
  "link_to_redirect",
  "link_invalid",
  "link_script",
  "link_text_missing",
  "link_nofollow_internal",
  "dead_end",
  "page_deep",
  "orphan_page",
  "page_not_in_sitemap",
  "hreflang_self_missing",
  "hreflang_no_return",
  "structured_data_untyped"
])

/** Why a rule cannot be assessed on a site that needs its scripts to be seen; null when it can. */
export const unseen = ({ needsJavascript }: AnalysedSite, rule: string): string | null =>
  needsJavascript !== null && rendered.has(rule)
    ? "without running its scripts the site shows next to nothing, and they may change this"
    : null
