import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { databaseUrl } from "../../cluster.ts"
import { run } from "../../command.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer, { timeout: 60_000 })

const command = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(databaseUrl, (DATABASE_URL) => run({ ...Server.settings, DATABASE_URL }, "geo", ...words))

it("findable geo keeps prompts and schedules, shows the price of a run, and reports errors in one line", function* () {
  const { account, key } = yield* Server.customer()
  const { id: project } = yield* Server.projectOf(account)
  const of = ["--account", account, "--project", project]
  const added = yield* command("prompts", "add", ...of, "--json", "Who mends shoes?")
  expect(added).toMatchObject({ code: 0, stderr: "" })
  const prompt = JSON.parse(added.stdout)
  expect(prompt).toMatchObject({ locale: "en-US", text: "Who mends shoes?" })
  const engines = ["--engines", "openai,xai", "--repeats", "3"]
  const dry = yield* command("run", ...of, ...engines, "--dry-run", "--json")
  expect(JSON.parse(dry.stdout)).toMatchObject({ budget_left_usd: 0, calls: 6 })
  const refused = yield* command("run", ...of, ...engines)
  expect([refused.code, refused.stderr.trim().split("\n").length]).toEqual([1, 1])
  expect(refused.stderr).toContain("FINDABLE_OPENAI_KEY")
  const made = yield* command("schedule", "add", ...of, "--engines", "xai", "--every", "14d", "--json")
  const schedule = JSON.parse(made.stdout)
  expect(schedule).toMatchObject({ engines: ["xai"], every: "14d", repeats: 5 })
  expect((yield* Server.send("GET", `/api/v1/projects/${project}/geo/schedules`, { key })).body.data).toEqual([
    schedule
  ])
  expect(JSON.parse((yield* command("visibility", ...of, "--json")).stdout)).toEqual([])
})
