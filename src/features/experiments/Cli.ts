import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput } from "../../foundation/terminal/Output.ts"
import { ExperimentId, InitialStatus, NewExperiment } from "./Domain.ts"
import { assign, designOf, designOptions, power, preview } from "./design/Cli.ts"
import { Experiments } from "./Experiments.ts"
import { GrowthProjects } from "./GrowthProjects.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
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
    design: designOptions,
    status: Options.choice("status", InitialStatus.literals).pipe(
      Options.withDefault("draft" as const),
      Options.withDescription("`running` starts it at once")
    )
  },
  ({ design, hypothesis, json, name, project, status }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const growthProjects = yield* GrowthProjects
      const designed = yield* designOf(design)
      const experiment = yield* readExperiment({
        hypothesis: Option.getOrNull(hypothesis),
        name,
        project_id: project,
        status,
        ...(designed === undefined ? {} : { design: designed })
      })
      yield* print(yield* experiments.create(yield* growthProjects.ownerOf(project), experiment), json)
    })
).pipe(
  Command.withDescription(
    described(
      "create an experiment",
      "experiments create --growth-project $GROWTH --name 'Shorter titles' --site $SITE --metric clicks"
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
    file: Options.optional(
      Options.fileText("file").pipe(
        Options.withDescription(
          "JSON file with controlMetrics and treatmentMetrics, as in the API; without it the stored page totals decide"
        )
      )
    ),
    id,
    json
  },
  ({ file, id, json }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const metrics = yield* Effect.transposeMapOption(file, ([, text]) => readMetrics(text))
      const account = yield* experiments.ownerOf(id)
      const { experiment } = yield* Option.match(metrics, {
        onNone: () => experiments.judge(account, id),
        onSome: (counts) => experiments.evaluate(account, id, counts)
      })
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
  Command.withSubcommands([create, assign, power, start, preview, evaluate]),
  Command.provide(Experiments.Default),
  Command.provide(GrowthProjects.Default)
)
