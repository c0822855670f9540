/**
 * Rankings as they grow: `bun test/bench/growth.ts [rows …]` (a script, no test). It fills an embedded database with sites of 10⁵, 10⁶ and 10⁷ rows
 * over 480 days, or of the numbers given, asks each for lists, series and performance over ranges of about 16 months, and prints the CPU time of each, p50
 * and p95, what the sites take on disk, and a plot (`--plot FILE.svg`). The database is kept in `FINDABLE_BENCH_DIR` (`/tmp/findable-growth`), so that only
 * the first run fills it: 10⁷ rows take some minutes and 3 GB.
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
import { plot } from "./growth/Plot.ts"
import { fill, lastDay, spread } from "./growth/Site.ts"

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

/** Ranges of about 16 months that begin and end anywhere within a month. */
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
        const slice = { apartBy: null, country: null, days, device: null, page: null, site: site?.number ?? 0 }
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
      "performance by query, 28 days": ranges.map(({ end }) => table("query", { end, start: spread(end, -27) }))
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
