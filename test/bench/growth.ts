/**
 * Rankings of growing size: `bun test/bench/growth.ts [rows …]` (a script, no test). It fills an embedded database with sites of 10⁵, 10⁶ and 10⁷ rows
 * over 480 days (or of the given numbers of rows), and requests lists, series and performance of each over ranges of about 16 months. It prints the CPU
 * time of each request (p50 and p95), the size of the sites on disk, and a plot (`--plot FILE.svg`). The database is kept in `FINDABLE_BENCH_DIR`
 * (`/tmp/findable-growth`), so only the first run fills it: 10⁷ rows take some minutes and 3 GB.
 */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Accounts } from "../../src/features/accounts/Accounts.ts"
import { AccountId } from "../../src/features/accounts/Domain.ts"
import { ProjectId } from "../../src/features/projects/Domain.ts"
import { Projects } from "../../src/features/projects/Projects.ts"
import { KeywordDirection, type KeywordOrder, KeywordSort } from "../../src/features/rankings/Api.ts"
import { RankingId } from "../../src/features/rankings/Domain.ts"
import { Imports } from "../../src/features/rankings/import/Imports.ts"
import { Keywords } from "../../src/features/rankings/keywords/Keywords.ts"
import { Records } from "../../src/features/rankings/keywords/Records.ts"
import { Opportunities } from "../../src/features/rankings/opportunities/Opportunities.ts"
import { untilComputed } from "../../src/features/rankings/opportunities/Worker.ts"
import { Performance } from "../../src/features/rankings/performance/Performance.ts"
import { PerformanceRepo } from "../../src/features/rankings/performance/PerformanceRepo.ts"
import { bulkWork, SitesRepo } from "../../src/features/rankings/Site.ts"
import * as Database from "../../src/foundation/database/Database.ts"
import { layerEmbedded } from "../../src/foundation/database/Location.ts"
import * as Query from "../../src/foundation/database/Query.ts"
/** A column of the plot: the number of rows, and the milliseconds of each line. */
export interface Column {
  readonly rows: number
  readonly values: Readonly<Record<string, number>>
}

const [width, height, left, top, right, bottom] = [680, 320, 60, 16, 200, 32]

const hues = [210, 30, 120, 0, 270, 170, 330, 60]

/** Lines over rows and milliseconds, both in powers of ten; a grey line grows linearly with the rows. */
export const plot = (columns: ReadonlyArray<Column>): string => {
  const names = Object.keys(columns[0]?.values ?? {})
  const all = columns.flatMap(({ values }) => Object.values(values))
  const [low, high] = [0, Math.ceil(Math.log10(Math.max(10, ...all)))]
  const [from, to] = [Math.log10(columns[0]?.rows ?? 1), Math.log10(columns.at(-1)?.rows ?? 10)]
  const x = (rows: number) =>
    Math.round(left + ((Math.log10(rows) - from) / Math.max(1, to - from)) * (width - left - right))
  const y = (ms: number) =>
    Math.round(height - bottom - ((Math.log10(Math.max(1, ms)) - low) / (high - low)) * (height - top - bottom))
  const path = (points: ReadonlyArray<readonly [number, number]>) =>
    points.map(([px, py], n) => `${n === 0 ? "M" : "L"}${px} ${py}`).join("")
  const text = (px: number, py: number, words: string, anchor = "start", fill = "#555") =>
    `<text x="${px}" y="${py}" text-anchor="${anchor}" fill="${fill}">${words}</text>`
  const grid = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)).map(
    (ms) =>
      `<path d="M${left} ${y(ms)}H${width - right}" stroke="#ddd"/>${text(left - 6, y(ms) + 4, `${ms} ms`, "end")}`
  )
  const first = columns[0]?.rows ?? 1
  const linear = `<path d="${path(columns.map(({ rows }) => [x(rows), y(rows / first)]))}" stroke="#bbb" stroke-dasharray="4 3" fill="none"/>`
  const ends = names.map((name) => y(columns.at(-1)?.values[name] ?? 1)).sort((a, b) => a - b)
  const placed: Array<number> = []
  for (const end of ends) placed.push(Math.max(end, (placed.at(-1) ?? -12) + 12))
  const ordered = [...names].sort((a, b) => y(columns.at(-1)?.values[a] ?? 1) - y(columns.at(-1)?.values[b] ?? 1))
  const lines = ordered.map((name, n) => {
    const colour = `hsl(${hues[names.indexOf(name) % hues.length]} 60% 45%)`
    const points = columns.map(({ rows, values }) => [x(rows), y(values[name] ?? 1)] as const)
    return `<path d="${path(points)}" stroke="${colour}" stroke-width="2" fill="none"/>${text(width - right + 6, (placed[n] ?? 0) + 4, name, "start", colour)}`
  })
  const axis = columns.map(({ rows }) => text(x(rows), height - 10, `${rows.toLocaleString("en")} rows`, "middle"))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11"><title>CPU time of a request over the rows of a site</title><rect width="100%" height="100%" fill="#fff"/>\n${[...grid, linear, ...lines, ...axis].join("\n")}\n</svg>\n`
}

