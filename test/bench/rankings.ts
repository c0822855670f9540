/**
 * Rankings with a million rows: `bun test/bench/rankings.ts [rows]` (a script, no test; some minutes, 2 GB of disk). It starts its own embedded database
 * with the settings that a server uses, and prints
 *
 * - the time of imports, and the CPU that PostgreSQL used, beside those of a plain `COPY` of the same file into a table with the same columns and indexes;
 * - p50 and p95 of pages at any depth and of searches on a site with that many records, and the query plans of their statements.
 *
 * `bun test/bench/rankings.ts [rows] scattered [rounds]` prints only imports where every row is a pair of its own, each into another site.
 *
 * Ratios are meaningful; absolute figures only on a machine that does nothing else.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Accounts } from "../../src/features/accounts/Accounts.ts"
import type { AccountId } from "../../src/features/accounts/Domain.ts"
import type { ProjectId } from "../../src/features/projects/Domain.ts"
import { Projects } from "../../src/features/projects/Projects.ts"
import { FileImports } from "../../src/features/rankings/import/FileImports.ts"
import { Keywords } from "../../src/features/rankings/keywords/Keywords.ts"
import { untilComputed } from "../../src/features/rankings/opportunities/Worker.ts"
import { SitesRepo } from "../../src/features/rankings/Site.ts"
import * as DecodeProcess from "../../src/features/rankings/uploads/decoder/DecodeProcess.ts"
import { copyIn, inPieces } from "../../src/foundation/database/Copy.ts"
import * as Database from "../../src/foundation/database/Database.ts"
import { layerEmbedded } from "../../src/foundation/database/Location.ts"
import { backendsOf, cpuOf, cpuOfEnded } from "./http/cpu.ts"

const rows = Number(process.argv[2] ?? 1_000_000)
const rounds = process.argv[3] === "scattered" ? Number(process.argv[4] ?? 1) : 0
const directory = mkdtempSync(join(tmpdir(), "findable-bench-"))
chmodSync(directory, 0o755)

/** A linear congruence: every run gets the same data. */
const random = (() => {
  let state = 12345
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state / 4294967296
  }
})()

const pick = (all: ReadonlyArray<string>, share: number): string => all[Math.floor(share * all.length)] ?? ""
/** Syllables of an onset, a nucleus and a coda, so that texts have about as many different trigrams as those of a European language. */
const onsets = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr qu sh sl st str th tr".split(" ")
const nuclei = "a e i o u a e i o u ai au ea ee ie oo ou y".split(" ")
const codas = ["", "", "", "", ..."n r s t l m d ck nd ng nt rd rt ss st x".split(" ")]
const syllable = () => pick(onsets, random()) + pick(nuclei, random()) + pick(codas, random())
const words = Array.from({ length: 4000 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 3) }, syllable).join("")
)
/** Words differ in frequency by orders of magnitude, as in any language. */
const word = () => pick(words, random() ** 2)

/** Two weeks of a site: each pair of query and page has so many days in each week. */
interface Shape {
  readonly pairs: number
  readonly days: (pair: number) => ReadonlyArray<number>
}

/** Pairs that are seen day after day. */
const steady: Shape = {
  pairs: Math.floor(rows / 14),
  days: () => Array.from({ length: 14 }, (_, index) => index + 1)
}

/** Every row a pair of its own: the most texts that so many rows can bring. */
const scattered: Shape = { pairs: rows, days: (pair) => [1 + (Math.imul(pair, 7) % 14)] }

/** A long tail: as many records as rows are asked for, three in five of them seen in both weeks, so that all lists are long. */
const tailed: Shape = {
  pairs: rows,
  days: (pair) => {
    const [early, late] = [1 + (pair % 7), 8 + (pair % 7)]
    return pair % 5 === 0 ? [early] : pair % 5 === 1 ? [late] : [early, late]
  }
}

