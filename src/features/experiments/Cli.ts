import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/Help.ts"
import { argument, option, readInput } from "../../foundation/terminal/Input.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { ExperimentId, InitialStatus, NewExperiment } from "./Domain.ts"
import { Experiments } from "./Experiments.ts"
import { GrowthProjectId } from "./GrowthProject.ts"
import { GrowthProjects } from "./GrowthProjects.ts"
import { ExperimentMetrics } from "./statistics/Statistics.ts"

const readExperiment = readInput(NewExperiment)
const readMetrics = readInput(Schema.parseJson(ExperimentMetrics))

const id = argument("id", ExperimentId).pipe(Args.withDescription("id of the experiment"))

const create = Command.make(
  "create",
  {
    json,
    name: Options.text("name").pipe(Options.withDescription("name of the experiment")),
    hypothesis: Options.optional(
      Options.text("hypothesis").pipe(Options.withDescription("expected effect of the change"))
    ),
    project: option("growth-project", GrowthProjectId).pipe(Options.withDescription("id of the growth project")),
    status: Options.choice("status", InitialStatus.literals).pipe(
      Options.withDefault("draft" as const),
      Options.withDescription("`running` starts it at once")
    )
  },
  ({ hypothesis, json, name, project, status }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const growthProjects = yield* GrowthProjects
      const experiment = yield* readExperiment({
        hypothesis: Option.getOrNull(hypothesis),
        name,
        project_id: project,
        status
      })
      yield* print(yield* experiments.create(yield* growthProjects.ownerOf(project), experiment), json)
    })
).pipe(
  Command.withDescription(
    described(
      "create an experiment",
      "experiments create --growth-project $GROWTH --name 'Shorter titles' --status running"
    )
  )
)

const start = Command.make("start", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.start(yield* experiments.ownerOf(id), id), json)
  })
).pipe(Command.withDescription(described("start a draft", "experiments start 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")))

const evaluate = Command.make(
  "evaluate",
  {
    file: Options.fileText("file").pipe(
      Options.withDescription("JSON file with controlMetrics and treatmentMetrics, as in the API")
    ),
    id,
    json
  },
  ({ file: [, text], id, json }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const metrics = yield* readMetrics(text)
      const { experiment } = yield* experiments.evaluate(yield* experiments.ownerOf(id), id, metrics)
      yield* print(experiment, json)
    })
).pipe(
  Command.withDescription(
    described(
      "evaluate a running experiment, which completes it",
      "experiments evaluate --file metrics.json 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments …` */
export const experiments = Command.make("experiments").pipe(
  Command.withDescription("experiments"),
  Command.withSubcommands([create, start, evaluate]),
  Command.provide(Experiments.Default),
  Command.provide(GrowthProjects.Default)
)
