import { instant } from "../page/Instant.ts"
import { isDate } from "./Hints.ts"

/** What the entries of sitemaps say together of the time at which their pages changed. */
export interface SitemapDates {
  /** Entries with a date that can be read. */
  readonly dated: number
  /** The one date that all of them have, as written; null when there is none or they differ. */
  readonly only: string | null
  /** The latest date. */
  readonly latest: { readonly url: string; readonly written: string; readonly millis: number } | null
}

export const noDates: SitemapDates = { dated: 0, only: null, latest: null }

/** Feeds write the name of the month (RFC 822 §5). */
const isFeedDate = /^(?:[a-z]{3},\s*)?\d{1,2} [a-z]{3} \d{2,4}\b/i

/** A year or a month stands for its first day (W3C Date and Time Formats), so that only what is certainly later counts as later. */
const millisOf = (written: string): number | null => {
  if (!isDate(written)) return isFeedDate.test(written) ? instant(written) : null
  const [year = "", month = "01", ...rest] = written.split("-")
  return instant(rest.length === 0 ? `${year}-${month}-01` : written)
}

/** The dates with that of one more entry; one that cannot be read counts as none. */
export const withDate = (dates: SitemapDates, url: string, written: string | null): SitemapDates => {
  if (written === null) return dates
  // The same text again says nothing new.
  if (written === dates.only) return { ...dates, dated: dates.dated + 1 }
  const millis = millisOf(written)
  if (millis === null) return dates
  const isLater = dates.latest === null || millis > dates.latest.millis
  const latest = isLater ? { url, written, millis } : dates.latest
  return { dated: dates.dated + 1, only: dates.dated === 0 ? written : null, latest }
}
