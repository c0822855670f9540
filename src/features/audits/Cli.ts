import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/Help.ts"
import { option } from "../../foundation/terminal/Input.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { account } from "../accounts/AccountOption.ts"
import { Audits } from "./Audits.ts"
import { importAudit, run } from "./cli/Record.ts"
import { schedule } from "./cli/Schedule.ts"

const Limit = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 1000) || "must be from 1 to 1000")
)

const list = Command.make(
  "list",
  {
    account,
    json,
    limit: option("limit", Limit).pipe(
      Options.withDefault(20),
      Options.withDescription("audits at most, 20 by default")
    )
  },
  ({ account, json, limit }) =>
    Effect.gen(function* () {
      const audits = yield* Audits
      yield* print(yield* audits.list(account, limit), json)
    })
).pipe(
  Command.withDescription(
    described("list an account's newest audits, failed ones too", "audits list --account $ACCOUNT")
  )
)

/** `audits …` */
export const audits = Command.make("audits").pipe(
  Command.withDescription("page audits and their schedules"),
  Command.withSubcommands([run, importAudit, list, schedule]),
  Command.provide(Audits.Default)
)
