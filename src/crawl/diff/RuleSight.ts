import type { Category } from "../report/Finding.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import type { Rule } from "../rules/Rule.ts"

/** The scope of a rule; an unknown rule counts as one about pages. */
export const scopeOf = (rule: string): Rule["scope"] => ruleOf(rule)?.scope ?? "page"

/** Categories whose rules judge a URL by others as well unless they say otherwise, so that a part not seen may change the verdict. */
const crossing: ReadonlySet<Category> = new Set(["links", "canonicals", "redirects", "international", "sitemaps"])

/** Rules that say something of a URL which robots.txt forbids. */
export const seesBlocked = (rule: string, category: Category): boolean =>
  category === "sitemaps" || rule === "blocked_but_linked"

/** Whether the verdict on a URL rests on more than its own answer. */
export const needsOthers = (rule: string, category: Category): boolean => {
  const restsOn = ruleOf(rule)?.restsOn
  return restsOn === undefined ? crossing.has(category) : restsOn === "others" || restsOn === "confirmed"
}

/** Whether the verdict on a URL rests on addresses that are no pages of the run. */
export const needsChecks = (rule: string): boolean => ruleOf(rule)?.restsOn === "checks"

/** Whether a failure stands whatever else a run did not see: it names an error that was confirmed. */
export const isCertain = (rule: string): boolean => ruleOf(rule)?.restsOn === "confirmed"

/** Whether a rule looks only at pages that may be indexed. */
export const isEligibleOnly = (rule: string): boolean => ruleOf(rule)?.eligibleOnly === true
