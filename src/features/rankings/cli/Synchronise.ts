import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { isTerminal, json, print, replaceLine } from "../../../foundation/terminal/Output.ts"
import { Sync } from "../sync/Sync.ts"
import { defaultDays } from "../sync/Synchronisation.ts"
import { project } from "./Project.ts"

const Days = Schema.NumberFromString.pipe(
  Schema.filter((days) => (Number.isInteger(days) && days >= 1 && days <= 500) || "must be from 1 to 500")
)

/** `rankings sync`: what the schedule does, now. */
export const synchronise = Command.make(
  "sync",
  {
    days: option("days", Days).pipe(
      Options.withDefault(defaultDays),
      Options.withDescription("days to look back from the newest final one, 1 to 500; those fetched before are skipped")
    ),
    json,
    project
  },
  ({ days, json, project }) =>
    Effect.gen(function* () {
      const sync = yield* Sync
      const shown = yield* isTerminal
      const watch = (done: number, all: number) =>
        Effect.asVoid(Effect.when(replaceLine(`${done} of ${all} days`), () => shown))
      const synced = sync.run(project, days, watch)
      yield* print(
        yield* Effect.ensuring(
          synced,
          Effect.when(replaceLine(""), () => shown)
        ),
        json
      )
    })
).pipe(
  Command.withDescription(
    described(
      "fetch the final days of a connected project from the Search Console API",
      "rankings sync --project $PROJECT --days 28"
    )
  )
)
