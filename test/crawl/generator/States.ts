import type { FetchState, IndexabilityState } from "../../../src/crawl/report/MeasuredPage.ts"
import { isEndless, settled } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import { isAsked } from "./ModelVerdict.ts"
import type { Place, World } from "./World.ts"

/** The result of the request for a URL. */
export const fetchStateFor = ({ site }: World, { reason, url }: Place): FetchState => {
  if (/^(?:robots_unreachable|action_link)$/.test(reason)) return "not_fetched"
  if (!isAsked(site, url)) return isAllowed(site, url) ? "not_fetched" : "blocked_by_robots"
  switch (settled(site, url).kind) {
    case "redirect":
      return "redirected"
    case "error":
    case "challenge":
      return "http_error"
    case "fault":
      return reason === "timed_out" ? "timed_out" : "connection_failed"
    case "file":
      return "not_html"
    case "huge":
      return "too_large"
    default:
      return "fetched"
  }
}

/** Whether a URL is indexable. */
export const indexabilityFor = ({ health, reason }: Place): IndexabilityState => {
  if (health === "eligible") return "indexable"
  if (health === "redirect" || health === "failed") return "not_indexable"
  if (health === "unchecked") return "unknown"
  if (reason === "blocked_by_robots") return "blocked_by_robots"
  return /^canonical_/.test(reason) ? "canonicalised" : "noindex"
}

/** Whether a URL counts as a page of the site: crawled or not, but no redirect, error or file, and not endless. */
export const isPage = ({ health, reason, url }: Place): boolean =>
  health !== "redirect" && health !== "failed" && reason !== "not_html" && reason !== "action_link" && !isEndless(url)
