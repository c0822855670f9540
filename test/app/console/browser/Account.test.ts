import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { toldOf } from "../../../../src/app/console/browser/screens/EventWords.ts"
import {
  bytes,
  endOf,
  plans,
  presets,
  scopeGroups,
  scopeText
} from "../../../../src/app/console/browser/screens/KeyWords.ts"
import {
  eventTitles,
  groupsOf,
  nameOf,
  pretty,
  titleOf
} from "../../../../src/app/console/browser/screens/WebhookWords.ts"
import { isChoosable, Plan, scopes } from "../../../../src/features/accounts/Domain.ts"
import { catalogue, Payload, subscribable } from "../../../../src/features/webhooks/Catalogue.ts"

const encoded = Schema.decodeUnknownSync(Schema.encodedSchema(Payload))
const examples = catalogue.map(({ examplePayload }) => encoded(examplePayload))
const site = "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21"

describe("an event in words", () => {
  test("is one sentence or more with a link, for every type", () => {
    for (const event of examples) {
      const { href, text } = toldOf(event)
      expect([event.type, text]).toEqual([event.type, expect.stringMatching(/^[“A-Za-z].{3,}/)])
      expect(text).not.toMatch(/undefined|null|NaN|\[object/)
      if (event.type !== "audit.failed") expect([event.type, href]).toEqual([event.type, expect.stringMatching(/^#\//)])
    }
  })

  test("names its values, its site and its thing", () => {
    const of = (type: string) => examples.flatMap((event) => (event.type === type ? [toldOf(event)] : []))[0]
    expect(of("site_health.score_dropped")).toEqual({
      href: `#/sites/${site}/health/0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11`,
      site,
      text: "Score of www.example.com dropped from 88 to 71. 6 new issues, 0 fixed. 1 critical issue among the new ones.",
      tone: "bad"
    })
    expect(of("ranking.dropped")?.text).toBe("“webhook signature” moved from position 4.2 to 9.7 on /docs/webhooks.")
    expect(of("delivery.exhausted")?.href).toBe(
      "#/webhooks/wh_01kakx3q7m8v2b5n9r4t6w0yzc/dlv_01kakx3q7m8v2b5n9r4t6w0yzc"
    )
  })

  test("is only its type when the server has cut its data", () => {
    for (const event of examples)
      expect(toldOf(Object.assign({}, event, { data: { truncated: true } })).text).toBe(`${event.type}: see the data.`)
  })
})

describe("an endpoint", () => {
  test("is named by its description, else by host and path of its URL", () => {
    expect(nameOf({ description: " Slack ", url: "https://a.example/x" })).toBe("Slack")
    expect(nameOf({ description: " ", url: "https://a.example/x?y=1" })).toBe("a.example/x?y=1")
    expect(nameOf({ description: null, url: "https://a.example/" })).toBe("a.example/")
  })

  test("can receive every type of event, each in one group", () => {
    const types = catalogue.map(({ description, type }) => ({
      description,
      example: {},
      name: type,
      schema: {},
      subscribable: true
    }))
    const grouped = groupsOf(types).flatMap(({ types }) => types.map(({ name }) => name))
    expect(grouped.map(String).sort()).toEqual(catalogue.map(({ type }) => String(type)).sort())
    expect(groupsOf(types).map(({ title }) => title)).not.toContain("Other")
    expect<number>(subscribable.length).toBe(catalogue.length - 1)
  })

  test("have one title each, and a newer type has its name in words", () => {
    expect(Object.keys(eventTitles).toSorted()).toEqual(catalogue.map(({ type }) => type).toSorted())
    expect(new Set(Object.values(eventTitles)).size).toBe(catalogue.length)
    expect(titleOf("site_health.completed")).toBe("Crawl finished")
    expect(titleOf("page_views.doubled")).toBe("Page views doubled")
  })

  test("shows JSON in lines, and any other text unchanged", () => {
    expect(pretty('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(pretty("<b>")).toBe("<b>")
  })
})

describe("a key", () => {
  test("can be given every scope that a key can have, in words", () => {
    const offered = scopeGroups.flatMap(({ scopes }) => scopes.map(({ scope }) => scope))
    expect([...offered].sort()).toEqual(["*", ...Object.keys(scopes)].filter(isChoosable).sort())
    for (const scope of offered) expect(scopeText(scope)).not.toContain(":")
    for (const plan of Plan.literals) expect(plans[plan]).toBeDefined()
  })

  test("has presets within the scopes that may be given, and none that spends money or changes sites", () => {
    const all = presets.map(({ scopesOf }) => scopesOf(() => true))
    expect(all[0]?.length).toBeGreaterThan(5)
    expect(all[0]?.every((scope) => scope.endsWith(":read"))).toBe(true)
    expect(all[1]).not.toContainAnyValues(["*", "geo:write", "interventions:write", "keys:manage"])
    expect(all[1]).toContain("site-health:write")
    expect(presets.map(({ scopesOf }) => scopesOf((scope) => scope === "audits:read"))).toEqual([
      ["audits:read"],
      ["audits:read"],
      []
    ])
  })

  test("ends after its days, at the end of a date, or never", () => {
    const now = Date.parse("2026-11-10T12:00:00Z")
    expect(endOf("7", "", now)).toBe(Date.parse("2026-11-17T12:00:00Z"))
    expect(endOf("", "", now)).toBeNull()
    expect(endOf("date", "2026-12-31", now)).toBe(Date.parse("2026-12-31T23:59:59"))
  })
})

test("bytes are written in the largest fitting unit", () => {
  expect([bytes(12), bytes(1234), bytes(45_600_000)].map((text) => text.replace(/\s/g, " "))).toEqual([
    "12 byte",
    "1.2 kB",
    "45.6 MB"
  ])
})
