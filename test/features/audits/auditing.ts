import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { Audits, reportOutcome } from "../../../src/features/audits/Audits.ts"
import { audits } from "../../../src/features/audits/Cli.ts"
import { Schedules } from "../../../src/features/audits/schedule/Schedules.ts"
import * as Server from "../../server.ts"
import { read } from "./reports.ts"

/** The real server, and its use cases to prepare a test. */
export const layer = Layer.mergeAll(Audits.Default, Schedules.Default, BunContext.layer).pipe(
  Layer.provideMerge(Server.layer)
)

const run = Command.run(Command.make("findable").pipe(Command.withSubcommands([audits])), {
  name: "findable",
  version: "test"
})

/** The output of `audits …` with `--json`, and its error, if it fails. */
export const command = (...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
    const log = (line: string) => Effect.sync(() => lines.push(line))
    const failure = yield* run(["bun", "findable", "audits", ...words, "--json"]).pipe(
      Effect.as(null),
      // The console explains a command line that does not parse.
      Effect.catchAll((error) =>
        Effect.sync(() =>
          Predicate.hasProperty(error, "message") ? String(error.message) : lines.splice(0).join("\n")
        )
      ),
      Console.withConsole({ ...console, error: log, log, unsafe })
    )
    return { failure, printed: lines.length === 0 ? undefined : JSON.parse(lines.join("\n")) }
  })

/** The outbox of an account, oldest first. */
export const events = (account: AccountId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ body: string; occurrence: string }>`
      SELECT body, occurrence FROM events WHERE account_id = ${account} ORDER BY created_at`
    return rows.map(({ body, occurrence }) => ({ ...JSON.parse(body), occurrence }))
  }).pipe(Effect.orDie)

/** Records a report as an imported audit of the account. */
export const imported = (account: AccountId, json: unknown) =>
  Effect.flatMap(Audits, (audits) =>
    audits.record({ account, schedule: null, source: "import" }, reportOutcome({ field: null, report: read(json) }))
  )

/** A report of a run that failed in Lighthouse. */
export const runtimeError = { runtimeError: { code: "DNS_FAILURE", message: "DNS servers could not resolve it" } }
