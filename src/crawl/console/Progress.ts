import { plural } from "../../foundation/text/Words.ts"
import type { CrawlEvent } from "../report/CrawlEvent.ts"
import { columns, fit } from "./Text.ts"

/** The line that says how far a crawl is; it fits the terminal and holds no control characters. */
export const progressLine = (event: CrawlEvent): string => {
  switch (event._tag) {
    case "Phase":
      return `${event.phase} …`
    case "Page": {
      const { pages_discovered, pages_failed, pages_fetched } = event.counters
      const failed = pages_failed === 0 ? "" : `, ${pages_failed} without answer`
      const status = event.page.http_status ?? event.page.fetch_state
      const counts = `${pages_fetched} of ${plural(pages_discovered, "URL")}${failed}`
      return fit(`${counts}  ${status}  ${event.page.url}`, columns)
    }
    case "Finished":
      return `finished: ${plural(event.report.summary.pages.fetched, "page")} read`
  }
}
