import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NonEmptyText, WebAddress } from "../../foundation/schema/Scalars.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print } from "../../foundation/terminal/Output.ts"
import { at, project, timeOf } from "../projects/Cli.ts"
import { InterventionId, Recorded } from "./Domain.ts"
import { Interventions } from "./Interventions.ts"

const text = (name: string, what: string) => option(name, NonEmptyText).pipe(Options.withDescription(what))

const show = Schema.encode(Recorded)

const recordIntervention = Command.make(
  "record",
  {
    at,
    connector: text("connector", "Content management system of the page, such as wordpress"),
    json,
    project,
    summary: text("summary", "What the fix changes, in one sentence"),
    url: option("url", WebAddress).pipe(Options.withDescription("URL of the page that was changed"))
  },
  ({ at, connector, json, project, summary, url }) =>
    Effect.gen(function* () {
      const { deploy } = yield* Interventions
      const deployedAt = yield* timeOf(at)
      yield* print(yield* show(yield* deploy({ connector, deployedAt, project, summary, url })), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Record that an automated fix was deployed. Raises intervention.deployed",
      "interventions record --project $PROJECT --url https://example.com/a --connector wordpress --summary 'Title shortened'"
    )
  )
)

const rollBack = Command.make(
  "roll-back",
  {
    at,
    id: argument("id", InterventionId).pipe(Args.withDescription("ID of the recorded fix")),
    json,
    reason: Options.optional(text("reason", "Why the fix was rolled back"))
  },
  ({ at, id, json, reason }) =>
    Effect.gen(function* () {
      const interventions = yield* Interventions
      const rollback = { id, reason: Option.getOrNull(reason), rolledBackAt: yield* timeOf(at) }
      yield* print(yield* show(yield* interventions.rollBack(rollback)), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Record that a fix was rolled back. Raises intervention.rolled_back",
      "interventions roll-back --reason 'fewer clicks' 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `interventions …` */
export const interventions = Command.make("interventions").pipe(
  Command.withDescription("Record automated fixes and rollbacks"),
  Command.withSubcommands([recordIntervention, rollBack]),
  Command.provide(Interventions.Default)
)
