import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { sign } from "../../../src/features/webhooks/signature/Signature.ts"
import { invocation } from "../../../src/foundation/terminal/Terminal.ts"
import * as Cli from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import * as Command from "../../command.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { everyEvent, layer, subscriber } from "../webhooks/pipeline.ts"
import { receiver } from "../webhooks/receiver.ts"

const it = suite(layer)

describe("the command line", () => {
  it("records interventions, backlinks and AI visibility and publishes events, which endpoints receive", function* () {
    const url = yield* databaseUrl
    const directory = yield* folder
    const target = yield* receiver()
    const { account } = yield* subscriber(target.url, everyEvent)
    const { id: project } = yield* Server.projectOf(account)
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    const run = (...args: ReadonlyArray<string>) =>
      Effect.map(
        Command.run({ DATABASE_URL: url, FINDABLE_LOG_LEVEL: "error" }, ...args, "--json"),
        ({ code, stderr, stdout }) => {
          expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
          return JSON.parse(stdout)
        }
      )
    const of = ["--project", project]

    const made = yield* run(
      "interventions",
      "record",
      ...of,
      "--url",
      "https://example.com/a",
      "--connector",
      "cms",
      "--summary",
      "s"
    )
    yield* run("interventions", "roll-back", "--reason", "worse", made.id)
    const old = file("old.csv", "domain,authority\na.example,70\nb.example,80\n")
    yield* run("backlinks", "import", ...of, "--at", "2026-11-01T00:00:00Z", old)
    const next = file("new.csv", "domain,authority\nb.example,80\n")
    expect((yield* run("backlinks", "import", ...of, "--at", "2026-11-08T00:00:00Z", next)).lost).toEqual([])
    const lost = yield* run("backlinks", "import", ...of, "--at", "2026-11-15T00:00:00Z", next)
    expect(lost).toMatchObject({ domains: 1, links: 0, lost: ["a.example"], rows: 1, source: "csv" })
    const before = file("before.json", '[{"engine":"e","sentiment":10}]')
    yield* run("geo", "import", ...of, "--at", "2026-11-14T00:00:00Z", before)
    yield* run("geo", "import", ...of, file("after.json", '[{"engine":"e","sentiment":2}]'))
    const data = {
      domain: "c.example",
      authority: 61,
      authority_source: "ahrefs",
      links: [],
      project_id: project,
      last_seen_at: "2026-11-14T00:00:00Z",
      missing_since: "2026-11-15T00:00:00Z"
    }
    const published = yield* run(
      "events",
      "publish",
      "--account",
      account,
      "--type",
      "backlink.lost",
      "--data",
      JSON.stringify(data)
    )

    const received = yield* target.arrived(5)
    expect(received.map(({ headers }) => headers["service-event-type"]).sort()).toEqual([
      "backlink.lost",
      "backlink.lost",
      "geo_score.changed",
      "intervention.deployed",
      "intervention.rolled_back"
    ])
    expect(received.map(({ headers }) => headers["service-event-id"])).toContain(published.id)

    const refused = yield* Cli.run(
      { DATABASE_URL: url, FINDABLE_LOG_LEVEL: "error" },
      "events",
      "publish",
      "--account",
      account,
      "--type",
      "audit.failed",
      "--data",
      "{}"
    )
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toStartWith("findable: ")
  })

  it("reports a wrong option in one line, before it opens a database", function* () {
    const some = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
    const record = ["interventions", "record", "--connector", "c", "--summary", "s"]
    const cases = [
      [[...record, "--url", "https://a.example/", "--project", "x"], "--project must be a UUID"],
      [[...record, "--url", "ftp://a", "--project", some], "--url must be an http or https URL"],
      [["interventions", "roll-back", "x"], "id must be a UUID"],
      [["geo", "import", "--project", some, "--at", "now", import.meta.path], "--at must be an ISO 8601 timestamp"],
      [["events", "publish", "--account", some, "--type", "audit.failed", "--data", "{"], "--data must be JSON"]
    ] as const
    const refusal = ([group, name]: ReadonlyArray<string>, line: string) =>
      `findable: ${group} ${name}: ${line}. For help: ${invocation} ${group} ${name} --help`
    for (const [words, line] of cases) {
      const { code, stderr, stdout } = yield* Command.run({}, ...words)
      expect({ code, stderr: stderr.trim(), stdout }).toEqual({ code: 1, stderr: refusal(words, line), stdout: "" })
    }
  })

  it("verifies a signature without a database", function* () {
    const directory = yield* folder
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    const body = '{"id":"evt_1","text":"Grüße"}'
    const path = join(directory, "body")
    writeFileSync(path, body)
    const signature = yield* Effect.promise(() =>
      sign({ body, secrets: [secret], timestamp: Math.floor(Date.now() / 1000) })
    )
    const genuine = yield* Cli.run(
      {},
      "webhooks",
      "verify",
      "--secret",
      secret,
      "--signature",
      signature,
      "--json",
      path
    )
    expect({ code: genuine.code, ...JSON.parse(genuine.stdout) }).toMatchObject({ code: 0, valid: true })
    writeFileSync(path, `${body} `)
    const forged = yield* Command.run({}, "webhooks", "verify", "--secret", secret, "--signature", signature, path)
    expect(forged).toEqual({
      code: 1,
      stderr: "findable: The signature is not valid: signature_mismatch\n",
      stdout: ""
    })
  })
})
