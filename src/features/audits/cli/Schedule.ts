import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { described } from "../../../foundation/terminal/Help.ts"
import { argument, option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { account, listCommand } from "../../accounts/AccountOption.ts"
import { Every, ScheduleId } from "../schedule/AuditSchedule.ts"
import { Schedules } from "../schedule/Schedules.ts"
import { device, page, psi } from "./Options.ts"

const add = Command.make(
  "add",
  {
    account,
    device,
    every: option("every", Every).pipe(
      Options.withDefault(1440),
      Options.withDescription("interval between two audits: 15m to 365d, 1d by default")
    ),
    json,
    page,
    psi
  },
  ({ account, device, every, json, page, psi }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const source = psi ? "psi" : "lighthouse"
      yield* print(yield* schedules.add(account, { device, every_minutes: every, source, url: page }), json)
    })
).pipe(
  Command.withDescription(
    described(
      "audit a page at an interval, on any worker node; adding it again changes the schedule",
      "audits schedule add --account $ACCOUNT --every 1d https://example.com"
    )
  )
)

const list = listCommand(
  (of) => Effect.flatMap(Schedules, ({ list }) => list(of)),
  described("list schedules, of one account or all", "audits schedule list --account $ACCOUNT")
)

const remove = Command.make("remove", { id: argument("id", ScheduleId), json }, ({ id, json }) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    yield* print(yield* schedules.remove(id), json)
  })
).pipe(
  Command.withDescription(
    described("end a schedule; its audits stay", "audits schedule remove 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)

/** `audits schedule …` */
export const schedule = Command.make("schedule").pipe(
  Command.withDescription("recurring audits"),
  Command.withSubcommands([add, list, remove]),
  Command.provide(Schedules.Default)
)
