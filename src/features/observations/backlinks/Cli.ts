import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { described } from "../../../foundation/terminal/Help.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { at, file, project, readFile, timeOf } from "../../projects/ObservationOptions.ts"
import { Backlinks } from "./Backlinks.ts"
import * as ReferringDomains from "./ReferringDomains.ts"

const importBacklinks = Command.make("import", { at, file, json, project }, ({ at, file, json, project }) =>
  Effect.gen(function* () {
    const { record } = yield* Backlinks
    const domains = yield* readFile(file, ReferringDomains.read)
    yield* print(yield* record(project, yield* timeOf(at), domains), json)
  })
).pipe(
  Command.withDescription(
    described(
      "record the domains that refer to a site, from CSV or JSON (backlink.lost)",
      "backlinks import --project $PROJECT domains.csv"
    )
  )
)

/** `backlinks …` */
export const backlinks = Command.make("backlinks").pipe(
  Command.withDescription("referring domains"),
  Command.withSubcommands([importBacklinks]),
  Command.provide(Backlinks.Default)
)
