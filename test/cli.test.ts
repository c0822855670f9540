import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { run } from "./cli.ts"
import { it } from "./harness.ts"

const commands = [
  "accounts",
  "keys",
  "projects",
  "rankings",
  "audits",
  "site-health",
  "growth-projects",
  "experiments",
  "interventions",
  "backlinks",
  "geo",
  "events",
  "webhooks",
  "secrets",
  "crawl",
  "fixes",
  "verify",
  "diff",
  "migrate",
  "doctor"
]

it("the help and completions of the command line name every command, whichever command is loaded", function* () {
  const [help, completions, own, unknown] = yield* Effect.all(
    [run({}, "--help"), run({}, "--completions", "bash"), run({}, "webhooks", "--help"), run({}, "craw", "x")],
    { concurrency: 2 }
  )
  for (const command of commands) {
    expect(help.stdout).toContain(command)
    expect(completions.stdout).toContain(`findable,${command.replace("-", "__")})`)
  }
  expect(own).toMatchObject({ code: 0, stderr: "" })
  expect(own.stdout).toContain("verify")
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.stdout + unknown.stderr).toContain("crawl")
})
