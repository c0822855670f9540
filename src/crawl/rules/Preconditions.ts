import { plural } from "../../foundation/text/Words.ts"
import { leavesOpen } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { type Checks, having, unasked } from "../run/Checks.ts"
import { isReadInPart } from "../visit/Visit.ts"
import type { Precondition } from "./Rule.ts"

/** The end of the sentence that a page was not seen to its end. */
export const readInPart = "could only be read in part, because of their size"

/** The run ended at a limit, so pages it never saw may speak against the claim. */
export const sawEverything: Precondition = ({ isPart, pages, termination, unlisted }: AnalysedSite) => {
  if (termination === "max-duration") return "the run reached its time limit before it had seen every page"
  if (termination === "max-pages" || unlisted > 0) return "the run reached its page limit before it had seen every page"
  const inPart = pages.filter(({ visit }) => visit !== null && isReadInPart(visit)).length
  if (inPart > 0) return `${inPart} of the site's pages ${readInPart}`
  const open = pages.filter(leavesOpen).length
  if (open > 0) return `${open} of the site's URLs could not be verified`
  return isPart ? "the run covered only part of the site" : null
}

/** The options left nothing out: a page that was not read may have the link that another one lacks. */
export const leftNothingOut: Precondition = ({ pages }) => {
  const count = pages.filter(({ reason }) => reason === "excluded").length
  return count === 0 ? null : `the options of the run leave out ${plural(count, "URL")}, which may lead there`
}

/** The sitemaps were read to their end. */
export const readSitemap: Precondition = ({ sitemap }) => {
  if (sitemap === null) return "the run ended before the sitemap was read"
  return sitemap.complete ? null : "not every sitemap could be read in full"
}

/** The site has a sitemap with pages in it. */
export const hasSitemap: Precondition = ({ sitemap }) =>
  sitemap === null
    ? "the run ended before the sitemap was read"
    : sitemap.urls.length === 0
      ? "the site has no readable sitemap"
      : null

/** Every address besides the pages was asked for, and answered; what is closed to crawlers is not looked at. `one` of them with `of`, what they belong to, is named in the reason. */
export const answered = (checks: Checks | null, one: string, of: string): string | null => {
  if (checks === null) return `the run ended before it asked for ${one}s ${of}`
  const [late, silent] = [unasked(checks), having(checks, "unverified")]
  const reasons = [
    ...(late === 0 ? [] : [`the run had no turn for ${plural(late, one)} ${of}`]),
    ...(silent === 0 ? [] : [`${plural(silent, one)} ${of} gave no certain answer`])
  ]
  return reasons.length === 0 ? null : reasons.join("; ")
}

/** All of them, with the reason of the first that is not met. */
export const all =
  (...preconditions: ReadonlyArray<Precondition>): Precondition =>
  (site) =>
    preconditions.reduce<string | null>((reason, precondition) => reason ?? precondition(site), null)
