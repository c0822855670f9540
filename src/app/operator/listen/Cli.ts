import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { HeaderLine } from "../../../crawl/fetch/Headers.ts"
import { makeEventId } from "../../../features/events/EventKind.ts"
import { catalogue, EventName, subscribable } from "../../../features/webhooks/Catalogue.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { isWeb } from "../../../foundation/schema/Scalars.ts"
import { Moment, secondsOf } from "../../../foundation/schema/Time.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import { described } from "../../../foundation/terminal/CommandLine.ts"
import { json, option, print, repeatedOption } from "../../../foundation/terminal/Output.ts"
import * as Listen from "./Listen.ts"

const isTarget = (text: string) =>
  URL.canParse(text) && isWeb(new URL(text)) && !text.includes("#") && new URL(text).username === ""

/** The URL in its normal form, which identifies its secret and its position. */
const Target = Schema.String.pipe(
  Schema.filter(isTarget, { message: () => "must be a URL such as http://localhost:3000/webhooks" }),
  Schema.transform(Schema.String, { strict: true, decode: (text) => new URL(text).href, encode: (url) => url })
)

const isName = Schema.is(EventName)

const Names = Schema.String.pipe(
  Schema.filter((text) => text.split(",").every(isName), {
    message: () => `must be comma-separated names of events: ${subscribable.map(({ type }) => type).join(", ")}`
  }),
  Schema.transform(Schema.Array(EventName), {
    strict: true,
    decode: (text) => text.split(",").filter(isName),
    encode: (names) => names.join(",")
  })
)

const Ago = Schema.String.pipe(
  Schema.filter((text) => !Number.isNaN(secondsOf(text)), {
    message: () => "must be a number with s, m, h or d, such as 10m"
  }),
  Schema.transform(Schema.DurationFromSelf, {
    strict: true,
    decode: (text) => Duration.seconds(secondsOf(text)),
    encode: (ago) => `${Duration.toSeconds(ago)}s`
  })
)

/** `webhooks listen` */
export const listen = Command.make(
  "listen",
  {
    events: Options.optional(
      option("events", Names, "names").pipe(
        Options.withDescription("Forward only these events, comma-separated (default: all)")
      )
    ),
    format: Options.choice("format", ["text", "json"]).pipe(
      Options.withDefault("text"),
      Options.withDescription("Format of the line for each event (default: text)")
    ),
    headers: repeatedOption("header", HeaderLine, "field").pipe(
      Options.withAlias("H"),
      Options.withDescription("Header to send with every request, such as 'X-Key: 1'")
    ),
    printSecret: Options.boolean("print-secret").pipe(
      Options.withDescription("Print the signing secret of this URL, and exit")
    ),
    since: Options.optional(
      option("since", Ago, "time").pipe(
        Options.withDescription("Start with events this old, such as 10m (default: continue after the last one)")
      )
    ),
    target: option("forward-to", Target, "url").pipe(
      Options.withDescription("URL on your machine that receives the events")
    )
  },
  ({ events, format, headers, printSecret, since, target: url }) =>
    Effect.gen(function* () {
      const asked = yield* Listen.node
      if (printSecret) {
        const { secret } = yield* Listen.open({ account: asked.account, node: asked.address, target: url })
        return yield* print(
          format === "json" ? { secret: Redacted.value(secret) } : Redacted.value(secret),
          format === "json"
        )
      }
      return yield* Listen.listen(asked, {
        events: Option.getOrUndefined(events),
        format,
        headers: Object.fromEntries(headers),
        since,
        url
      })
    })
).pipe(
  Command.withDescription(
    described(
      "Forward the events of your account to a URL on your machine, signed, as they happen. Needs no database",
      "webhooks listen --forward-to http://localhost:3000/webhooks",
      { 0: "Stopped by a signal, such as Ctrl+C, or the secret was printed" }
    )
  ),
  Command.provide(Entropy.layer)
)

/** `events trigger` */
export const trigger = Command.make(
  "trigger",
  {
    json,
    to: Options.optional(
      option("to", Target, "url").pipe(
        Options.withDescription("URL that receives the event (default: the URL of the last `webhooks listen`)")
      )
    ),
    type: Args.choice(
      catalogue.map((kind) => [kind.type, kind] as const),
      { name: "type" }
    ).pipe(Args.withDescription("Name of the event"))
  },
  ({ json, to, type: { examplePayload, type } }) =>
    Effect.gen(function* () {
      const { account, address } = yield* Listen.node
      const last = Effect.flatMap(
        Listen.last({ account, node: address }),
        Option.match({
          onNone: () => new Refused({ message: "Nobody has run `webhooks listen` here yet. Give a URL with --to" }),
          onSome: Effect.succeed
        })
      )
      const url = yield* Option.match(to, { onNone: () => last, onSome: Effect.succeed })
      const { secret } = yield* Listen.open({ account, node: address, target: url })
      const id = yield* makeEventId
      const created_at = yield* Effect.flatMap(DateTime.now, Schema.encode(Moment))
      const event = { id, type, created_at, data: examplePayload.data }
      const outcome = yield* Listen.post(event, { headers: {}, secret, url })
      if (outcome.error !== null) return yield* new Refused({ message: `${url}: ${outcome.error}` })
      yield* print({ event_id: id, type, url, ...outcome }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Send an example event to a URL on your machine, signed. Needs no database",
      "events trigger audit.completed"
    )
  ),
  Command.provide(Entropy.layer)
)
