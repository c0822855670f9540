import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, option, print, refuseInput } from "../../foundation/terminal/Output.ts"
import { account } from "../accounts/Cli.ts"
import { Events } from "../events/Events.ts"
import { type EventName, subscribable } from "./Catalogue.ts"
import { Secret } from "./signature/Secret.ts"
import * as Verifier from "./subscriptions/Ping.ts"

/** A command that cannot run; `message` tells the administrator why. */
class WebhooksRefused extends Data.TaggedError("WebhooksRefused")<{ readonly message: string }> {}

const refuse = (message: string) => new WebhooksRefused({ message })

const kindOf = (type: EventName) => subscribable.find((kind) => kind.type === type) ?? subscribable[0]

const Json = Schema.parseJson().annotations({ message: () => ({ message: "must be JSON", override: true }) })

/** `events publish` */
export const publish = Command.make(
  "publish",
  {
    account,
    data: option("data", Json).pipe(Options.withDescription("The event's `data` as JSON")),
    json,
    type: Options.choice(
      "type",
      subscribable.map((kind) => kind.type)
    ).pipe(Options.withDescription("Name of the event"))
  },
  ({ account, data, json, type }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const events = yield* Events
      const of = yield* account
      const id = yield* sql
        .withTransaction(events.publishUnknown(of, kindOf(type), data))
        .pipe(Effect.catchTag("ParseError", refuseInput))
      yield* print({ id, type }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Publish an event to all webhook endpoints of an account, to test them",
      'events publish --account $ACCOUNT --type ranking.dropped --data "$DATA"'
    )
  ),
  Command.provide(Events.Default)
)

/** `webhooks verify`, which needs no database. */
export const verify = Command.make(
  "verify",
  {
    file: Args.file({ exists: "yes", name: "body" }).pipe(
      Args.withDescription("File with the raw request body, byte for byte")
    ),
    json,
    secret: Options.redacted("secret").pipe(Options.withDescription("Signing secret of the webhook, whsec_…")),
    signature: Options.text("signature").pipe(Options.withDescription("Value of the `Service-Signature` header"))
  },
  ({ file, json, secret, signature }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const known = yield* Option.match(Schema.decodeOption(Secret)(Redacted.value(secret)), {
        onNone: () => refuse("The secret is not valid: it must be whsec_ followed by the base64 of 32 bytes"),
        onSome: Effect.succeed
      })
      const body = yield* fs.readFile(file)
      const verdict = yield* Verifier.verify({ body, header: signature, secrets: [Redacted.make(known)] })
      if (!verdict.valid) return yield* refuse(`The signature is not valid: ${verdict.reason}`)
      yield* print(verdict, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Check the signature of a webhook delivery. Needs no database",
      'webhooks verify --secret $SECRET --signature "$SIGNATURE" body.json',
      { 0: "The signature is valid", 1: "The signature is not valid, or an error, with the reason on stderr" }
    )
  )
)
