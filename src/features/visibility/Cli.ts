import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput } from "../../foundation/terminal/Output.ts"
import { account } from "../accounts/Cli.ts"
import { importCommand, project } from "../projects/Cli.ts"
import { schedulesAtMost } from "../projects/Schedule.ts"
import {
  Engine,
  engines,
  NewPrompt,
  NewSchedule,
  PromptId,
  promptsAtMost,
  RunId,
  ScheduleId,
  StartGeoRun
} from "./Domain.ts"
import { Prompts } from "./Prompts.ts"
import { Reads } from "./Reads.ts"
import { Runs } from "./Runs.ts"
import { Schedules } from "./Schedules.ts"
import * as Snapshots from "./Snapshots.ts"

const readPrompt = readInput(NewPrompt)

const add = Command.make(
  "add",
  {
    account,
    json,
    locale: Options.text("locale").pipe(
      Options.withDefault("en-US"),
      Options.withDescription("language, with or without a region; en-US by default")
    ),
    project,
    text: Args.text({ name: "text" })
  },
  ({ account, json, locale, project, text }) =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const { prompt } = yield* prompts.create(yield* account, project, yield* readPrompt({ locale, text }))
      yield* print(prompt, json)
    })
).pipe(
  Command.withDescription(
    described(
      "add a question that runs ask",
      'geo prompts add --account $ACCOUNT --project $PROJECT "Which running shoes last longest?"'
    )
  )
)

const list = Command.make("list", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const prompts = yield* Prompts
    yield* print(yield* prompts.list(yield* account, project, { after: undefined, count: promptsAtMost }), json)
  })
).pipe(
  Command.withDescription(
    described("list the questions of a project", "geo prompts list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  { account, id: argument("id", PromptId), json, project },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      yield* prompts.remove(yield* account, project, id)
      yield* print({ id }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "delete a question; its answers stay",
      "geo prompts remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `geo prompts …` */
export const prompts = Command.make("prompts").pipe(
  Command.withDescription("what AI engines are asked"),
  Command.withSubcommands([add, list, remove]),
  Command.provide(Prompts.Default)
)

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
      yield* print(yield* reads.visibility(yield* account, project, of), json)
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
      const of = yield* account
      const asked = yield* readTerms({ dry_run: dryRun, engines: namesOf(engines), repeats })
      yield* print(yield* asked.dry_run ? runs.estimate(of, project, asked) : runs.start(of, project, asked), json)
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
    yield* print(yield* runs.list(yield* account, project, { after: undefined, count: 20 }), json)
  })
).pipe(
  Command.withDescription(
    described("list the newest runs of a project", "geo runs --account $ACCOUNT --project $PROJECT")
  ),
  Command.provide(Runs.Default)
)

const readSchedule = readInput(NewSchedule)

const addSchedule = Command.make(
  "add",
  {
    account,
    every: Options.text("every").pipe(
      Options.withDefault("7d"),
      Options.withDescription("interval between two runs: 6h to 30d, 7d by default")
    ),
    json,
    project,
    ...terms
  },
  ({ account, engines, every, json, project, repeats }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const schedule = yield* readSchedule({ engines: namesOf(engines), every, repeats })
      yield* print(yield* schedules.create(yield* account, project, schedule), json)
    })
).pipe(
  Command.withDescription(
    described(
      "ask AI engines at an interval, from any worker node; the first run starts at once",
      "geo schedule add --account $ACCOUNT --project $PROJECT --engines openai --every 7d"
    )
  )
)

const listSchedules = Command.make("list", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    yield* print(
      yield* schedules.list(yield* account, project, { after: undefined, count: schedulesAtMost.project }),
      json
    )
  })
).pipe(
  Command.withDescription(
    described("list the schedules of a project", "geo schedule list --account $ACCOUNT --project $PROJECT")
  )
)

const removeSchedule = Command.make(
  "remove",
  { account, id: argument("id", ScheduleId), json, project },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const of = yield* account
      const schedule = yield* schedules.get(of, project, id)
      yield* schedules.remove(of, project, id)
      yield* print(schedule, json)
    })
).pipe(
  Command.withDescription(
    described(
      "end a schedule; its runs stay",
      "geo schedule remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `geo schedule …` */
export const schedule = Command.make("schedule").pipe(
  Command.withDescription("recurring runs"),
  Command.withSubcommands([addSchedule, listSchedules, removeSchedule]),
  Command.provide(Schedules.Default)
)

const importVisibility = importCommand(
  Snapshots.Visibility,
  Snapshots.read,
  described(
    "record what AI engines say about a site's brand, from JSON (geo_score.changed)",
    "geo import --project $PROJECT answers.json"
  )
).pipe(Command.provide(Snapshots.Visibility.Default))

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("visibility in AI engines"),
  Command.withSubcommands([importVisibility, prompts, run, runs, schedule, visibility])
)
