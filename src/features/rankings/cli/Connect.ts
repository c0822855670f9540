import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { Connections } from "../sync/Connections.ts"
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
      yield* print(yield* connections.connect(project, Redacted.make(text), property), json)
    })
).pipe(
  Command.withDescription(
    described(
      "connect a project to Search Console; it is synchronised daily from then on",
      "rankings connect --project $PROJECT --property sc-domain:example.com --credentials key.json"
    )
  )
)

const hoursIn: Readonly<Record<string, number>> = { d: 24, h: 1 }

/** `6h`, `1d`, or `off`, which is null; up to 30 days, in hours. */
const Every = Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.Int), {
  strict: true,
  decode: (text, _, ast) => {
    if (text === "off") return ParseResult.succeed(null)
    const [, count = "", unit = ""] = /^(\d{1,3})([hd])$/.exec(text) ?? []
    const hours = Number(count) * (hoursIn[unit] ?? 0)
    return hours >= 1 && hours <= 720
      ? ParseResult.succeed(hours)
      : ParseResult.fail(new ParseResult.Type(ast, text, "must be 1h to 30d, such as 6h or 1d, or off"))
  },
  encode: (hours) => ParseResult.succeed(hours === null ? "off" : `${hours}h`)
})

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