/** Impressions have a long tail, positions move a little, and one pair in a hundred enough for an event. */
const write = async (file: string, { days, pairs }: Shape) => {
  const writer = Bun.file(file).writer()
  writer.write("Date,Query,Page,Clicks,Impressions,Position\n")
  const used = new Set<string>()
  const texts = Array.from({ length: pairs }, (_, pair) => {
    const number = pair % 3 === 0 ? ` ${pair}` : ""
    const text = `${Array.from({ length: 1 + (pair % 4) }, word).join(" ")}${number},/blog/${word()}/${pair % 20_000}`
    // Chance repeats some of a million texts.
    const own = used.has(text) ? `${pair} ${text}` : text
    used.add(own)
    return own
  })
  for (let day = 1; day <= 14; day++) {
    for (let pair = 0; pair < pairs; pair++) {
      if (!days(pair).includes(day)) continue
      const impressions = 1 + Math.floor(random() ** 6 * (pair % 100 === 0 ? 3000 : 9))
      const clicks = Math.floor(random() * impressions * 0.1)
      const position = 1 + ((Math.imul(pair, 2654435761) >>> 0) % 300) / 10 + Math.floor(random() * 40) / 10
      writer.write(
        `2026-10-${String(day).padStart(2, "0")},${texts[pair]},${clicks},${impressions},${position.toFixed(2)}\n`
      )
    }
  }
  await writer.end()
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    const value = yield* effect
    return [performance.now() - start, value] as const
  })

/** Milliseconds that an effect takes, and those of CPU that PostgreSQL uses meanwhile. */
interface Cost {
  readonly time: number
  readonly cpu: number
}

const costed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [backend] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
    const postmaster = Number(readFileSync(`/proc/${backend?.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
    const used = () =>
      backendsOf(postmaster).reduce((sum, pid) => sum + cpuOf(pid), cpuOf(postmaster) + cpuOfEnded(postmaster)) / 1000
    const before = used()
    const [time, value] = yield* timed(effect)
    return [{ cpu: used() - before, time } satisfies Cost, value] as const
  })

/** `COPY` of the file as it is, with nothing around it, into its own columns under the indexes that facts and their texts have with us. */
const plainCopy = (file: string, searchable: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE plain (date date, query text, page text, clicks bigint, impressions bigint, position numeric, PRIMARY KEY (date, query, page))`
    if (searchable) yield* sql`CREATE INDEX ON plain USING gin (query gin_trgm_ops)`
    const text = readFileSync(file, "utf8")
    const size = 4 << 20
    const copy = Effect.gen(function* () {
      let from = 0
      for (let first = true; from < text.length; first = false) {
        const cut = text.indexOf("\n", from + size)
        const to = cut < 0 ? text.length : cut + 1
        yield* copyIn(`COPY plain FROM STDIN (FORMAT csv, HEADER ${first})`, text.slice(from, to))
        from = to
      }
    })
    const [cost] = yield* costed(sql.withTransaction(copy))
    yield* sql`DROP TABLE plain`
    return cost
  })

/** As a worker imports a file that was sent: in pieces, decoded by a process of its own. `hash` says that it is another file. */
const importFile = (site: ProjectId, file: string, hash: string) =>
  Effect.gen(function* () {
    const { decode } = yield* DecodeProcess.FileDecoder
    const files = yield* FileImports
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site })))
    const pieces = inPieces(Stream.make(yield* Effect.promise(() => Bun.file(file).bytes())))
    const reading = {
      date: null,
      dimensions: null,
      format: "gsc-csv",
      property: null,
      range: null,
      replaces: false
    } as const
    return yield* costed(
      files.run(found, reading, hash, (options) => decode({ file: "body", format: reading.format, options }, pieces))
    )
  })

/** A host is one project of an account, so each site has a host of its own. */
const newSite = (account: AccountId, title: string) =>
  Effect.flatMap(Projects, (projects) =>
    Effect.map(
      projects.create(account, { url: `https://${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.example` }),
      ({ id }) => id
    )
  )

