import { instant } from "../page/Meta.ts"

/** Year, month, day, or an instant with its zone, in W3C format (W3C NOTE-datetime); an instant without a zone is invalid. */
const w3cDate =
  /^\d{4}(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?)?)?$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Whether the text is a valid date of a sitemap. */
export const isDate = (text: string): boolean => {
  const found = w3cDate.exec(text)
  return found !== null && Number(found[2] ?? 1) <= daysIn(Number(text.slice(0, 4)), Number(found[1] ?? 1))
}

/** Modification dates of all sitemap entries. */
export interface SitemapDates {
  /** Number of entries with a readable date, without news. */
  readonly dated: number
  /** The common date of all entries, as written; null without dates or with different ones. */
  readonly only: string | null
  /** Number of news entries: they cover two days at most, so equal dates mean nothing (Google Search Central, News sitemaps). */
  readonly news: number
  /** The latest date. */
  readonly latest: { readonly url: string; readonly written: string; readonly millis: number } | null
}

export const noDates: SitemapDates = { dated: 0, only: null, news: 0, latest: null }

/** Feeds write the month's name (RFC 822 §5). */
const isFeedDate = /^(?:[a-z]{3},\s*)?\d{1,2} [a-z]{3} \d{2,4}\b/i

/** The first moment of a date: a year or a month counts as its first day (W3C Date and Time Formats), so only certainly later dates count as later. */
const millisOf = (written: string): number | null => {
  if (!isDate(written)) return isFeedDate.test(written) ? instant(written) : null
  const [year = "", month = "01", ...rest] = written.split("-")
  return instant(rest.length === 0 ? `${year}-${month}-01` : written)
}

/** The dates of one sitemap entry. */
interface DatedEntry {
  readonly url: string
  readonly lastmod: string | null
  readonly isNews?: true
}

/** Adds the date of one entry; an unreadable date is ignored. */
export const withDate = (dates: SitemapDates, { isNews, lastmod, url }: DatedEntry): SitemapDates => {
  const counted = isNews === true ? { ...dates, news: dates.news + 1 } : dates
  if (lastmod === null) return counted
  // An equal text needs no parsing.
  if (isNews !== true && lastmod === dates.only) return { ...dates, dated: dates.dated + 1 }
  const millis = millisOf(lastmod)
  if (millis === null) return counted
  const isLater = dates.latest === null || millis > dates.latest.millis
  const latest = isLater ? { url, written: lastmod, millis } : dates.latest
  if (isNews === true) return { ...counted, latest }
  return { ...dates, dated: dates.dated + 1, only: dates.dated === 0 ? lastmod : null, latest }
}
