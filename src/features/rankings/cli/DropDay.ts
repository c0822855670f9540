import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { IsoDate } from "../Domain.ts"
import { DropDay } from "../import/DropDay.ts"
import { project, siteOf } from "./Project.ts"

/** `rankings drop-day`: takes out all that is known of a day. */
export const dropDay = Command.make(
  "drop-day",
  { day: option("day", IsoDate).pipe(Options.withDescription("the day, YYYY-MM-DD")), json, project },
  ({ day, json, project }) =>
    Effect.gen(function* () {
      const { run } = yield* DropDay
      yield* print(yield* run(yield* siteOf(project), day), json)
    })
).pipe(
  Command.withDescription(
    described(
      "remove all data of a day, such as a wrong last day at which the windows end",
      "rankings drop-day --project $PROJECT --day 2026-11-20"
    )
  )
)