/** The latest day of the sites. */
export const lastDay = "2026-10-31"

const days = 480

/** A day plus a number of days. */
export const spread = (day: string, by: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)

const syllables = "ba chi do fra gle hin jo kar lem mo nur pa qui ro str ten ul ving wex yo zan".split(" ")

const words = Array.from({ length: 4000 }, (_, n) =>
  [n % 21, Math.floor(n / 21) % 21, Math.floor(n / 441) % 21].map((place) => syllables[place]).join("")
)

/**
 * Fills a site with rows over 480 days, one statement for each month. A day has rows ÷ 480 out of rows ÷ 20 pairs: the first pairs occur nearly every
 * day and with the most impressions, most others now and then with one or two. Three pairs in four have their own query; a page has 25 pairs.
 * Pages have twice the impressions of their queries: the rest belongs to anonymised queries. All rows have a country and a device, as in a bulk export.
 */
export const fill = Effect.fnUntraced(function* (id: string, rows: number) {
  const sql = yield* SqlClient.SqlClient
  const pairs = Math.max(1000, Math.floor(rows / 20))
  const perDay = Math.floor(rows / days)
  const first = spread(lastDay, 1 - days)
  yield* sql`INSERT INTO ranking_sites (site_id, newest_day, is_stale) VALUES (${id}, ${lastDay}, true)`
  const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${id}`
  const site = row?.number ?? 0
  yield* sql`CREATE TABLE IF NOT EXISTS bench_words AS SELECT n::int - 1 AS n, word FROM unnest(${`{${words.join(",")}}`}::text[]) WITH ORDINALITY AS w (word, n)`
  yield* sql`ANALYZE bench_words`
  yield* sql`
    INSERT INTO ranking_pairs (site, id, key, query, page)
    SELECT ${site}::int, id, md5(${id} || id)::uuid, a.word || ' ' || b.word || CASE WHEN q % 3 = 0 THEN ' ' || q ELSE '' END, '/blog/' || p
    FROM (
      SELECT id, CASE WHEN id % 4 = 0 THEN id / 4 ELSE id END AS q, (id::bigint * 7919) % (${pairs}::int / 25) AS p FROM generate_series(1, ${pairs}::int) AS id
    ) AS i JOIN bench_words a ON a.n = (q::bigint * 2654435761) % 4000 JOIN bench_words b ON b.n = (q::bigint * 40503) / 7 % 4000 ORDER BY id`
  yield* sql`
    INSERT INTO ranking_pages (site, id, key, page)
    SELECT ${site}::int, p + 1, md5('/blog/' || p)::uuid, '/blog/' || p FROM generate_series(0, ${pairs}::int / 25 - 1) AS p`
  yield* sql`
    INSERT INTO ranking_variants (site, id, key, address, country, device)
    SELECT ${site}::int, row_number() OVER (), md5(concat_ws(chr(31), country, device))::uuid, '', country, device
    FROM (VALUES (NULL, NULL), ('deu', 'MOBILE'), ('deu', 'DESKTOP'), ('fra', 'MOBILE'), ('usa', 'DESKTOP')) AS v (country, device)`
  yield* sql`SELECT ensure_ranking_partitions(${first}::date, ${lastDay}::date)`
  yield* sql`ANALYZE ranking_pairs, ranking_pages`
  const months = yield* sql<{ start: string; end: string }>`
    SELECT greatest(m::date, ${first}::date)::text AS start, least((m + interval '1 month')::date - 1, ${lastDay}::date)::text AS end
    FROM generate_series(date_trunc('month', ${first}::timestamp), ${lastDay}::timestamp, interval '1 month') AS m`
  for (const { end, start } of months) {
    yield* sql`
      INSERT INTO ranking_query_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${site}::int, day, key, 2 + key % 4, impressions, impressions / 20, 15, true, impressions * (1 + key % 30) FROM (
        SELECT day, key, 1 + floor(${rows}::float8 / 40 / (key + 20) * (0.5 + random()))::bigint AS impressions FROM (
          SELECT DISTINCT day::date AS day, 1 + floor(${pairs}::int * power(random(), 2.5))::int AS key
          FROM generate_series(${start}::timestamp, ${end}::timestamp, interval '1 day') AS day, generate_series(1, ${Math.floor(perDay * 1.3)}::int)
        ) AS k
      ) AS f ORDER BY day, key`
    yield* sql`
      INSERT INTO ranking_page_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT site, day, 1 + (key::bigint * 7919) % (${pairs}::int / 25), variant, sum(impressions) * 2, sum(clicks), 15, true, sum(sum_top) * 2
      FROM ranking_query_facts WHERE site = ${site} AND day BETWEEN ${start}::date AND ${end}::date GROUP BY 1, 2, 3, variant ORDER BY 2, 3`
    yield* sql`
      INSERT INTO ranking_property_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${site}::int, day, 0, v, sum(impressions), sum(clicks), 15, true, sum(sum_top)
      FROM ranking_page_facts, generate_series(2, 5) AS v WHERE site = ${site} AND day BETWEEN ${start}::date AND ${end}::date GROUP BY day, v`
  }
  yield* sql`UPDATE ranking_days SET whole = true WHERE site = ${site}`
})

const directory = process.env.FINDABLE_BENCH_DIR ?? "/tmp/findable-growth"

const given = process.argv
  .slice(2)
  .map(Number)
  .filter((n) => n > 0)

const sizes = given.length > 0 ? given : [100_000, 1_000_000, 10_000_000]

const at = process.argv.indexOf("--plot")

const file = at < 0 ? undefined : process.argv[at + 1]

const milliseconds = <R>(effect: Effect.Effect<unknown, unknown, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* effect
    return performance.now() - start
  })

const quantile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0

/** Milliseconds of CPU that this process and the server's sessions have used; the kernel counts theirs in hundredths of a second. */
const cpu = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'`
  const ticks = sessions.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000 + ticks.reduce((sum, n) => sum + n, 0) * 10
})

