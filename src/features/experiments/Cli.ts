import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput, repeatedOption } from "../../foundation/terminal/Output.ts"
import { ProjectId } from "../projects/Domain.ts"
import { ExperimentId, InitialStatus, NewExperiment } from "./Domain.ts"
import { Assign } from "./design/Design.ts"
import { Experiments } from "./Experiments.ts"
import { GrowthProjects } from "./GrowthProjects.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
import { ExperimentMetrics } from "./statistics/Statistics.ts"

const readExperiment = readInput(NewExperiment)
const readAssign = readInput(Assign)
const readMetrics = readInput(Schema.parseJson(ExperimentMetrics))

const readJson = readInput(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const id = argument("id", ExperimentId).pipe(Args.withDescription("id of the experiment"))

const text = (name: string, description: string) =>
  Options.optional(Options.text(name).pipe(Options.withDescription(description)))

const days = (name: string, description: string) =>
  Options.optional(Options.integer(name).pipe(Options.withDescription(description)))

/** The options of `experiments create` that make a design; a file has the same fields as the API, and options come before it. */
const designOptions = Options.all({
  file: Options.optional(
    Options.fileText("design").pipe(Options.withDescription("JSON file with the design, as in the API"))
  ),
  site_id: Options.optional(
    option("site", ProjectId).pipe(Options.withDescription("design: id of the site whose page totals are compared"))
  ),
  metric: text("metric", "design: clicks or ctr"),
  treatment: text("treatment", "design: pattern of the changed pages, such as '/blog/*'"),
  control: text("control", "design: auto, or a pattern of the pages that stay as they are"),
  exclude: repeatedOption("exclude", Schema.String).pipe(
    Options.withDescription("design: path that is in no arm; may be repeated")
  ),
  change_date: text("change-date", "design: first day with the change, YYYY-MM-DD (Pacific time)"),
  pre_days: days("pre-days", "design: days before the change, 14, 28, 42, 56 or 84"),
  settle_days: days("settle-days", "design: days after the change that do not count, 0, 7, 14, 21 or 28"),
  post_days: days("post-days", "design: days after that, 14, 28, 42, 56 or 84")
})

type DesignOptions = typeof designOptions extends Options.Options<infer A> ? A : never

/** The design that the options ask for, to be read by the API's schema; undefined where none is. */
const designOf = Effect.fnUntraced(function* ({ control, exclude, file, treatment, ...others }: DesignOptions) {
  const fromFile = yield* Effect.transposeMapOption(file, ([, content]) => readJson(content))
  const given = {
    ...Option.getOrElse(fromFile, () => ({})),
    ...Record.getSomes<string, string | number>(others),
    ...Option.match(treatment, { onNone: () => ({}), onSome: (pattern) => ({ treatment: { pattern } }) }),
    ...Option.match(control, {
      onNone: () => ({}),
      onSome: (pattern) => ({ control: pattern === "auto" ? pattern : { pattern } })
    }),
    ...(exclude.length === 0 ? {} : { exclude })
  }
  return Object.keys(given).length === 0 ? undefined : given
})

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

const start = Command.make(
  "start",
  {
    force: Options.boolean("force").pipe(
      Options.withDescription("start a design also where it can only fail to be judged as things stand")
    ),
    id,
    json
  },
  ({ force, id, json }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      yield* print(yield* experiments.start(yield* experiments.ownerOf(id), id, force), json)
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

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** `experiments assign` */
const assign = Command.make(
  "assign",
  {
    id,
    json,
    pages: Options.optional(
      Options.fileText("pages").pipe(Options.withDescription("file with the paths of the pages, one a line"))
    ),
    pattern: Options.optional(
      Options.text("pattern").pipe(Options.withDescription("pattern of the pages, such as '/blog/*'"))
    ),
    seed: Options.optional(
      Options.text("seed").pipe(Options.withDescription("the same seed, pages and data give the same arms"))
    )
  },
  ({ id, json, pages, pattern, seed }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const asked = yield* readAssign({
        ...Option.match(pages, { onNone: () => ({}), onSome: ([, text]) => ({ pages: linesOf(text) }) }),
        ...Option.match(pattern, { onNone: () => ({}), onSome: (pattern) => ({ pattern }) }),
        ...Option.match(seed, { onNone: () => ({}), onSome: (seed) => ({ seed }) })
      })
      yield* print(yield* experiments.assign(yield* experiments.ownerOf(id), id, asked), json)
    })
).pipe(
  Command.withDescription(
    described(
      "deal pages out to both arms of a designed draft",
      "experiments assign --pattern '/blog/*' 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments power` */
const power = Command.make("power", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.power(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described(
      "show how large an effect must be for the design to find it",
      "experiments power 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments preview` */
const preview = Command.make("preview", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.preview(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described("look at a running experiment, to stop harm", "experiments preview 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)

/** `experiments …` */
export const experiments = Command.make("experiments").pipe(
  Command.withDescription("experiments"),
  Command.withSubcommands([create, assign, power, start, preview, evaluate]),
  Command.provide(Experiments.Default),
  Command.provide(GrowthProjects.Default)
)
