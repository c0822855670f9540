/** The counts of Search Console, before any format: rows of its property, and rows of its pages with their queries. */
export interface Counted {
  readonly day: string
  readonly country: string
  readonly device: string
  readonly impressions: number
  readonly clicks: number
  /** One-based positions, added up over the impressions. */
  readonly sum: number
}
export interface Shown extends Counted {
  readonly url: string
  /** Null: anonymized. */
  readonly query: string | null
}
export interface Truth {
  readonly property: ReadonlyArray<Counted>
  readonly shown: ReadonlyArray<Shown>
}

export type Random = () => number

/** A generator of numbers from 0 to 1 (mulberry32), so that a seed identifies a round. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const below = (random: Random, end: number) => Math.floor(random() * end)

export const shuffled = <A>(random: Random, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

/** Distributes items among a number of lists, some of which may stay empty. */
export const dealt = <A>(random: Random, items: ReadonlyArray<A>, hands: number): ReadonlyArray<ReadonlyArray<A>> => {
  const all = Array.from({ length: hands }, (): Array<A> => [])
  for (const item of items) all[below(random, hands)]?.push(item)
  return all
}

const countries = ["deu", "usa", "fra"]
const devices = ["MOBILE", "DESKTOP", "TABLET"]
const queries = ["shoes", 'red "shoes", new', "schuhe\tgrün", "靴", "STRASSE", "straße", null, null]
const urls = [
  "https://example.com/",
  "https://example.com/a",
  "http://example.com/a",
  "https://www.example.com/a#part",
  "https://example.com/a?x=1,2",
  "https://example.com/b"
]

const measured = (random: Random, most = 3) => {
  const impressions = 1 + below(random, 10 ** (1 + below(random, most)))
  return { clicks: below(random, impressions + 1), impressions, sum: impressions + below(random, 40 * impressions) }
}

const day = (number: number) => new Date(Date.UTC(2026, 8, 1 + number)).toISOString().slice(0, 10)

/** A site's numbers over some weeks with gaps. */
export const truthOf = (random: Random, days: number, rows: number): Truth => {
  const known = Array.from({ length: days }, (_, number) => day(number)).filter(() => random() > 0.15)
  /** A random part with at least one impression: page impressions are also property impressions. */
  const each = <A>(from: ReadonlyArray<A>) => {
    const some = from.filter(() => random() > 0.25)
    return some.length === 0 ? from.slice(0, 1) : some
  }
  const property = known.flatMap((day) =>
    each(countries).flatMap((country) =>
      each(devices).map((device) => ({ country, day, device, ...measured(random, 5) }))
    )
  )
  const cells = known.flatMap((day) =>
    urls.flatMap((url) =>
      queries.flatMap((query, number) =>
        countries.flatMap((country) => devices.map((device) => ({ country, day, device, number, query, url })))
      )
    )
  )
  const chosen = shuffled(random, cells).slice(0, rows)
  const merged = new Map<string, Shown>()
  for (const { number: _, ...cell } of chosen) merged.set(JSON.stringify(cell), { ...cell, ...measured(random) })
  return { property, shown: [...merged.values()] }
}

/** The same rows with other numbers on some days, like corrections of Search Console. */
export const corrected = (random: Random, { property, shown }: Truth): Truth => {
  const all = new Set([...property, ...shown].map(({ day }) => day))
  const days = new Set([...all].filter(() => random() < 0.3))
  const again = <A extends Counted>(row: A): A => (days.has(row.day) ? { ...row, ...measured(random, 4) } : row)
  return { property: property.map(again), shown: shown.map(again) }
}
