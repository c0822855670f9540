import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import { databaseUrl } from "../../cluster.ts"

const root = resolve(import.meta.dir, "../../..")

/** Enough keys that none reaches its limits. */
const keyCount = 400

/** Runs one of our commands and returns its JSON. */
const cli = async (url: string, ...words: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, "src/cli.ts", ...words, "--json"], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, FINDABLE_LOG_LEVEL: "error" },
    stderr: "inherit",
    stdout: "pipe"
  })
  return JSON.parse(await new Response(child.stdout).text())
}

/** Three weeks of rankings for a number of queries. */
const rankings = (queries: number) => {
  const lines = ["Date,Query,Page,Clicks,Impressions,Position"]
  for (let day = 1; day <= 21; day++) {
    for (let query = 0; query < queries; query++) {
      lines.push(
        `2026-10-${String(day).padStart(2, "0")},words of query ${query},https://example.com/page/${query % 50},${query % 7},${10 + ((query * 7919) % 500)},${1 + ((query + day) % 40)}`
      )
    }
  }
  return lines.join("\n")
}

/** More accounts, each with a site that has the rankings of this one. */
const copied = Effect.fnUntraced(function* (account: string, project: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO accounts (name, plan) SELECT 'bench ' || n, 'agency_team' FROM generate_series(1, ${count}) n`
  const others = sql`SELECT id FROM accounts WHERE id <> ${account}`
  yield* sql`INSERT INTO projects (account_id, name, url, host)
    SELECT other.id, name, url, host FROM projects CROSS JOIN (${others}) AS other WHERE projects.id = ${project}`
  yield* sql`INSERT INTO ranking_snapshots (account_id, number, oldest)
    SELECT other.id, number, oldest FROM ranking_snapshots CROSS JOIN (${others}) AS other WHERE account_id = ${account}`
  yield* sql`INSERT INTO ranking_generations
      (site_id, account_id, period_start, period_end, records, recorded_at, published, coverage, statuses, opportunities)
    SELECT p.id, p.account_id, period_start, period_end, records, recorded_at, published, coverage, statuses, opportunities
    FROM ranking_generations CROSS JOIN projects p WHERE site_id = ${project} AND p.account_id <> ${account}`
  yield* sql`INSERT INTO rankings
    SELECT copy.id, key, impressions, clicks, current_position, previous_position, position_delta, ranking_status, query, page, folded
    FROM ranking_generations copy CROSS JOIN rankings WHERE copy.site_id <> ${project}
      AND generation = (SELECT id FROM ranking_generations WHERE site_id = ${project} AND published IS NOT NULL)`
  yield* sql`VACUUM ANALYZE`
  return (yield* sql<{ id: string }>`${others}`).map(({ id }) => ({ id: AccountId.make(id) }))
})

/**
 * Creates an account with projects, rankings with the given number of queries, an audit, and API keys; or as many accounts as keys, each with one key and
 * a site with these rankings. Its files are written to `folder`.
 */
export const furnish = (folder: string, queries: number, accountCount: 1 | typeof keyCount) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const projects = yield* Projects
    const url = yield* databaseUrl
    const account = yield* accounts.create("bench", "agency_team")
    yield* sql`INSERT INTO projects (account_id, name, url, host)
      SELECT ${account.id}, 'p' || n, 'https://' || n || '.example.com/', n || '.example.com' FROM generate_series(1, 40) n`
    const project = yield* projects.create(account.id, { url: "https://example.com" })
    const file = join(folder, "rankings.csv")
    writeFileSync(file, rankings(queries))
    yield* Effect.promise(() => cli(url, "rankings", "import", "--project", project.id, "--format", "gsc-csv", file))
    const report = resolve(root, "../shared/oracles/lighthouse/lhr-13.5.0-local.json")
    const audit = yield* Effect.promise(() =>
      cli(url, "audits", "import", "--account", account.id, "--lighthouse", report)
    )
    const others = accountCount === 1 ? [] : yield* copied(account.id, project.id, accountCount - 1)
    const owners = [account, ...others]
    const keys = yield* Effect.forEach(Array.from({ length: keyCount }).keys(), (n) =>
      accounts.createKey(owners[n % owners.length]?.id ?? account.id, ["*", "site-health:write"], "test")
    )
    yield* sql`
      CREATE TABLE peer_keys (hash bytea PRIMARY KEY, account_id uuid NOT NULL, per_minute integer NOT NULL,
        minute bigint NOT NULL DEFAULT 0, count integer NOT NULL DEFAULT 0, before integer NOT NULL DEFAULT 0) WITH (fillfactor = 50)`
    yield* sql`INSERT INTO peer_keys SELECT hash, account_id, 600 FROM api_keys`
    return { account: account.id, audit: String(audit.id), keys: keys.map(({ key }) => key), project: project.id, url }
  })

/** The read paths, after a crawl was started. */
export const pathsOf = ({ audit }: Effect.Effect.Success<ReturnType<typeof furnish>>, run: string) => [
  "/api/v1/keywords",
  "/api/v1/projects",
  `/api/v1/runs/${run}`,
  `/api/v1/audits/${audit}`
]
