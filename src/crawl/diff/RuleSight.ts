import type { Category } from "../report/Finding.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import type { Rule } from "../rules/Rule.ts"

/** The scope of a rule; an unknown rule counts as one about pages. */
export const scopeOf = (rule: string): Rule["scope"] => ruleOf(rule)?.scope ?? "page"

/** Categories whose rules judge a URL by others as well, so that what a run did not see may speak for or against it. */
const crossing: ReadonlySet<Category> = new Set(["links", "canonicals", "redirects", "international", "sitemaps"])

/** Of those categories the rules that look at one answer alone: that of the URL, or of the sitemap's usual place. */
export const ownAnswer: ReadonlySet<string> = new Set([
  "link_invalid",
  "link_script",
  "link_text_missing",
  "canonical_missing",
  "canonical_conflicting",
  "canonical_invalid",
  "canonical_relative",
  "canonical_fragment",
  "canonical_outside_head",
  "canonical_cross_site",
  "hreflang_invalid",
  "hreflang_conflicting",
  "hreflang_self_missing",
  "language_missing",
  "redirect_offsite",
  "redirect_without_target",
  "redirect_downgrade",
  "meta_refresh",
  "sitemap_missing",
  "sitemap_named_but_absent",
  "sitemap_values_invalid"
])

/** Of the others those whose failure stands whatever else a run did not see: it names an error that was confirmed. */
export const certain: ReadonlySet<string> = new Set([
  "broken_link",
  "redirect_to_error",
  "canonical_to_error",
  "sitemap_lists_errors"
])

/** Rules of other categories that compare pages. */
export const comparing: ReadonlySet<string> = new Set([
  "blocked_but_linked",
  "noindex_with_canonical",
  "start_hidden",
  "title_duplicate",
  "description_duplicate",
  "content_duplicate",
  "content_near_duplicate"
])

/** Rules that look only at pages that may be indexed. */
export const eligibleOnly: ReadonlySet<string> = new Set([
  "canonical_missing",
  "title_duplicate",
  "description_duplicate",
  "content_duplicate",
  "content_near_duplicate",
  "orphan_page",
  "page_not_in_sitemap"
])

/** Rules that say something of a URL which robots.txt forbids. */
export const seesBlocked = (rule: string, category: Category): boolean =>
  category === "sitemaps" || rule === "blocked_but_linked"

/** Whether the verdict on a URL rests on more than its own answer. */
export const needsOthers = (rule: string, category: Category): boolean =>
  comparing.has(rule) || (crossing.has(category) && !ownAnswer.has(rule))