/** Ranges of about 16 months that begin and end within a month. */
const ranges = Array.from({ length: 40 }, (_, n) => ({
  end: spread(lastDay, -((n * 7) % 31)),
  start: spread(lastDay, -479 + ((n * 11) % 31))
}))

/** What a table is filtered by. */
type Narrowing = { readonly country?: string; readonly device?: string; readonly page_path?: string }

const opportunityKinds = ["striking_distance", "low_ctr", "decay", "cannibalisation"] as const

interface Found {
  readonly cpu: number
  readonly p50: number
  readonly p95: number
}

const site = (account: AccountId, rows: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [known] = yield* sql<{
      id: string
      megabytes: number
      seconds: number
    }>`SELECT * FROM bench_sites WHERE rows = ${rows}`
    if (known !== undefined) return { ...known, id: ProjectId.make(known.id) }
    const { id } = yield* Effect.flatMap(Projects, (projects) =>
      projects.create(account, { url: `https://rows-${rows}.example` })
    )
    const size = Effect.map(
      sql<{ mb: number }>`SELECT pg_database_size(current_database())::float8 / 1e6 AS mb`,
      ([row]) => row?.mb ?? 0
    )
    const before = yield* size
    const time = yield* milliseconds(Query.transaction(sql)(Effect.zipRight(bulkWork(sql), fill(id, rows))))
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site: id })))
    yield* Effect.flatMap(Imports, (imports) => imports.renew(found))
    yield* untilComputed(id)
    yield* sql`VACUUM ANALYZE`
    const megabytes = (yield* size) - before
    yield* sql`INSERT INTO bench_sites VALUES (${rows}, ${id}, ${megabytes}, ${time / 1000})`
    return { id, megabytes, seconds: time / 1000 }
  })

