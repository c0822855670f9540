import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { described } from "../../../../foundation/terminal/Help.ts"
import { readInput } from "../../../../foundation/terminal/Input.ts"
import { json, print } from "../../../../foundation/terminal/Output.ts"
import { account } from "../../../accounts/AccountOption.ts"
import { project } from "../../../projects/ObservationOptions.ts"
import { engines } from "../Domain.ts"
import { StartGeoRun } from "./Run.ts"
import { Runs } from "./Runs.ts"

const readTerms = readInput(StartGeoRun)

/** `--engines` and `--repeats`, as runs and schedules take them. */
export const terms = {
  engines: Options.text("engines").pipe(
    Options.withDescription(`engines to ask, separated by commas: ${engines.join(", ")}`)
  ),
  repeats: Options.integer("repeats").pipe(
    Options.withDefault(5),
    Options.withDescription("how often each is asked each prompt, 1 to 10; 5 by default")
  )
}

/** The names of engines as they were typed. */
export const namesOf = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

/** `geo run` */
export const run = Command.make(
  "run",
  {
    account,
    dryRun: Options.boolean("dry-run").pipe(Options.withDescription("tell calls and price, and ask nothing")),
    json,
    project,
    ...terms
  },
  ({ account, dryRun, engines, json, project, repeats }) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const asked = yield* readTerms({ dry_run: dryRun, engines: namesOf(engines), repeats })
      yield* print(
        yield* asked.dry_run ? runs.estimate(account, project, asked) : runs.start(account, project, asked),
        json
      )
    })
).pipe(
  Command.withDescription(
    described(
      "ask AI engines the questions of a project; any worker node does so, within the budget of the day",
      "geo run --account $ACCOUNT --project $PROJECT --engines openai,perplexity --dry-run"
    )
  ),
  Command.provide(Runs.Default)
)

/** `geo runs` */
export const runs = Command.make("runs", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    yield* print(yield* runs.list(account, project, { after: undefined, count: 20 }), json)
  })
).pipe(
  Command.withDescription(
    described("list the newest runs of a project", "geo runs --account $ACCOUNT --project $PROJECT")
  ),
  Command.provide(Runs.Default)
)
