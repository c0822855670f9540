import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import * as Credentials from "../searchconsole/Credentials.ts"
import { Connections } from "../sync/Connections.ts"
import { Every } from "../sync/Every.ts"
import { project } from "./Project.ts"

/** `rankings connect`: stores credentials, so that the installation can read a site's data. */
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
      const read = Credentials.parse(text)
      if (Either.isLeft(read)) return yield* new Refused({ message: `The credentials file is ${read.left}` })
      const request = { credentials: read.right, property: Option.getOrUndefined(property) }
      const connection = yield* Effect.catchTag(
        connections.connect(project, request),
        "Invalid",
        ({ details }) => new Refused({ message: details.map(({ message }) => message).join(", ") })
      )
      yield* print(connection, json)
    })
).pipe(
  Command.withDescription(
    described(
      "connect a project to Search Console; it is synchronised daily from then on",
      "rankings connect --project $PROJECT --property sc-domain:example.com --credentials key.json"
    )
  )
)

/** `rankings schedule`: how often a connected site is synchronised. */
export const schedule = Command.make(
  "schedule",
  {
    every: option("every", Every).pipe(
      Options.withDescription("interval between two synchronisations: 1h to 30d, or off: only by command")
    ),
    json,
    project
  },
  ({ every, json, project }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      yield* print(yield* connections.schedule(project, every), json)
    })
).pipe(
  Command.withDescription(
    described(
      "set how often a connected project is synchronised by itself",
      "rankings schedule --project $PROJECT --every 12h"
    )
  )
)
