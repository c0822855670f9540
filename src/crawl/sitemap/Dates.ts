import { instant } from "../page/Instant.ts"

/** What the entries of sitemaps say together of the time at which their pages changed. */
export interface SitemapDates {
  /** Entries with a date. */
  readonly dated: number
  /** The one date that all of them have, as written; null when there is none or they differ. */
  readonly only: string | null
  /** The latest date. */
  readonly latest: { readonly url: string; readonly written: string; readonly millis: number } | null
}

export const noDates: SitemapDates = { dated: 0, only: null, latest: null }

/** A year or a month stands for its first day (W3C Date and Time Formats), so that only what is certainly later counts as later. */
const millisOf = (written: string): number | null => {
  const month = /^\d{4}$/.test(written) ? `${written}-01` : written
  return instant(/^\d{4}-\d{2}$/.test(month) ? `${month}-01` : month)
}

/** The dates with that of one more entry; null stands for an entry without one. */
export const withDate = (dates: SitemapDates, url: string, written: string | null): SitemapDates => {
  if (written === null) return dates
  const dated = dates.dated + 1
  // The same text again says nothing new.
  if (written === dates.only) return { ...dates, dated }
  const millis = millisOf(written)
  const isLater = millis !== null && (dates.latest === null || millis > dates.latest.millis)
  const latest = isLater ? { url, written, millis } : dates.latest
  return { dated, only: dates.dated === 0 ? written : null, latest }
}
