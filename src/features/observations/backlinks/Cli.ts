import * as Command from "@effect/cli/Command"
import { described } from "../../../foundation/terminal/Help.ts"
import { importCommand } from "../../projects/ObservationOptions.ts"
import { Backlinks } from "./Backlinks.ts"
import * as ReferringDomains from "./ReferringDomains.ts"

const importBacklinks = importCommand(
  Backlinks,
  ReferringDomains.read,
  described(
    "record the domains that refer to a site, from CSV or JSON (backlink.lost)",
    "backlinks import --project $PROJECT domains.csv"
  )
)

/** `backlinks …` */
export const backlinks = Command.make("backlinks").pipe(
  Command.withDescription("referring domains"),
  Command.withSubcommands([importBacklinks]),
  Command.provide(Backlinks.Default)
)
