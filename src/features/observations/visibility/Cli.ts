import * as Command from "@effect/cli/Command"
import { described } from "../../../foundation/terminal/Help.ts"
import { importCommand } from "../../projects/ObservationOptions.ts"
import { prompts } from "./prompts/Cli.ts"
import { visibility } from "./reads/Cli.ts"
import { run, runs } from "./runs/Cli.ts"
import { schedule } from "./schedules/Cli.ts"
import { Visibility } from "./Visibility.ts"
import * as VisibilityReading from "./VisibilityReading.ts"

const importVisibility = importCommand(
  Visibility,
  VisibilityReading.read,
  described(
    "record what AI engines say about a site's brand, from JSON (geo_score.changed)",
    "geo import --project $PROJECT answers.json"
  )
).pipe(Command.provide(Visibility.Default))

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("visibility in AI engines"),
  Command.withSubcommands([importVisibility, prompts, run, runs, schedule, visibility])
)
