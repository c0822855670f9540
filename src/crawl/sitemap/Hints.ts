import type { SitemapProblemKind } from "./SitemapFacts.ts"

/** Year, month, day, or an instant with its zone, as W3C writes dates (W3C NOTE-datetime); an instant without one is refused. */
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

/** Whether it is a date as sitemaps write it. */
export const isDate = (text: string): boolean => {
  const found = w3cDate.exec(text)
  return found !== null && Number(found[2] ?? 1) <= daysIn(Number(text.slice(0, 4)), Number(found[1] ?? 1))
}

const frequencies = new Set(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"])

/** What an entry says about its page besides the address, and the fault when that cannot be understood (sitemaps.org, XML tag definitions). */
export const hints: Readonly<
  Record<string, { readonly kind: SitemapProblemKind; readonly isValid: (text: string) => boolean }>
> = {
  lastmod: { kind: "invalid_lastmod", isValid: isDate },
  changefreq: { kind: "invalid_changefreq", isValid: (text) => frequencies.has(text) },
  priority: {
    kind: "invalid_priority",
    isValid: (text) => /^\+?(?:\d+\.?\d*|\.\d+)$/.test(text) && Number(text) <= 1
  }
}

/** Faults of such values: the addresses beside them are read all the same. */
export const hintFaults: ReadonlySet<string> = new Set(Object.values(hints).map(({ kind }) => kind))
