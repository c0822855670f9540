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

const id = argument("id", ExperimentId).pipe(Args.withDescription("ID of the experiment"))

const text = (name: string, description: string) =>
  Options.optional(Options.text(name).pipe(Options.withDescription(description)))

const days = (name: string, description: string) =>
  Options.optional(Options.integer(name).pipe(Options.withDescription(description)))

/** The design options of `experiments create`; a file has the API's fields, and options override it. */
const designOptions = Options.all({
  file: Options.optional(
    Options.fileText("design").pipe(
      Options.withDescription("JSON file with the design, with the fields of the API. Options override it")
    )
  ),
  site_id: Options.optional(
    option("site", ProjectId).pipe(Options.withDescription("Design: ID of the site, from `projects list`"))
  ),
  metric: text("metric", "Design: what to compare, clicks or ctr"),
  treatment: text("treatment", "Design: pattern of the test pages, such as '/blog/*'"),
  control: text("control", "Design: auto, or a pattern of the control pages"),
  exclude: repeatedOption("exclude", Schema.String).pipe(
    Options.withDescription("Design: path to leave out of the test and control pages")
  ),
  change_date: text("change-date", "Design: first day with the change, YYYY-MM-DD (Pacific time)"),
  pre_days: days("pre-days", "Design: baseline days before the change: 14, 28, 42, 56 or 84"),
  settle_days: days("settle-days", "Design: settling days after the change, not counted: 0, 7, 14, 21 or 28"),
  post_days: days("post-days", "Design: measurement days after settling: 14, 28, 42, 56 or 84")
})

type DesignOptions = typeof designOptions extends Options.Options<infer A> ? A : never

/** The design from the options, for the API's schema; undefined without design options. */
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
    name: Options.text("name").pipe(Options.withDescription("Name of the experiment")),
    hypothesis: Options.optional(
      Options.text("hypothesis").pipe(Options.withDescription("Effect that you expect from the change"))
    ),
    project: option("growth-project", GrowthProjectId).pipe(
      Options.withDescription("ID of the site's domain for experiments, from `growth-projects list`")
    ),
    design: designOptions,
    status: Options.choice("status", InitialStatus.literals).pipe(
      Options.withDefault("draft" as const),
      Options.withDescription("`running` starts the experiment immediately (default: draft)")
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
      "Create an experiment that compares test pages with control pages",
      "experiments create --growth-project $GROWTH --name 'Shorter titles' --site $SITE --metric clicks"
    )
  )
)

const start = Command.make(
  "start",
  {
    force: Options.boolean("force").pipe(
      Options.withDescription("Start even if the stored data cannot give a result yet")
    ),
    id,
    json
  },
  ({ force, id, json }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      yield* print(yield* experiments.start(yield* experiments.ownerOf(id), id, force), json)
    })
).pipe(
  Command.withDescription(
    described("Start a draft experiment", "experiments start 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)

const evaluate = Command.make(
  "evaluate",
  {
    file: Options.optional(
      Options.fileText("file").pipe(
        Options.withDescription(
          "JSON file with controlMetrics and treatmentMetrics, as in the API (default: the stored search data of the pages)"
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
      "Evaluate and complete a running experiment",
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
      Options.fileText("pages").pipe(Options.withDescription("File with the paths of the pages, one per line"))
    ),
    pattern: Options.optional(
      Options.text("pattern").pipe(Options.withDescription("Pattern of the pages, such as '/blog/*'"))
    ),
    seed: Options.optional(
      Options.text("seed").pipe(
        Options.withDescription("Any text. The same seed, pages and data give the same assignment")
      )
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
      "Randomly assign pages to test and control",
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
      "Show the minimum detectable effect of a design",
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
    described(
      "Show the interim result of a running experiment, to stop a harmful change early",
      "experiments preview 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments …` */
export const experiments = Command.make("experiments").pipe(
  Command.withDescription("Test SEO changes: compare test pages with control pages"),
  Command.withSubcommands([create, assign, power, start, preview, evaluate]),
  Command.provide(Experiments.Default),
  Command.provide(GrowthProjects.Default)
)
