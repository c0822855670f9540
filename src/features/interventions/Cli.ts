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
    connector: text("connector", "content management system that it went through"),
    json,
    project,
    summary: text("summary", "what the fix changes"),
    url: option("url", WebAddress).pipe(Options.withDescription("page that was changed"))
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
      "record that an automated fix was deployed (intervention.deployed)",
      "interventions record --project $PROJECT --url https://example.com/a --connector wordpress --summary 'Title shortened'"
    )
  )
)

const rollBack = Command.make(
  "roll-back",
  {
    at,
    id: argument("id", InterventionId).pipe(Args.withDescription("id of the intervention")),
    json,
    reason: Options.optional(text("reason", "why, where known"))
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
      "record that a fix was rolled back (intervention.rolled_back)",
      "interventions roll-back --reason 'fewer clicks' 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `interventions …` */
export const interventions = Command.make("interventions").pipe(
  Command.withDescription("automated fixes"),
  Command.withSubcommands([recordIntervention, rollBack]),
  Command.provide(Interventions.Default)
)
