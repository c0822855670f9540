import { gzipSync, strToU8, zipSync } from "fflate"
import { type Counted, dealt, type Random, type Shown, shuffled, type Truth } from "./truth.ts"

/** One import request: its parameters and its file. */
export interface Call {
  readonly query: string
  readonly body: Uint8Array<ArrayBuffer>
}

interface Sums {
  impressions: number
  clicks: number
  sum: number
}

/** Adds rows up by their dimensions. */
const added = <A extends Counted>(rows: ReadonlyArray<A>, keys: (row: A) => ReadonlyArray<string>) => {
  const all = new Map<string, Sums & { readonly keys: ReadonlyArray<string> }>()
  for (const row of rows) {
    const name = JSON.stringify(keys(row))
    const sums = all.get(name) ?? { clicks: 0, impressions: 0, keys: keys(row), sum: 0 }
    sums.impressions += row.impressions
    sums.clicks += row.clicks
    sums.sum += row.sum
    all.set(name, sums)
  }
  return [...all.values()]
}

const packed = (random: Random, text: string): Uint8Array<ArrayBuffer> =>
  random() < 0.5 ? new Uint8Array(gzipSync(strToU8(text))) : new Uint8Array(strToU8(text))

const daysOf = ({ property, shown }: Truth) => [...new Set([...property, ...shown].map(({ day }) => day))]

/** Splits a row of the bulk export into several that add up to it. */
const parts = <A extends Counted>(random: Random, row: A): ReadonlyArray<A> => {
  if (row.impressions < 4 || random() < 0.7) return [row]
  const impressions = Math.floor(row.impressions / 2)
  const clicks = Math.max(0, Math.min(impressions, row.clicks, row.clicks - 1))
  const rest = row.clicks - clicks
  const sum = Math.min(row.sum - (row.impressions - impressions), Math.max(impressions, Math.floor(row.sum / 2)))
  if (rest > row.impressions - impressions) return [row]
  return [
    { ...row, clicks, impressions, sum },
    { ...row, clicks: rest, impressions: row.impressions - impressions, sum: row.sum - sum }
  ]
}

/** Both tables of the bulk export: days in any number of requests, all shards of a day in one. */
export const bulk = (
  random: Random,
  truth: Truth,
  days: ReadonlyArray<string> = daysOf(truth)
): ReadonlyArray<Call> => {
  const common = ({ clicks, country, day, device, impressions }: Counted) => ({
    data_date: day,
    site_url: "sc-domain:example.com",
    search_type: "WEB",
    country,
    device,
    impressions,
    clicks
  })
  const url = ({ query, url, ...row }: Shown) => ({
    ...common(row),
    url,
    query,
    is_anonymized_query: query === null,
    sum_position: row.sum - row.impressions
  })
  const site = (row: Counted) => ({ ...common(row), sum_top_position: row.sum - row.impressions })
  const call = (rows: ReadonlyArray<object>): Call => ({
    body: packed(
      random,
      shuffled(random, rows)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join("")
    ),
    query: "format=bigquery&replace=true"
  })
  const of = <A extends Counted>(rows: ReadonlyArray<A>, shape: (row: A) => object) =>
    dealt(random, days, 4).flatMap((group) => {
      const mine = rows.filter(({ day }) => group.includes(day)).flatMap((row) => parts(random, row))
      return mine.length === 0 ? [] : [call(mine.map(shape))]
    })
  return shuffled(random, [...of(truth.shown, url), ...of(truth.property, site)])
}

/** Responses of the API as a sync requests them, split into parts in any order. */
export const api = (random: Random, truth: Truth): ReadonlyArray<Call> => {
  const named = truth.shown.flatMap(({ query, ...row }) => (query === null ? [] : [{ ...row, query }]))
  const dump = <A extends Counted>(
    dimensions: string,
    rows: ReadonlyArray<A>,
    keys: (row: A) => ReadonlyArray<string>
  ) => {
    const all = added(rows, keys).map(({ clicks, impressions, keys, sum }) => ({
      keys,
      clicks,
      impressions,
      ctr: clicks / impressions,
      position: sum / impressions
    }))
    return dealt(random, all, 4).flatMap(
      (part): ReadonlyArray<Call> =>
        part.length === 0
          ? []
          : [{ body: packed(random, JSON.stringify({ rows: part })), query: `format=gsc-api&dimensions=${dimensions}` }]
    )
  }
  return shuffled(random, [
    ...dump("date,country,device", truth.property, ({ country, day, device }) => [day, country, device]),
    ...dump("date,page,country,device", truth.shown, ({ country, day, device, url }) => [day, url, country, device]),
    ...dump("date,query,page", named, ({ day, query, url }) => [day, query, url]),
    ...dump("date,query,page,country,device", named, ({ country, day, device, query, url }) => [
      day,
      query,
      url,
      country,
      device
    ])
  ])
}

const countryNames: Readonly<Record<string, string>> = { deu: "Germany", fra: "France", usa: "United States" }
const titled = (name: string) => `${name.slice(0, 1)}${name.slice(1).toLowerCase()}`
const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The Search Console archive of each day, with all its tables of one dimension. */
export const interfaceZip = (random: Random, truth: Truth): ReadonlyArray<Call> =>
  shuffled(
    random,
    daysOf(truth).map((day): Call => {
      const property = truth.property.filter((row) => row.day === day)
      const shown = truth.shown.filter((row) => row.day === day)
      const named = shown.flatMap(({ query, ...row }) => (query === null ? [] : [{ ...row, query }]))
      const table = (head: string, rows: ReturnType<typeof added>) =>
        strToU8(
          [
            `${head},Clicks,Impressions,CTR,Position`,
            ...rows.map(({ clicks, impressions, keys, sum }) =>
              [
                cell(keys.join()),
                clicks,
                impressions,
                `${((100 * clicks) / impressions).toFixed(2)}%`,
                Math.max(1, sum / impressions).toFixed(1)
              ].join(",")
            ),
            ""
          ].join("\r\n")
        )
      const tables = {
        "Chart.csv": table(
          "Date",
          added(property, ({ day }) => [day])
        ),
        "Countries.csv": table(
          "Country",
          added(property, ({ country }) => [countryNames[country] ?? ""])
        ),
        "Devices.csv": table(
          "Device",
          added(property, ({ device }) => [titled(device)])
        ),
        "Filters.csv": strToU8("Filter,Value\nSearch type,Web\n"),
        "Pages.csv": table(
          "Top pages",
          added(shown, ({ url }) => [url])
        ),
        "Queries.csv": table(
          "Top queries",
          added(named, ({ query }) => [query])
        ),
        "Search appearance.csv": table("Search Appearance", [])
      }
      return { body: new Uint8Array(zipSync(tables)), query: `format=gsc-csv&date=${day}` }
    })
  )
