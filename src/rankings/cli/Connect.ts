import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { json, print } from "../../cli/Output.ts"
import { Connections } from "../sync/Connections.ts"
import { project } from "./Project.ts"

/** `rankings connect`: lets the installation read a site's data by itself. */
export const connect = Command.make(
  "connect",
  {
    credentials: Options.fileText("credentials").pipe(
      Options.withDescription("a service account's key file, or an authorized_user file with a refresh token")
    ),
    json,
    project,
    property: Options.optional(
      Options.text("property").pipe(
        Options.withDescription(
          "Search Console property, such as sc-domain:example.com; the project's address by default"
        )
      )
    )
  },
  ({ credentials: [, text], json, project, property }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      yield* print(yield* connections.connect(project, Redacted.make(text), property), json)
    })
).pipe(Command.withDescription("connect a project to Search Console; it is synchronised daily from then on"))

const hours = Options.integer("every-hours").pipe(
  Options.withSchema(Schema.Int.pipe(Schema.between(1, 720))),
  Options.withDescription("hours between synchronisations, 1 to 720"),
  Options.map((every) => Option.some(every))
)

const off = Options.boolean("off").pipe(Options.withDescription("synchronise by hand only"))

/** `rankings schedule`: how often a connected site is synchronised. */
export const schedule = Command.make(
  "schedule",
  { every: hours.pipe(Options.orElse(Options.map(off, () => Option.none<number>()))), json, project },
  ({ every, json, project }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      yield* print(yield* connections.schedule(project, Option.getOrNull(every)), json)
    })
).pipe(Command.withDescription("set how often a connected project is synchronised by itself"))
