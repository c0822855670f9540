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
      Options.withDescription("Language, with or without a region (default: en-US)")
    ),
    project,
    text: Args.text({ name: "text" }).pipe(Args.withDescription("Question to ask, as a customer would ask it"))
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
      "Add a prompt: a question to ask AI assistants about your market",
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
    described("List the prompts of a site", "geo prompts list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  {
    account,
    id: argument("id", PromptId).pipe(Args.withDescription("ID of the prompt, from `geo prompts list`")),
    json,
    project
  },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      yield* prompts.remove(yield* account, project, id)
      yield* print({ id }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Delete a prompt. Its answers stay",
      "geo prompts remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `geo prompts …` */
export const prompts = Command.make("prompts").pipe(
  Command.withDescription("Manage the questions to ask AI assistants"),
  Command.withSubcommands([add, list, remove]),
  Command.provide(Prompts.Default)
)

/** `geo visibility` */
export const visibility = Command.make(
  "visibility",
  {
    account,
    compare: Options.optional(
      option("compare", RunId).pipe(Options.withDescription("ID of the run to compare with, from `geo runs`"))
    ),
    engine: Options.optional(
      Options.choice("engine", Engine.literals).pipe(Options.withDescription("Only this AI assistant"))
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
      "Show how often AI assistants mention and cite a site in the latest visibility run",
      "geo visibility --account $ACCOUNT --project $PROJECT"
    )
  ),
  Command.provide(Reads.Default)
)

const readTerms = readInput(StartGeoRun)

/** `--engines` and `--repeats` of runs and schedules. */
export const terms = {
  engines: Options.text("engines").pipe(
    Options.withDescription(`AI assistants to ask, comma-separated: ${engines.join(", ")}`)
  ),
  repeats: Options.integer("repeats").pipe(
    Options.withDefault(5),
    Options.withDescription("How often to ask each prompt, 1 to 10 (default: 5)")
  )
}

/** The names of engines as typed. */
export const namesOf = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

/** `geo run` */
export const run = Command.make(
  "run",
  {
    account,
    dryRun: Options.boolean("dry-run").pipe(
      Options.withDescription("Print the number of calls and the price, and ask nothing")
    ),
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
      "Ask AI assistants all prompts of a site now, within the daily budget. Any server with workers does this",
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
    described("List the latest visibility runs of a site", "geo runs --account $ACCOUNT --project $PROJECT")
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
      Options.withDescription("Time between two runs, 6h to 30d (default: 7d)")
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
      "Ask AI assistants regularly, starting now. Any server with workers does this",
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
    described("List the AI visibility schedules of a site", "geo schedule list --account $ACCOUNT --project $PROJECT")
  )
)

const removeSchedule = Command.make(
  "remove",
  {
    account,
    id: argument("id", ScheduleId).pipe(Args.withDescription("ID of the schedule, from `geo schedule list`")),
    json,
    project
  },
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
      "Stop asking AI assistants regularly. Past runs stay",
      "geo schedule remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `geo schedule …` */
export const schedule = Command.make("schedule").pipe(
  Command.withDescription("Ask AI assistants regularly"),
  Command.withSubcommands([addSchedule, listSchedules, removeSchedule]),
  Command.provide(Schedules.Default)
)

const importVisibility = importCommand(
  Snapshots.Visibility,
  Snapshots.read,
  described(
    "Import answers of AI assistants about a brand from a JSON file. Raises geo_score.changed",
    "geo import --project $PROJECT answers.json"
  )
).pipe(Command.provide(Snapshots.Visibility.Default))

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("Measure AI visibility: how AI assistants mention and cite a site"),
  Command.withSubcommands([importVisibility, prompts, run, runs, schedule, visibility])
)
