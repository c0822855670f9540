import type { Answer } from "./asking.ts"
import type { Counted, Shown, Truth } from "./truth.ts"

/** Computes the answer to a question directly from the numbers, by the definition of the endpoint, without its code. */
export const expected = ({ property, shown }: Truth, asked: Readonly<Record<string, string>>): Answer => {
  const { by = "", country, device, end = "", page_path, start = "" } = asked
  const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, "").replace(/#.*/, "") || "/"
  const isMeant = (row: Counted) =>
    row.day >= start &&
    row.day <= end &&
    (country ?? row.country) === row.country &&
    (device ?? row.device) === row.device
  const ofPages = shown.filter((row) => isMeant(row) && (page_path ?? pathOf(row.url)) === pathOf(row.url))
  const withProperty = new Set(property.map(({ day }) => day))
  const totals: ReadonlyArray<Counted> =
    page_path === undefined
      ? [...property.filter(isMeant), ...ofPages.filter(({ day }) => !withProperty.has(day))]
      : ofPages
  const named = ofPages.filter(({ query }) => query !== null)
  const summed = <A extends Counted>(rows: ReadonlyArray<A>, keyOf: (row: A) => string) => {
    const sums = new Map<string, { impressions: number; clicks: number; sum: number }>()
    for (const row of rows) {
      const of = sums.get(keyOf(row)) ?? { clicks: 0, impressions: 0, sum: 0 }
      sums.set(keyOf(row), {
        clicks: of.clicks + row.clicks,
        impressions: of.impressions + row.impressions,
        sum: of.sum + row.sum
      })
    }
    return sums
  }
  const known = [...new Set([...property, ...shown].map(({ day }) => day))].filter((day) => day >= start && day <= end)
  const sums = {
    country: () => summed(totals, ({ country }) => country),
    date: () =>
      new Map(
        known.map((day) => [day, summed(totals, (row) => row.day).get(day) ?? { clicks: 0, impressions: 0, sum: 0 }])
      ),
    device: () => summed(totals, ({ device }) => device),
    page: () => summed(ofPages, ({ url }: Shown) => pathOf(url)),
    query: () => summed(named, ({ query }: Shown) => query ?? "")
  }
  const grouped = sums[by === "country" || by === "date" || by === "device" || by === "page" ? by : "query"]()
  const rows = [...grouped].map(([key, { clicks, impressions, sum }]) => ({
    key,
    impressions,
    clicks,
    ctr: impressions === 0 ? 0 : clicks / impressions,
    position: impressions === 0 ? null : sum / impressions
  }))
  const bytes = (text: string) => Buffer.from(text).toString("hex")
  rows.sort((a, b) =>
    by === "date"
      ? a.key < b.key
        ? -1
        : 1
      : b.impressions - a.impressions || b.clicks - a.clicks || (bytes(a.key) < bytes(b.key) ? -1 : 1)
  )
  const sum = (of: ReadonlyArray<Counted>) => ({
    clicks: of.reduce((all, { clicks }) => all + clicks, 0),
    impressions: of.reduce((all, { impressions }) => all + impressions, 0)
  })
  const all = sum(totals)
  const told = sum(named)
  return {
    anonymised:
      by !== "query"
        ? undefined
        : totals.length === 0
          ? null
          : {
              clicks: Math.max(0, all.clicks - told.clicks),
              impressions: Math.max(0, all.impressions - told.impressions)
            },
    asked,
    rows,
    totals:
      totals.length === 0
        ? null
        : {
            ...all,
            ctr: all.impressions === 0 ? 0 : all.clicks / all.impressions,
            position: all.impressions === 0 ? null : totals.reduce((of, { sum }) => of + sum, 0) / all.impressions
          }
  }
}