const importBeside = (title: string, account: AccountId, shape: Shape) =>
  Effect.gen(function* () {
    const file = join(directory, "rows.csv")
    yield* Effect.promise(() => write(file, shape))
    const site = yield* newSite(account, title)
    const copies = Effect.all([plainCopy(file, false), plainCopy(file, true)])
    const before = yield* copies
    const [cost, imported] = yield* importFile(site, file, title)
    const [later] = yield* costed(untilComputed(site))
    const after = yield* copies
    const [again] = yield* importFile(site, file, `${title}, again`)
    const made = "renewed" in imported ? imported.renewed : null
    const said = ({ cpu, time }: Cost) => `${seconds(time)} (CPU ${seconds(cpu)})`
    const beside = (name: string, which: 0 | 1) => {
      const times = (of: keyof Cost) => ((2 * cost[of]) / (before[which][of] + after[which][of])).toFixed(2)
      console.log(
        `  ${name.padEnd(34)} ${said(before[which])} before, ${said(after[which])} after: the import takes ${times("time")} × (CPU ${times("cpu")} ×)`
      )
    }
    console.log(`\n${title}: ${imported.rows} rows, ${made?.records} records, ${made?.movements} events`)
    console.log(`  import, with rankings and events   ${said(cost)}`)
    beside("plain COPY, primary key only", 0)
    beside("plain COPY, and trigrams of query", 1)
    console.log(`  then, indexes and opportunities    ${said(later)}`)
    console.log(`  import of the same file again      ${said(again)}`)
    rmSync(file)
    return site
  })

const quantile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0

const measure = (title: string, times: ReadonlyArray<number>) =>
  console.log(
    `  ${title.padEnd(44)} p50 ${quantile(times, 0.5).toFixed(1).padStart(6)} ms   p95 ${quantile(times, 0.95).toFixed(1).padStart(6)} ms   of ${times.length}`
  )

/** Positions all over the list, or that of a status, for the pages behind them. */
const depths = (site: ProjectId, status = "%") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ snapshot: string; impressions: string; clicks: string; key: string }>`
      SELECT snapshot, impressions, clicks, key FROM (
        SELECT g.published::text AS snapshot, r.impressions::text, r.clicks::text, r.key::text,
          row_number() OVER (ORDER BY -r.impressions, -r.clicks, r.key) AS place
        FROM ranking_generations g JOIN rankings r ON r.generation = g.id WHERE g.site_id = ${site} AND g.superseded IS NULL AND r.ranking_status::text LIKE ${status}
      ) AS listed WHERE place % ${Math.max(1, Math.floor(rows / 200))} = 0`
  )

/** Parts of words, by how many records hold them. */
const terms = (site: ProjectId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const candidates = [
      ...new Set([...words.filter((_, index) => index % 8 === 0), "123", "4567", "88 ", "ing", "ent", "str", "oo"])
    ].filter((text) => text.length >= 3)
    const counted = yield* Effect.forEach(candidates.slice(0, 60), (text) =>
      Effect.map(
        sql<{
          n: number
        }>`SELECT count(*)::int AS n FROM ranking_pairs p JOIN ranking_sites s ON s.number = p.site WHERE s.site_id = ${site} AND query LIKE ${`%${text}%`}`,
        ([row]) => ({ n: row?.n ?? 0, text })
      )
    )
    const rare = Array.from({ length: 12 }, (_, index) => ({ n: 1, text: String(30_303 + index * 70_203) }))
    return [...counted, ...rare]
  })

const read = (account: AccountId, site: ProjectId) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    const page = (limit: number, filters: Parameters<typeof keywords.list>[1], cursor?: ReadonlyArray<string>) =>
      Effect.map(timed(keywords.list(account, filters, { after: cursor, count: limit + 1 })), ([time]) => time)
    const placesOf = (status?: string) =>
      Effect.map(depths(site, status), (found) =>
        found.map(({ clicks, impressions, key, snapshot }) => [snapshot, impressions, clicks, key])
      )
    const places = yield* placesOf()
    const placesOfNew = yield* placesOf("new")
    const found = yield* terms(site)
    const bands = [
      ["rare: in up to 10 records", 0, 10],
      ["medium: up to 1 %", 11, rows / 100],
      ["frequent: above 1 %", rows / 100 + 1, Number.POSITIVE_INFINITY]
    ] as const
    for (const limit of [20, 100]) {
      console.log(`\nPages of ${limit}, by statement round trip`)
      const all = (filters: Parameters<typeof keywords.list>[1], from = places) =>
        Effect.forEach(from, (place) => page(limit, filters, place))
      measure("any depth, one site", yield* all({ site_id: site }))
      measure("any depth, all sites of the account", yield* all({}))
      measure("any depth, one status", yield* all({ site_id: site, status: "new" }, placesOfNew))
      const short = ["ka", "q", "zz", "9"].map((query) => page(limit, { query, site_id: site }))
      measure("search of one or two letters", yield* Effect.all(short))
      const searches: Array<number> = []
      for (const [title, from, to] of bands) {
        const texts = found.filter(({ n }) => n >= from && n <= to).map(({ text }) => text)
        const times = yield* Effect.forEach(texts, (query) =>
          Effect.forEach([undefined, ...places.slice(0, 2)], (place) => page(limit, { query, site_id: site }, place))
        )
        measure(`search ${title} (${texts.length} texts)`, times.flat())
        searches.push(...times.flat())
        const ofStatus = yield* Effect.forEach(texts, (query) =>
          Effect.forEach([undefined, ...placesOfNew.slice(0, 2)], (place) =>
            page(limit, { query, site_id: site, status: "new" }, place)
          )
        )
        measure("  the same of one status", ofStatus.flat())
        searches.push(...ofStatus.flat())
      }
      measure("search of any kind", searches)
    }
    return { found, page, places }
  })

