import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { described } from "../../../foundation/terminal/Help.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { at, file, project, readFile, timeOf } from "../../projects/ObservationOptions.ts"
import { Visibility } from "./Visibility.ts"
import * as VisibilityReading from "./VisibilityReading.ts"

const importVisibility = Command.make("import", { at, file, json, project }, ({ at, file, json, project }) =>
  Effect.gen(function* () {
    const { record } = yield* Visibility
    const readings = yield* readFile(file, VisibilityReading.read)
    yield* print(yield* record(project, yield* timeOf(at), readings), json)
  })
).pipe(
  Command.withDescription(
    described(
      "record what AI engines say of a site's brand, from JSON (geo_score.changed)",
      "geo import --project $PROJECT answers.json"
    )
  )
)

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("visibility in AI engines"),
  Command.withSubcommands([importVisibility]),
  Command.provide(Visibility.Default)
)
