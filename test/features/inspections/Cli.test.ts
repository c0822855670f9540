import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Cli from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import * as Command from "../../command.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { authorizedUser } from "../rankings/searchConsole.ts"

const it = suite(Server.layer, { timeout: 60_000 })

/** A connected site, with the API and the command line for its inspections. */
const connected = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const host = `shop-${account.slice(0, 8)}.example`
  const { id: site } = yield* Server.projectOf(account, `https://${host}/`)
  const { token_uri: _, ...credentials } = JSON.parse(authorizedUser(""))
  const body = { credentials, every: "off", property: `sc-domain:${host}` }
  yield* Server.send("PUT", `/api/v1/projects/${site}/rankings/source`, { body, key })
  const url = yield* databaseUrl
  const environment = { DATABASE_URL: url, FINDABLE_MASTER_KEY: Server.settings.FINDABLE_MASTER_KEY }
  const inspect = (...words: ReadonlyArray<string>) =>
    Command.run(environment, "rankings", "inspect", "--project", site, ...words)
  const process = (...words: ReadonlyArray<string>) =>
    Cli.run(environment, "rankings", "inspect", "--project", site, ...words)
  return { host, inspect, key, path: `/api/v1/projects/${site}/inspections`, process, site }
})

it("inspections run queues URLs and the pages of a crawl as the API does, and lists Google's answers", function* () {
  const sql = yield* SqlClient.SqlClient
  const { host, inspect, key, path, process, site } = yield* connected
  const pages = ["a", "b"].map((name) => ({
    fetch_state: "fetched",
    health_state: "eligible",
    indexability_state: "indexable",
    url: `https://${host}/${name}`
  }))
  const [run] = yield* sql<{ id: string }>`
    INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, finished_at, result)
    SELECT account_id, id, url, 5, false, 'completed', 'finished', clock_timestamp(), ${JSON.stringify({ findings: [], pages })}::json
    FROM projects WHERE id = ${site} RETURNING id`
  const named = yield* process("--json", `https://${host}/a`, `https://${host}/c`)
  expect([named.code, JSON.parse(named.stdout)]).toEqual([0, { joined: 0, position_estimate: 0, queued: 2 }])
  const ofRun = yield* inspect("--json", "--from-run")
  expect(JSON.parse(ofRun.stdout)).toEqual({ joined: 1, position_estimate: 2, queued: 1 })
  const again = yield* inspect("--json", "--from-run", run?.id ?? "")
  expect(JSON.parse(again.stdout)).toEqual({ joined: 2, position_estimate: 3, queued: 0 })
  yield* sql`
    UPDATE inspections SET status = 'done', verdict = CASE WHEN url LIKE '%/a' THEN 'FAIL' ELSE 'PASS' END, inspected_at = clock_timestamp()
    WHERE project_id = ${site}`
  const all = yield* inspect("--json", "--limit", "2")
  expect(JSON.parse(all.stdout)).toEqual((yield* Server.send("GET", `${path}?limit=2`, { key })).body.data)
  const failing = yield* inspect("--verdict", "FAIL")
  expect(failing.stdout).toContain(`https://${host}/a`)
  expect(failing.stdout).not.toContain(`https://${host}/c`)
  expect((yield* inspect("--json", "--changed-since", "2026-01-01T00:00:00Z")).stdout).toBe("[]\n")
})

it("inspections run reports wrong arguments in one line, and queues nothing", function* () {
  const { host, inspect, key, path } = yield* connected
  const refusals = [
    [
      ["https://other.example/"],
      `findable: urls.0 must belong to the connected Search Console property sc-domain:${host}\n`
    ],
    [["ftp://other.example/"], "findable: urls.0 must be an http or https URL of at most 2048 characters\n"],
    [["--from-run"], "findable: The site has no finished crawl. Start a crawl first\n"],
    [["--from-run", "newest"], "findable: run_id must be the id (UUID) of a crawl\n"],
    [["--from-run", "a", "b"], "findable: --from-run takes the ID of one crawl and no URLs\n"],
    [
      ["--verdict", "FAIL", `https://${host}/`],
      "findable: --verdict and --changed-since filter the list: use them without URLs and without --from-run\n"
    ],
    [["--verdict", "fail"], "findable: verdict must be PASS, FAIL, NEUTRAL, PARTIAL or VERDICT_UNSPECIFIED\n"]
  ] as const
  for (const [words, message] of refusals) {
    const { code, stderr, stdout } = yield* inspect(...words)
    expect([code, stdout, stderr]).toEqual([1, "", message])
  }
  expect((yield* Server.send("GET", path, { key })).body.data).toEqual([])
})
