import { describe, expect, test } from "bun:test"
import { EventBody } from "../../../../src/features/events/EventKind.ts"
import { catalogue } from "../../../../src/features/webhooks/Catalogue.ts"
import { WebhookId } from "../../../../src/features/webhooks/Domain.ts"
import { bytesOf } from "../../../../src/features/webhooks/messages/Formats.ts"
import { type Service, services, textsOf } from "./services.ts"

const webhook = WebhookId.make("wh_01kakx3q7m8v2b5n9r4t6w0yzc")
const base = "https://findable.example/seo"
const formats: ReadonlyArray<Service> = ["slack", "discord", "teams"]

const sent = (format: Service, payload: object, at: string | null = base) =>
  new TextDecoder().decode(bytesOf(format, EventBody.make(JSON.stringify(payload)), webhook, at))

/** Foreign text: mentions, commands, links and functions of all three services, control characters, and characters that reorder a line. */
const hostile =
  "<!channel> <!everyone|x> <@U123> <#C1> <https://evil.example|click> @everyone @here <@&9> [click](https://evil.example) <at>All</at> {{DATE(2017-02-14T06:00:00Z)}} https://evil.example `x` *b* \u202Egnp\n# heading\0 <script>"

/** The payload with this text in all free-text fields of its type. */
const withText = (payload: unknown, text: string): unknown => {
  if (Array.isArray(payload)) return payload.map((element) => withText(element, text))
  if (typeof payload !== "object" || payload === null) return payload
  const free = [
    "query",
    "page_path",
    "message",
    "summary",
    "connector",
    "reason",
    "domain",
    "engine",
    "source_url",
    "authority_source"
  ]
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      typeof value === "string" && free.includes(name) && !["gone", "failing"].includes(value)
        ? text
        : withText(value, text)
    ])
  )
}

const payloads = catalogue.map(({ examplePayload }) => examplePayload)

describe.each(formats)("a message in the format of %s", (format) => {
  for (const payload of payloads) {
    test(`is accepted for ${payload.type} by the service, and says what happened with a link to it`, async () => {
      const body = sent(format, payload)
      const answer = services[format](body)
      expect([answer.status, await answer.text()]).toEqual(
        { discord: [204, ""], slack: [200, "ok"], teams: [202, ""] }[format]
      )
      const texts = textsOf(JSON.parse(body)).join("\n")
      expect(texts).toContain(`${base}/console#/`)
      expect(texts).not.toMatch(/undefined|null|NaN|\[object/)
    })

    test(`contains no markup from texts of strangers for ${payload.type}, and fits for texts of any length`, () => {
      for (const text of [
        hostile,
        "",
        " ",
        "\u202E",
        hostile.repeat(40),
        "&".repeat(5000),
        "😀".repeat(3000),
        "@a<b".repeat(900)
      ]) {
        const body = sent(format, Object(withText(payload, text)))
        expect(services[format](body).ok).toBe(true)
        const texts = textsOf(JSON.parse(body)).join("\n")
        // The rest is our own link.
        const foreign = texts.replaceAll(base, "").replaceAll("[Open in Findable](", "")
        expect(foreign).not.toMatch(/<[!@#]|<at>|@(everyone|here)|\](?=[([])|https:\/\/evil|\{\{|\u202E|\0/)
        expect(texts.isWellFormed()).toBe(true)
      }
    })
  }

  test("has no link if the server has no public URL", () => {
    for (const payload of payloads) {
      const body = sent(format, payload, null)
      expect(services[format](body).ok).toBe(true)
      expect(body).not.toContain("Open in Findable")
    }
  })

  test("cuts a long text after a word, with an ellipsis", () => {
    const query = "a long tail query of many words ".repeat(60)
    const [payload] = payloads.filter(({ type }) => type === "ranking.dropped")
    const body = sent(format, { ...payload, data: { ...payload?.data, query } })
    const text = textsOf(JSON.parse(body)).find((text) => text.includes("tail"))
    expect(text).toMatch(/ (a|long|tail|query|of|many|words)…/)
  })

  test("for a test delivery says so, and links to the webhook, since its ids do not exist", () => {
    for (const payload of payloads) {
      const texts = textsOf(JSON.parse(sent(format, { ...payload, test: true }))).join("\n")
      expect(texts).toContain("Test: ")
      expect(texts).toContain(`${base}/console#/webhooks/${webhook}`)
    }
  })

  test("with shortened data shows the event type", () => {
    const body = sent(format, { ...payloads[0], data: { truncated: true } })
    expect(services[format](body).ok).toBe(true)
    expect(textsOf(JSON.parse(body)).join("\n")).toContain("audit.completed")
  })

  test("is the same for the same event", () => {
    for (const payload of payloads) expect(sent(format, payload)).toBe(sent(format, payload))
  })
})

test("a message escapes three control characters for Slack, is code for Discord, and is no Markdown for Teams", () => {
  const [payload] = payloads.filter(({ type }) => type === "ranking.dropped")
  const of = (format: Service) =>
    JSON.parse(sent(format, { ...payload, data: { ...payload?.data, query: "a<b & `c` *d*" } }))
  expect(of("slack").blocks[1].fields[0]).toEqual({
    type: "plain_text",
    text: "Query\na&lt;\u200Bb &amp; `c` *d*",
    emoji: false
  })
  expect(of("discord").embeds[0].fields[0]).toEqual({ name: "Query", value: "`a<\u200Bb & ˋcˋ *d*`" })
  expect(of("discord").allowed_mentions).toEqual({ parse: [] })
  expect(of("teams").attachments[0].content.body[1]).toEqual({
    type: "RichTextBlock",
    inlines: [
      { type: "TextRun", text: "Query: ", weight: "Bolder" },
      { type: "TextRun", text: "a<\u200Bb & `c` *d*" }
    ]
  })
})

test("the json format is the stored event", () => {
  const body = EventBody.make(JSON.stringify(payloads[0]))
  expect(new TextDecoder().decode(bytesOf("json", body, webhook, base))).toBe(body)
})

test("a message about a crawl has its verdict beside the score, and its issues", () => {
  const [payload] = payloads.filter(({ type }) => type === "site_health.completed")
  const data = {
    ...payload?.data,
    findings: { critical: 1, info: 0, warning: 2 },
    score: { after: 95, before: 90, delta: 5 }
  }
  expect(textsOf(JSON.parse(sent("slack", { ...payload, data }))).join("\n")).toContain(
    "95 of 100, needs attention (+5 vs. previous 90)"
  )
})
