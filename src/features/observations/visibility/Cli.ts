import * as Command from "@effect/cli/Command"
import { described } from "../../../foundation/terminal/Help.ts"
import { importCommand } from "../../projects/ObservationOptions.ts"
import { Visibility } from "./Visibility.ts"
import * as VisibilityReading from "./VisibilityReading.ts"

const importVisibility = importCommand(
  Visibility,
  VisibilityReading.read,
  described(
    "record what AI engines say about a site's brand, from JSON (geo_score.changed)",
    "geo import --project $PROJECT answers.json"
  )
)

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("visibility in AI engines"),
  Command.withSubcommands([importVisibility]),
  Command.provide(Visibility.Default)
)