/** Has the server log the plans of the statements of an effect, and prints them. */
const explained = <E, R>(title: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const log = join(directory, "postgres", "server.log")
    const sql = yield* SqlClient.SqlClient
    const set = (value: string) =>
      Effect.zipRight(
        sql.unsafe(`ALTER SYSTEM SET auto_explain.log_min_duration = '${value}'`),
        sql`SELECT pg_reload_conf()`
      )
    yield* Effect.zipRight(set("0"), Effect.sleep("200 millis"))
    const from = readFileSync(log, "utf8").length
    yield* effect
    yield* Effect.zipRight(set("-1"), Effect.sleep("200 millis"))
    const text = readFileSync(log, "utf8").slice(from)
    const plan = text
      .split(/\n(?=\S)/)
      .filter((entry) => entry.includes("plan:") && entry.includes("snapshot"))
      .map((entry) => entry.slice(entry.indexOf("Sort  (") < 0 ? entry.indexOf("plan:") : entry.indexOf("Sort  (")))
    console.log(`\n${title}\n${plan.join("\n--\n")}`)
  })

const main = Effect.gen(function* () {
  const accounts = yield* Accounts
  const sql = yield* SqlClient.SqlClient
  const account = (yield* accounts.create("bench", "agency_team")).id
  if (rounds > 0) {
    for (let round = 1; round <= rounds; round++)
      yield* importBeside(`Every row a pair of its own, ${"i".repeat(round)}`, account, scattered)
    return
  }
  yield* importBeside("Pairs that are seen each day", account, steady)
  yield* importBeside("Every row a pair of its own", account, scattered)
  const site = yield* importBeside("A long tail", account, tailed)
  yield* sql`VACUUM ANALYZE rankings, ranking_blocks, ranking_pairs`
  const { found, page, places } = yield* read(account, site)
  const text = (from: number, to: number) => found.find(({ n }) => n >= from && n <= to)?.text ?? ""
  const deep = places.at(-1)
  yield* explained("Plan of a page", page(20, { site_id: site }, deep))
  yield* explained("Plan of a frequent search", page(20, { query: text(rows / 100, rows), site_id: site }))
  yield* explained("Plans of a rare search: a look, then the index", page(20, { query: text(1, 10), site_id: site }))
})

const settings = {
  "auto_explain.log_analyze": "on",
  "auto_explain.log_min_duration": "-1",
  session_preload_libraries: "auto_explain"
}

const services = Layer.mergeAll(
  Accounts.Default,
  DecodeProcess.layer,
  FileImports.Default,
  Keywords.Default,
  Projects.Default,
  SitesRepo.Default
).pipe(
  Layer.provideMerge(Database.layerNoDeps),
  Layer.provideMerge(layerEmbedded(settings)),
  Layer.provideMerge(BunContext.layer),
  Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]]))))
)

await Effect.runPromise(
  Effect.ensuring(
    Effect.provide(main, services),
    Effect.sync(() => rmSync(directory, { force: true, recursive: true }))
  )
)
