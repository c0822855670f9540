import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { described } from "../../../../foundation/terminal/Help.ts"
import { argument, readInput } from "../../../../foundation/terminal/Input.ts"
import { json, print } from "../../../../foundation/terminal/Output.ts"
import { account } from "../../../accounts/AccountOption.ts"
import { project } from "../../../projects/ObservationOptions.ts"
import { schedulesAtMost } from "../../../projects/schedules/Schedule.ts"
import { namesOf, terms } from "../runs/Cli.ts"
import { NewSchedule, ScheduleId } from "./Schedule.ts"
import { Schedules } from "./Schedules.ts"

const readSchedule = readInput(NewSchedule)

const add = Command.make(
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
      yield* print(yield* schedules.create(account, project, schedule), json)
    })
).pipe(
  Command.withDescription(
    described(
      "ask AI engines at an interval, from any worker node; the first run starts at once",
      "geo schedule add --account $ACCOUNT --project $PROJECT --engines openai --every 7d"
    )
  )
)

const list = Command.make("list", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    yield* print(yield* schedules.list(account, project, { after: undefined, count: schedulesAtMost.project }), json)
  })
).pipe(
  Command.withDescription(
    described("list the schedules of a project", "geo schedule list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  { account, id: argument("id", ScheduleId), json, project },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const schedule = yield* schedules.get(account, project, id)
      yield* schedules.remove(account, project, id)
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
  Command.withSubcommands([add, list, remove]),
  Command.provide(Schedules.Default)
)
