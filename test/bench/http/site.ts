import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../../src/accounts/Accounts.ts"
import { AuditId } from "../../../src/audits/AuditId.ts"
import { AuditsRepo } from "../../../src/audits/AuditsRepo.ts"
import { Projects } from "../../../src/projects/Projects.ts"
import { Keywords } from "../../../src/rankings/keywords/Keywords.ts"
import { RunId } from "../../../src/sitehealth/Domain.ts"
import { RunsRepo } from "../../../src/sitehealth/RunsRepo.ts"
import * as Cluster from "../../cluster.ts"

const root = resolve(import.meta.dir, "../../..")

/** So many that no key meets its limits. */
const keyCount = 400

/** Runs a command of ours and answers its JSON. */
const cli = async (url: string, ...words: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, "src/cli.ts", ...words, "--json"], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, FINDABLE_LOG_LEVEL: "error" },
    stderr: "inherit",
    stdout: "pipe"
  })
  return JSON.parse(await new Response(child.stdout).text())
}

/** Three weeks of 400 queries. */
const rankings = () => {
  const lines = ["Date,Query,Page,Clicks,Impressions,Position"]
  for (let day = 1; day <= 21; day++) {
    for (let query = 0; query < 400; query++) {
      lines.push(
        `2026-10-${String(day).padStart(2, "0")},words of query ${query},https://example.com/page/${query % 50},${query % 7},${10 + ((query * 7919) % 500)},${1 + ((query + day) % 40)}`
      )
    }
  }
  return lines.join("\n")
}

/** An account with keys, projects, rankings and an audit; `folder` takes the files for it. */
export const furnish = (folder: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const projects = yield* Projects
    const url = yield* Cluster.databaseUrl
    const account = yield* accounts.create("bench", "agency_team")
    const keys = yield* Effect.replicateEffect(
      accounts.createKey(account.id, ["*", "site-health:write"], "test"),
      keyCount
    )
    yield* sql`INSERT INTO projects (account_id, name, url, host)
      SELECT ${account.id}, 'p' || n, 'https://' || n || '.example.com/', n || '.example.com' FROM generate_series(1, 40) n`
    const project = yield* projects.create(account.id, { url: "https://example.com" })
    const file = join(folder, "rankings.csv")
    writeFileSync(file, rankings())
    yield* Effect.promise(() => cli(url, "rankings", "import", "--project", project.id, "--format", "gsc-csv", file))
    const report = resolve(root, "../shared/oracles/lighthouse/lhr-13.5.0-local.json")
    const audit = yield* Effect.promise(() =>
      cli(url, "audits", "import", "--account", account.id, "--lighthouse", report)
    )
    return { account: account.id, audit: String(audit.id), keys: keys.map(({ key }) => key), project: project.id, url }
  })

/** The statement that our server answers a path with, caught on its way to the database. */
const caught = (read: Effect.Effect<unknown, unknown, never>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const texts: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const capture = Statement.withTransformer((original) => {
      texts.push(original.compile())
      return Effect.succeed(original)
    })
    yield* Effect.exit(capture(read).pipe(Effect.provideService(SqlClient.SqlClient, sql)))
    return texts.at(-1) ?? ["", []]
  })

/** What the other servers are told: the statement, with its values, of each path. */
export const statementsOf = ({ account, audit }: Effect.Effect.Success<ReturnType<typeof furnish>>, run: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const batch = { after: undefined, count: 21 }
    const services = Layer.mergeAll(AuditsRepo.Default, Keywords.Default, RunsRepo.Default).pipe(
      Layer.provide(Layer.succeed(SqlClient.SqlClient, sql))
    )
    const found = yield* Effect.provide(
      Effect.gen(function* () {
        const keywords = yield* Keywords
        const audits = yield* AuditsRepo
        const projects = yield* Projects
        const runs = yield* RunsRepo
        return {
          "/api/v1/keywords": yield* caught(keywords.list(account, {}, batch)),
          "/api/v1/projects": yield* caught(projects.list(account, batch)),
          [`/api/v1/runs/${run}`]: yield* caught(runs.find({ account, id: RunId.make(run) })),
          [`/api/v1/audits/${audit}`]: yield* caught(audits.find({ account, id: AuditId.make(audit) }))
        }
      }),
      services
    )
    return Object.fromEntries(
      Object.entries(found).map(([path, [text, values]], index) => [
        path,
        { list: index < 2, name: `s${index}`, text, values }
      ])
    )
  })
