import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { described } from "../../../../foundation/terminal/Help.ts"
import { option } from "../../../../foundation/terminal/Input.ts"
import { json, print } from "../../../../foundation/terminal/Output.ts"
import { account } from "../../../accounts/AccountOption.ts"
import { project } from "../../../projects/ObservationOptions.ts"
import { Engine, RunId } from "../Domain.ts"
import { Reads } from "./Reads.ts"

/** `geo visibility` */
export const visibility = Command.make(
  "visibility",
  {
    account,
    compare: Options.optional(option("compare", RunId).pipe(Options.withDescription("id of the run to compare with"))),
    engine: Options.optional(
      Options.choice("engine", Engine.literals).pipe(Options.withDescription("only this engine"))
    ),
    json,
    project
  },
  ({ account, compare, engine, json, project }) =>
    Effect.gen(function* () {
      const reads = yield* Reads
      const of = { compare: Option.getOrUndefined(compare), engine: Option.getOrUndefined(engine) }
      yield* print(yield* reads.visibility(account, project, of), json)
    })
).pipe(
  Command.withDescription(
    described(
      "how visible a site is in the answers of the newest run",
      "geo visibility --account $ACCOUNT --project $PROJECT"
    )
  ),
  Command.provide(Reads.Default)
)
