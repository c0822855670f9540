import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { bar } from "../../../src/features/rankings/CliImport.ts"
import * as Cli from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import * as Command from "../../command.ts"
import { folder } from "../../folder.ts"
import { it as alone, suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { ndjson, rows } from "./opportunities/world.ts"
import { csv, layer, owner, traces } from "./storing.ts"

const it = suite(layer, { timeout: 60_000 })

const environment = Effect.map(databaseUrl, (url) => ({
  DATABASE_URL: url,
  FINDABLE_MASTER_KEY: Server.settings.FINDABLE_MASTER_KEY
}))

/** `rankings …` as a separate process, killed with the scope at the latest. */
const spawn = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(environment, (env) =>
    Effect.acquireRelease(
      Effect.sync(() => Cli.spawn("cli", env, ["rankings", ...words])),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
  )

/** `rankings …` in this process, to its end. */
const run = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(environment, (env) => Command.run(env, "rankings", ...words))

const file = (name: string, text: string) =>
  Effect.map(folder, (path) => {
    const full = join(path, name)
    writeFileSync(full, text)
    return full
  })

describe("rankings opportunities", () => {
  it("lists the same as the API after an import, and says in one line why there is no list before", function* () {
    const { key, site } = yield* owner
    const ask = (...words: ReadonlyArray<string>) => run("opportunities", "--project", site, ...words)
    const early = yield* ask("--kind", "decay")
    expect([early.code, early.stdout]).toEqual([1, ""])
    expect(early.stderr).toBe(
      "findable: Not enough data for decay: it needs 56 consecutive days up to the latest day, and your data begin later. Import older days\n"
    )
    const days = yield* file("days.ndjson", ndjson(rows()))
    expect((yield* run("import", "--project", site, "--format", "bigquery", days)).code).toBe(0)
    const found = yield* ask("--kind", "low_ctr", "--device", "MOBILE", "--limit", "2", "--json")
    const listed = yield* Server.send(
      "GET",
      `/api/v1/projects/${site}/opportunities?kind=low_ctr&device=MOBILE&limit=2`,
      {
        key
      }
    )
    expect(listed.body.data).toHaveLength(2)
    expect(JSON.parse(found.stdout)).toEqual(listed.body.data)
    expect((yield* ask("--kind", "decay", "--brand", "true")).stderr).toBe(
      "findable: --brand cannot be combined with kind=decay, which lists pages with all their queries\n"
    )
  })
})

describe("rankings import", () => {
  it("imports files and prints the result, as JSON on request", function* () {
    const { site } = yield* owner
    const table = yield* file("table.csv", "Query,Page,Clicks,Impressions,Position\na,/a,1,20,3.5\n")
    const child = yield* spawn(
      "import",
      "--project",
      site,
      "--format",
      "gsc-csv",
      "--date",
      "2026-10-08",
      "--json",
      table
    )
    const done = yield* Cli.ended(child)
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(done.stdout)).toEqual({
      changed: 1,
      coverage: {
        current: { days_with_data: 1, end: "2026-10-08", start: "2026-10-02" },
        previous: { days_with_data: 0, end: "2026-10-01", start: "2026-09-25" },
        site_id: site,
        warnings: []
      },
      dropped: { anonymised: 0, noImpressions: 0, otherHost: 0, otherSearchType: 0 },
      first_day: "2026-10-08",
      incomplete_days: [],
      last_day: "2026-10-08",
      message: `${table}: 1 row of queries on pages by day, 2026-10-08.`,
      passed_over: [],
      renewed: { movements: 0, period: { end: "2026-10-08", start: "2026-10-02" }, records: 1 },
      rows: 1,
      snapshots: []
    })
    const imported = (...more: ReadonlyArray<string>) =>
      Effect.map(
        run("import", "--project", site, "--format", "gsc-csv", "--date", "2026-10-08", "--json", table, ...more),
        ({ stdout }) => JSON.parse(stdout)
      )
    expect(yield* imported()).toMatchObject({
      changed: 0,
      coverage: { current: { days_with_data: 1, end: "2026-10-08" } },
      first_day: "2026-10-08",
      rows: 1,
      unchanged: true
    })
    const other = yield* file("other.csv", "Query,Page,Clicks,Impressions,Position\nb,/b,1,20,3.5\n")
    expect(yield* imported(other)).toMatchObject({ changed: 1, rows: 2 })
    expect(yield* imported()).toMatchObject({ changed: 0, coverage: { warnings: [] }, rows: 1 })
  })

  it("keeps tables without dates beside days, lists them and deletes them", function* () {
    const { site } = yield* owner
    const metrics = "Clicks,Impressions,CTR,Position"
    const queries = yield* file("Queries.csv", `Top queries,${metrics}\nshoes,1,20,5%,3.5\n`)
    const chart = join(dirname(queries), "Chart.csv")
    writeFileSync(chart, `Date,${metrics}\n2026-10-07,1,20,5%,3.5\n2026-10-08,1,20,5%,3.5\n`)
    const asked = (...words: ReadonlyArray<string>) =>
      Effect.map(run(...words, "--project", site, "--json"), ({ code, stderr, stdout }) => {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        return JSON.parse(stdout)
      })
    const { snapshots } = yield* asked("import", "--format", "gsc-csv", queries, chart)
    const range = { end: "2026-10-08", start: "2026-10-07" }
    expect(snapshots).toEqual([{ file: queries, id: expect.any(String), kind: "queries", range, rows: 1 }])
    const [{ id }] = snapshots
    expect(yield* asked("snapshots")).toMatchObject([{ id, kind: "queries", project_id: site, range, rows: 1 }])
    expect(yield* asked("snapshots", "--id", id)).toEqual([
      { clicks: 1, ctr: 0.05, impressions: 20, key: "shoes", position: 3.5 }
    ])
    expect(yield* asked("drop-snapshot", "--id", id)).toEqual({ id })
    expect(yield* asked("snapshots")).toEqual([])
    const half = yield* run("import", "--project", site, "--format", "gsc-csv", "--start", "2026-10-07", queries)
    expect([half.code, half.stderr]).toEqual([1, "findable: --end is required together with start\n"])
  })

  it("shows its progress on a terminal, and removes it before the result", function* () {
    const { site } = yield* owner
    const lines = Array.from({ length: 20_000 }, (_, index) => `2026-10-08,query ${index},/${index},1,20,3.5`)
    const large = yield* file("large.csv", csv(...lines))
    const words = ["import", "--project", site, "--format", "gsc-csv", "--json", large]
    const { code, shown } = yield* Cli.runInTerminal(yield* environment, "rankings", ...words)
    expect(code).toBe(0)
    const [answer = "", ...drawn] = shown.split("\r\u001b[2K").reverse()
    expect(JSON.parse(answer)).toMatchObject({ rows: 20_000 })
    expect(drawn[0]).toMatch(/^█{30} 100 % of 0\.8 MB, storing for \d+ s$/)
    expect(drawn).toContainEqual(expect.stringMatching(/^█+░+ {2}\d\d % of 0\.8 MB$/))
  })

  it("reports a wrong line of a file, a missing file, a future day or an unknown site in one line", function* () {
    const { site } = yield* owner
    const good = yield* file("good.csv", csv("2026-10-08,a,/a,1,20,3.5"))
    const bad = yield* file("bad.csv", csv("2026-10-08,a,/a,1,20,3.5", "2026-10-08,b,/b,30,20,3.5"))
    const future = yield* file("future.csv", csv("2999-01-01,a,/a,1,20,3.5"))
    const refusals = [
      [[site, good, bad], `findable: ${bad}:3: 30 clicks are more than 20 impressions\n`],
      [[site, good, `${bad}.gone`], `findable: ${bad}.gone: cannot be read`],
      [[site, future], `findable: ${future}:2: 2999-01-01 lies after`],
      [["7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21", good], "findable: There is no site 7b0d5f0e"]
    ] as const
    for (const [[project, ...files], message] of refusals) {
      const done = yield* run("import", "--project", project, "--format", "gsc-csv", ...files)
      expect({ code: done.code, stdout: done.stdout }).toEqual({ code: 1, stdout: "" })
      expect(done.stderr).toStartWith(message)
      expect(done.stderr.trim().split("\n")).toHaveLength(1)
    }
    expect(yield* traces(site)).toMatchObject({ imports: 0, rows: 0 })
  })

  it("leaves nothing when it is killed", function* () {
    const sql = yield* SqlClient.SqlClient
    const { site } = yield* owner
    const lines = Array.from({ length: 200_000 }, (_, index) => `2026-10-08,query ${index},/${index},1,20,3.5`)
    const large = yield* file("large.csv", csv(...lines))
    const child = yield* spawn("import", "--project", site, "--format", "gsc-csv", large)
    const staging = sql`
      SELECT pid FROM pg_stat_activity WHERE application_name = ${`findable ${child.pid}`} AND query LIKE 'COPY %'`
    const until = (there: boolean) =>
      staging.pipe(
        Effect.filterOrFail(
          (rows) => rows.length > 0 === there,
          () => "not yet"
        ),
        Effect.retry(Schedule.spaced("5 millis")),
        Effect.timeout("50 seconds")
      )
    yield* until(true)
    child.kill("SIGKILL")
    yield* Effect.promise(() => child.exited)
    yield* until(false)
    expect(child.signalCode).toBe("SIGKILL")
    expect(yield* traces(site)).toEqual({ events: 0, generations: 0, imports: 0, pairs: 0, records: 0, rows: 0 })
  })
})

describe("rankings connect, rankings schedule and rankings sync", () => {
  it("print their result, or in one line the reason for none", function* () {
    const { site } = yield* owner
    const credentials = yield* file(
      "credentials.json",
      JSON.stringify({ client_id: "c", client_secret: "s", refresh_token: "r", type: "authorized_user" })
    )
    const early = yield* run("sync", "--project", site)
    expect(early).toMatchObject({ code: 1, stdout: "" })
    expect(early.stderr).toContain("is not connected to Search Console")
    const connected = yield* run("connect", "--project", site, "--credentials", credentials, "--json")
    expect(JSON.parse(connected.stdout)).toMatchObject({ every_hours: 24, property: "https://example.com/" })
    const scheduled = yield* run("schedule", "--project", site, "--every", "6h", "--json")
    expect(JSON.parse(scheduled.stdout)).toMatchObject({ every_hours: 6 })
    const wrong = yield* run("schedule", "--project", site, "--every", "31d")
    expect(wrong.code).toBe(1)
    const off = yield* run("schedule", "--project", site, "--every", "off", "--json")
    expect(JSON.parse(off.stdout)).toMatchObject({ every_hours: null, next_sync_at: null })
  })
})

alone("the progress bar grows from empty to full", () =>
  Effect.sync(() => {
    expect(bar(0, 2e6)).toBe(`${"░".repeat(30)}   0 % of 2.0 MB`)
    expect(bar(50, 2e6)).toBe(`${"█".repeat(15)}${"░".repeat(15)}  50 % of 2.0 MB`)
    expect(bar(100, 2e6)).toBe(`${"█".repeat(30)} 100 % of 2.0 MB`)
  })
)
