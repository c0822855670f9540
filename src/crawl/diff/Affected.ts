import type { Only } from "../frontier/Part.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"

/** Rules that judge a page by what its links lead to. */
const byLinks: ReadonlySet<string> = new Set(["broken_link", "link_to_redirect"])

/** The part of the site to measure again, to see whether the faults of a result are repaired: those of some rules, or of all. */
export const affectedBy = ({ findings }: CrawlResult, rules: ReadonlyArray<string> | null): Only => {
  const failing = findings.filter(({ rule, status }) => status === "fail" && (rules?.includes(rule) ?? true))
  const urls = failing.flatMap(({ pages }) => pages)
  const linksOf = failing.flatMap(({ pages, rule }) => (byLinks.has(rule) ? pages : []))
  return { urls: [...new Set(urls)], linksOf: [...new Set(linksOf)] }
}
