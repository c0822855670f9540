import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { databaseUrl } from "../../cluster.ts"
import { run } from "../../command.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer, { timeout: 60_000 })

const command = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(databaseUrl, (DATABASE_URL) =>
    run({ ...Server.settings, DATABASE_URL }, "site-health", "schedule", ...words)
  )

describe("site-health schedule", () => {
  it("adds, lists and removes schedules of a site", function* () {
    const { account } = yield* Server.customer()
    const { id: project } = yield* Server.projectOf(account)
    const of = ["--account", account, "--project", project]
    const options = [
      "--every",
      "12h",
      "--max-pages",
      "9",
      "--no-dead-links",
      "--check-external-links",
      "--render",
      "never"
    ]
    const added = yield* command("add", ...of, ...options, "--json")
    expect(added).toMatchObject({ code: 0, stderr: "" })
    const schedule = JSON.parse(added.stdout)
    expect(schedule).toMatchObject({
      check_dead_links: false,
      check_external_links: true,
      every: "12h",
      max_pages: 9,
      project_id: project,
      render: "never"
    })
    expect((yield* command("list", ...of, "--json")).stdout).toContain(schedule.id)
    expect((yield* command("remove", ...of, schedule.id)).code).toBe(0)
    expect((yield* command("list", ...of, "--json")).stdout).not.toContain(schedule.id)
  })

  it("reports an error in one line", function* () {
    const { account } = yield* Server.customer()
    const { id: project } = yield* Server.projectOf(account)
    const refused = yield* command("add", "--account", account, "--project", project, "--every", "5h")
    expect([refused.code, refused.stderr.trim().split("\n").length]).toEqual([1, 1])
    expect(refused.stderr).toContain("must be from 6h to 30d")
    const unrendered = yield* command("add", "--account", account, "--project", project, "--render", "always")
    expect([unrendered.code, unrendered.stderr.trim().split("\n").length]).toEqual([1, 1])
    expect(unrendered.stderr).toContain(
      "findable: render cannot be always. No running worker has a browser. Install one"
    )
    const stranger = yield* Server.customer()
    const missing = yield* command("list", "--account", stranger.account, "--project", project)
    expect([missing.code, missing.stderr.trim()]).toEqual([
      1,
      expect.stringContaining("findable: No site found with this id. Check the id")
    ])
  })
})
