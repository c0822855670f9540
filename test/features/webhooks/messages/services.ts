import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Received } from "../receiver.ts"

/** The three chat services, as far as their documentation says what they accept and refuse. */

const PlainText = Schema.Struct({ type: Schema.Literal("plain_text"), text: Schema.String, emoji: Schema.Boolean })
const Mrkdwn = Schema.Struct({ type: Schema.Literal("mrkdwn"), text: Schema.String, verbatim: Schema.Literal(true) })

const Block = Schema.Union(
  Schema.Struct({ type: Schema.Literal("header"), text: PlainText }),
  Schema.Struct({ type: Schema.Literal("section"), fields: Schema.Array(PlainText) }),
  Schema.Struct({ type: Schema.Literal("section"), text: Mrkdwn })
)

const SlackMessage = Schema.Struct({
  text: Schema.String,
  unfurl_links: Schema.Boolean,
  unfurl_media: Schema.Boolean,
  blocks: Schema.Array(Block)
})

const sizes = (text: { readonly text: string }, most: number) => text.text.length > 0 && text.text.length <= most

const isBlock = (block: typeof Block.Type) => {
  if (block.type === "header") return sizes(block.text, 150)
  if ("text" in block) return sizes(block.text, 3000)
  return block.fields.length > 0 && block.fields.length <= 10 && block.fields.every((field) => sizes(field, 2000))
}

const exact = { onExcessProperty: "error" } as const

const readSlack = Schema.decodeUnknownOption(Schema.parseJson(SlackMessage), exact)
const readDiscord = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      content: Schema.String,
      allowed_mentions: Schema.Struct({ parse: Schema.Array(Schema.String) }),
      embeds: Schema.Array(
        Schema.Struct({
          description: Schema.optionalWith(Schema.String, { default: () => "" }),
          fields: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
          footer: Schema.Struct({ text: Schema.String }),
          timestamp: Schema.String
        })
      )
    })
  ),
  exact
)
const Run = Schema.Struct({
  type: Schema.Literal("TextRun"),
  text: Schema.String,
  weight: Schema.optional(Schema.Literal("Bolder"))
})
const readTeams = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      type: Schema.Literal("message"),
      attachments: Schema.Tuple(
        Schema.Struct({
          contentType: Schema.Literal("application/vnd.microsoft.card.adaptive"),
          contentUrl: Schema.Null,
          content: Schema.Struct({
            $schema: Schema.String,
            type: Schema.Literal("AdaptiveCard"),
            version: Schema.String,
            body: Schema.Array(
              Schema.Union(
                Schema.Struct({
                  type: Schema.Literal("TextBlock"),
                  text: Schema.String,
                  size: Schema.String,
                  weight: Schema.String,
                  wrap: Schema.Boolean
                }),
                Schema.Struct({ type: Schema.Literal("RichTextBlock"), inlines: Schema.Array(Run) })
              )
            ),
            actions: Schema.optional(
              Schema.Array(
                Schema.Struct({ type: Schema.Literal("Action.OpenUrl"), title: Schema.String, url: Schema.String })
              )
            )
          })
        })
      )
    })
  ),
  exact
)

const slack = (body: string): Response => {
  const read = readSlack(body)
  if (Option.isNone(read)) return new Response("invalid_payload", { status: 400 })
  const { blocks, text } = read.value
  if (text === "") return new Response("no_text", { status: 400 })
  return blocks.length <= 50 && blocks.every(isBlock)
    ? new Response("ok")
    : new Response("invalid_blocks", { status: 400 })
}

const refusedByDiscord = (code: number, message: string) => Response.json({ code, message }, { status: 400 })

const discord = (body: string): Response => {
  const read = readDiscord(body)
  if (Option.isNone(read)) return refusedByDiscord(50_109, "The request body contains invalid JSON.")
  const { content, embeds } = read.value
  if (content === "" && embeds.length === 0) return refusedByDiscord(50_006, "Cannot send an empty message")
  if (content.length > 2000) return refusedByDiscord(50_035, "Must be 2000 or fewer in length.")
  const isEmbed = ({ description, fields, footer, timestamp }: (typeof embeds)[number]) =>
    description.length <= 4096 &&
    footer.text.length <= 2048 &&
    fields.length <= 25 &&
    fields.every(({ name }) => name.length > 0 && name.length <= 256) &&
    fields.every(({ value }) => value.length > 0 && value.length <= 1024) &&
    !Number.isNaN(Date.parse(timestamp))
  const all = embeds.reduce(
    (sum, { description, fields, footer }) =>
      sum +
      description.length +
      footer.text.length +
      fields.reduce((more, { name, value }) => more + name.length + value.length, 0),
    0
  )
  const isFine = embeds.length <= 10 && embeds.every(isEmbed) && all <= 6000
  return isFine ? new Response(null, { status: 204 }) : refusedByDiscord(50_035, "Invalid Form Body")
}

const teams = (body: string): Response => {
  if (new TextEncoder().encode(body).length > 28 * 1024) return new Response("Payload Too Large", { status: 413 })
  return new Response(null, { status: Option.isSome(readTeams(body)) ? 202 : 400 })
}

/** The response of each service to the body of a request. */
export const services = { discord, slack, teams } as const

export type Service = keyof typeof services

/** The URL of a service that accepts documented bodies. */
export const taking =
  (service: Service) =>
  ({ body }: Received): Response =>
    services[service](body)

/** The visible texts of a body. */
export const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
