import * as EventKind from "../../events/EventKind.ts"
import type { Format, WebhookId } from "../Domain.ts"
import { type Message, messageOf } from "./Message.ts"

/** Invisible separator that breaks markup. */
const apart = "\u200B"

/** Controls and line ends. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** Characters that reorder a line, hide in it or are unassigned: bidirectional controls, zero widths, tags. */
const hidden = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu

/** Beginnings of markup: mentions and commands in angle brackets, mentions by name, links, URLs that become links, functions of cards. */
const markup = /<(?=\S)|@(?=\S)|\](?=[([])|:(?=\/\/)|\{(?=\{)/gu

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Maximum characters of a value: ten of them fit into every format with any escapes. */
const longest = 300

/** Cuts a text to at most `most` characters including an ellipsis, after a whole word if one ends nearby. */
const shortened = (text: string, most = longest): string => {
  if (text.length <= most) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length >= most) break
    end = index + segment.length
  }
  const space = text.lastIndexOf(" ", end)
  return `${text.slice(0, space > end * 0.8 ? space : end).trimEnd()}…`
}

/** A stranger's text as one line that no service reads as markup: it mentions nobody, has no links, and looks unchanged. */
const inert = (text: string): string => {
  const line = text.toWellFormed().replace(breaks, " ").replace(hidden, "").trim()
  return line === "" ? "(empty)" : shortened(line.replace(markup, `$&${apart}`))
}

/** Maximum facts of a message: a section in Slack has this many fields. */
const mostFacts = 10

const factsOf = ({ facts }: Message) =>
  facts.slice(0, mostFacts).map(([name, value]) => ({ name, value: inert(value) }))

const linkText = "Open in Findable"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Slack reads these three as control characters in every text (docs.slack.dev, Formatting message text). */
const escapedForSlack = (text: string): string =>
  text.replace(/[&<>]/g, (character) => entities[character] ?? character)

const plainText = (text: string) => ({ type: "plain_text", text: escapedForSlack(text), emoji: false })

/** Block Kit: a header of at most 150 characters, a section of at most 10 fields with 2,000 each; `text` is what notifications show. */
const slack = (message: Message) => {
  const { link, title } = message
  const facts = factsOf(message)
  const summary = [title, ...facts.slice(0, 3).map(({ name, value }) => `${name}: ${value}`)].join(" · ")
  return {
    text: escapedForSlack(summary),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: plainText(title) },
      ...(facts.length === 0
        ? []
        : [{ type: "section", fields: facts.map(({ name, value }) => plainText(`${name}\n${value}`)) }]),
      ...(link === null
        ? []
        : [
            {
              type: "section",
              text: {
                type: "mrkdwn",
                text: `<${escapedForSlack(link).replaceAll("|", "%7C")}|${linkText}>`,
                verbatim: true
              }
            }
          ])
    ]
  }
}

/** A code span; Discord reads no markup in it. */
const codeSpan = (text: string): string => `\`${text.replaceAll("`", "ˋ")}\``

/** One embed: at most 25 fields with 1,024 characters each, 6,000 together; mentions are off for the whole message. */
const discord = (message: Message) => {
  const { at, id, link, title, type } = message
  return {
    content: `**${title}**`,
    allowed_mentions: { parse: [] },
    embeds: [
      {
        ...(link === null
          ? {}
          : { description: `[${linkText}](${link.replaceAll("(", "%28").replaceAll(")", "%29")})` }),
        fields: factsOf(message).map(({ name, value }) => ({ name, value: codeSpan(value) })),
        footer: { text: `${type} · ${id}` },
        timestamp: at
      }
    ]
  }
}

const bold = { weight: "Bolder" }

/** An adaptive card, 28 KB at most. A `RichTextBlock` shows its text unchanged, while a `TextBlock` reads Markdown. */
const teams = (message: Message) => {
  const { link, title } = message
  const lines = factsOf(message).map(({ name, value }) => ({
    type: "RichTextBlock",
    inlines: [
      { type: "TextRun", text: `${name}: `, ...bold },
      { type: "TextRun", text: value }
    ]
  }))
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [{ type: "TextBlock", text: title, size: "Medium", wrap: true, ...bold }, ...lines],
          ...(link === null ? {} : { actions: [{ type: "Action.OpenUrl", title: linkText, url: link }] })
        }
      }
    ]
  }
}

const messages = { discord, slack, teams } as const

const utf8 = new TextEncoder()

/** The signed and sent bytes: the event as JSON, or its message for a chat service. Equal events give equal bytes. */
export const bytesOf = (
  format: Format,
  body: EventKind.EventBody,
  webhook: WebhookId,
  base: string | null
): Uint8Array<ArrayBuffer> =>
  format === "json"
    ? EventKind.bytes(body)
    : utf8.encode(JSON.stringify(messages[format](messageOf(body, webhook, base))))