const measure = (account: AccountId, project: ProjectId, rows: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keywords = yield* Keywords
    const records = yield* Records
    const performance = yield* Performance
    const table = (by: "date" | "page" | "query", range: { start?: string; end?: string }, count = 21) =>
      performance.table(account, project, { by, ...range }, { after: undefined, count })
    const list = (query: string | undefined, after?: ReadonlyArray<string>) =>
      keywords.list(account, { site_id: project, ...(query === undefined ? {} : { query }) }, { after, count: 21 })
    const repo = yield* PerformanceRepo
    const [site] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${project}`
    const behind = (impressions: number) =>
      ranges.map((days) => {
        const slice = {
          apartBy: null,
          country: null,
          days,
          device: null,
          page: null,
          query: null,
          site: site?.number ?? 0
        }
        return repo.rows("query", slice, { clicks: 0, impressions, key: "" }, 101)
      })
    const opportunities = yield* Opportunities
    /** Pages of a list in one order, at twenty places of it. */
    const ordered = Effect.fnUntraced(function* (order: KeywordOrder, status?: "lost" | "climbing") {
      const list = { ...order, site_id: project, ...(status === undefined ? {} : { status }) }
      const { records } = yield* keywords.list(account, list, { after: undefined, count: 1000 })
      const places = records.filter((_, n) => n % 50 === 0).map(Keywords.position(order.sort))
      return places.map((after) => keywords.list(account, list, { after, count: 21 }))
    })
    const inOrder: Record<string, ReadonlyArray<ReturnType<typeof keywords.list>>> = {}
    for (const sort of KeywordSort.literals)
      for (const order of KeywordDirection.literals)
        inOrder[`keywords by ${sort} ${order}`] = yield* ordered({ order, sort })
    const [pagePath = ""] = (yield* table("page", ranges[0] ?? {})).rows.map(({ key }) => key)
    const sliced = (by: "date" | "page" | "query" | "device" | "country", filters: Narrowing) =>
      ranges
        .filter((_, n) => n % 4 === 0)
        .map((range) =>
          performance.table(account, project, { by, ...range, ...filters }, { after: undefined, count: 21 })
        )
    const narrowings: Readonly<Record<string, Narrowing>> = {
      country: { country: "deu" },
      device: { device: "MOBILE" },
      page: { page_path: pagePath }
    }
    const segments = Object.fromEntries(
      Object.entries(narrowings).flatMap(([title, filters]) =>
        (["date", "page", "query"] as const)
          .filter((by) => by !== title)
          .map((by) => [`performance by ${by}, of one ${title}`, sliced(by, filters)] as const)
      )
    )
    const [{ key: common } = { key: "" }] = (yield* table("query", ranges[0] ?? {})).rows
    const shortly = ranges.map(({ end }) => ({ end, start: spread(end, -27) }))
    /** Tables in other orders, of queries, and beside another period; the time of a refusal counts too. */
    const asked = (
      by: "date" | "page" | "query",
      days: typeof shortly,
      filters: Omit<Parameters<typeof performance.table>[2], "by">
    ) =>
      days.map((range) =>
        Effect.option(
          performance.table(account, project, { by, ...range, ...filters }, { after: undefined, count: 21 })
        )
      )
    const byClicks = asked("query", shortly, { sort: "clicks" })
    const losses = asked("query", shortly, { compare: "previous", order: "asc", sort: "clicks_change" })
    for (const [title, [first]] of Object.entries({ "by clicks": byClicks, "by change": losses }))
      if (first !== undefined && Option.isNone(yield* first)) console.log(`performance ${title} of 28 days is refused`)
    const ids = yield* sql<{ id: string }>`
      SELECT 'kw_' || replace(p.key::text, '-', '') AS id FROM ranking_sites s CROSS JOIN generate_series(1, 500, 13) AS n
      JOIN ranking_pairs p ON p.site = s.number AND p.id = n WHERE s.site_id = ${project}`
    const measured = {
      "keywords, a page": ranges.map(() => list(undefined)),
      "keywords, a search": ["ing", "str", "4321", "oo", "qu", "987", "ent", "xyz"].map((text) => list(text)),
      ...inOrder,
      "keywords by clicks, a search": ["ing", "str", "4321", "oo", "qu", "987", "ent", "xyz"].map((query) =>
        keywords.list(account, { query, site_id: project, sort: "clicks" }, { after: undefined, count: 21 })
      ),
      opportunities: opportunityKinds.flatMap((kind) =>
        ranges.slice(0, 10).map(() => opportunities.list(account, project, { kind }, { after: undefined, count: 21 }))
      ),
      summary: ranges.map(() => performance.summary(account, project)),
      "performance by device": sliced("device", {}),
      "performance by country": sliced("country", {}),
      ...segments,
      "series of a keyword": ids.map(({ id }, n) =>
        records.series(account, RankingId.make(id), ranges[n % ranges.length] ?? {})
      ),
      "performance by date": ranges.map((range) => table("date", range)),
      "performance by page": ranges.map((range) => table("page", range)),
      "performance by query": ranges.map((range) => table("query", range)),
      "performance by query, 100 rows": ranges.map((range) => table("query", range, 101)),
      "performance by query, 100 rows behind the 1,000th": behind(Math.floor((rows * 11.5) / 1020)),
      "performance by query, the last 100 rows": behind(3),
      "performance by query, 28 days": shortly.map((range) => table("query", range)),
      "performance by query, 28 days, beside the 28 before": asked("query", shortly, { compare: "previous" }),
      "performance by query, 28 days, by clicks": byClicks,
      "performance by query, 28 days, by lost clicks": losses,
      "performance by query, by clicks": asked("query", ranges, { sort: "clicks" }),
      "performance by page, by clicks": asked("page", ranges, { sort: "clicks" }),
      "performance by query, 28 days, a search": asked("query", shortly, { query_contains: "321" }),
      "performance by date, 28 days, a search": asked("date", shortly, { query_contains: "321" }),
      "performance by date, of one query": asked("date", ranges, { query: common }),
      "performance by page, of one query": asked("page", ranges, { query: common })
    }
    const found: Record<string, Found> = {}
    for (const [title, asked] of Object.entries(measured)) {
      yield* Effect.forEach(asked.slice(0, 3), milliseconds)
      const before = yield* cpu
      const times = yield* Effect.forEach(asked, milliseconds)
      found[title] = {
        cpu: ((yield* cpu) - before) / asked.length,
        p50: quantile(times, 0.5),
        p95: quantile(times, 0.95)
      }
    }
    return found
  })

const main = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS bench_sites (rows bigint PRIMARY KEY, id uuid, megabytes float8, seconds float8)`
  const [known] = yield* sql<{ id: string }>`SELECT id FROM accounts WHERE name = 'growth'`
  const account =
    known === undefined
      ? (yield* Effect.flatMap(Accounts, (all) => all.create("growth", "agency_team"))).id
      : AccountId.make(known.id)
  const columns: Array<{ rows: number; megabytes: number; found: Record<string, Found> }> = []
  for (const rows of sizes) {
    const { id, megabytes, seconds } = yield* site(account, rows)
    console.log(
      `${rows.toLocaleString("en")} rows: ${Math.round(megabytes)} MB on disk, filled in ${Math.round(seconds)} s`
    )
    columns.push({ found: yield* measure(account, id, rows), megabytes, rows })
  }
  console.log(`\n| ms of CPU, p50, p95 | ${columns.map(({ rows }) => rows.toLocaleString("en")).join(" | ")} |`)
  console.log(`| --- | ${columns.map(() => "---").join(" | ")} |`)
  for (const title of Object.keys(columns[0]?.found ?? {})) {
    const cell = ({ found: { [title]: of } }: (typeof columns)[number]) =>
      of === undefined ? "" : `${of.cpu.toFixed(0)}, ${of.p50.toFixed(0)}, ${of.p95.toFixed(0)}`
    console.log(`| ${title} | ${columns.map(cell).join(" | ")} |`)
  }
  if (file !== undefined)
    writeFileSync(
      file,
      plot(
        columns.map(({ found, rows }) => ({
          rows,
          values: Object.fromEntries(Object.entries(found).map(([title, { cpu }]) => [title, cpu]))
        }))
      )
    )
})

mkdirSync(directory, { recursive: true })

chmodSync(directory, 0o755)

const settings = { fsync: "off", full_page_writes: "off", max_wal_size: "4GB" }

const services = Layer.mergeAll(
  Accounts.Default,
  Imports.Default,
  Keywords.Default,
  Opportunities.Default,
  Performance.Default,
  PerformanceRepo.Default,
  Projects.Default,
  Records.Default,
  SitesRepo.Default
).pipe(
  Layer.provideMerge(Database.layerNoDeps),
  Layer.provideMerge(layerEmbedded(settings)),
  Layer.provideMerge(BunContext.layer),
  Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]]))))
)

await Effect.runPromise(Effect.provide(main, services))
