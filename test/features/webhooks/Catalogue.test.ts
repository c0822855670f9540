import { describe, expect, test } from "bun:test"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { auditFailed } from "../../../src/features/audits/Events.ts"
import { bytes, EventId, makeBody } from "../../../src/features/events/EventKind.ts"
import { interventionDeployed } from "../../../src/features/interventions/Events.ts"
import { ProjectId } from "../../../src/features/projects/Domain.ts"
import { rankingClimbed } from "../../../src/features/rankings/Events.ts"
import { geoScoreChanged } from "../../../src/features/visibility/Events.ts"
import {
  catalogue,
  deliveries,
  EventName,
  EventType,
  Payload,
  subscribable
} from "../../../src/features/webhooks/Catalogue.ts"
import { Moment } from "../../../src/foundation/schema/Time.ts"
import { it } from "../../harness.ts"

const { schemas, webhooks } = deliveries

const id = EventId.make("evt_01kakx3q7m8v2b5n9r4t6w0yzc")
const createdAt = DateTime.unsafeMake("2026-11-21T09:30:00.123Z")

describe("the catalogue of events", () => {
  test("lets no webhook subscribe to webhook.ping", () => {
    expect(Schema.is(EventName)("webhook.ping")).toBe(false)
    expect(Schema.is(EventType)("webhook.ping")).toBe(true)
  })
})

describe.each(catalogue.map((kind) => [kind.type, kind] as const))("%s", (type, kind) => {
  test("has an example that its schema decodes and encodes unchanged", () => {
    const decode = Schema.decodeUnknownSync(Payload, { onExcessProperty: "error" })
    expect(Schema.encodeSync(Payload)(decode(kind.examplePayload))).toEqual(kind.examplePayload)
  })

  test("is described, and documented in the OpenAPI `webhooks` section with schema and example", () => {
    expect(kind.description).toMatch(/^[A-Z].+\.$|^A test delivery/)
    const media = webhooks[type]?.post.requestBody.content["application/json"]
    expect(media?.example).toEqual(kind.examplePayload)
    const name = String(Object.values(media?.schema ?? {})[0]).replace("#/components/schemas/", "")
    expect(schemas[name]).toMatchObject({ type: "object", required: ["id", "type", "created_at", "data"] })
  })

  test("requires each of its fields, except the project of an audit", () => {
    const needed = Object.keys(kind.examplePayload.data).filter(
      (field) => !(type.startsWith("audit.") && field === "project_id")
    )
    expect(needed.length).toBeGreaterThan(0)
    for (const field of needed) {
      const data = Object.fromEntries(Object.entries(kind.examplePayload.data).filter(([name]) => name !== field))
      expect(Either.isLeft(Schema.decodeUnknownEither(Payload)({ ...kind.examplePayload, data }))).toBe(true)
    }
  })

  test("refuses the data of another type", () => {
    // A ping contains only the id of its webhook, which events about webhooks contain too.
    const others = catalogue.filter(
      (other) =>
        other.type.split(".")[0] !== type.split(".")[0] &&
        !(type === "webhook.ping" && other.type === "delivery.exhausted")
    )
    for (const other of others) {
      const mixed = { ...kind.examplePayload, data: other.examplePayload.data }
      expect(Either.isLeft(Schema.decodeUnknownEither(Payload)(mixed))).toBe(true)
    }
  })
})

test("every reference in the OpenAPI section leads to a schema", () => {
  const references = JSON.stringify({ schemas, webhooks }).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  const names = [...references].map(([, name]) => name ?? "")
  expect(names.length).toBeGreaterThan(9)
  expect(names.filter((name) => !Object.hasOwn(schemas, name))).toEqual([])
})

describe("the body of an event", () => {
  const data = {
    project_id: ProjectId.make("7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21"),
    engine: "Größe 🚀 \u0000 \ud800 </script>",
    metric: "sentiment",
    previous: 1,
    current: -4.5,
    delta: -5.5,
    measured_at: DateTime.unsafeMake("2026-11-21T00:00:00Z"),
    basis: "import"
  } as const

  it("is an envelope of id, type, created_at and data, in this order and without white space", function* () {
    const body = yield* makeBody(geoScoreChanged, { id, createdAt, data })
    expect(body).toStartWith(
      `{"id":"${id}","type":"geo_score.changed","created_at":"2026-11-21T09:30:00.123000+00:00","data":{`
    )
    expect(JSON.parse(body).data.measured_at).toBe("2026-11-21T00:00:00.000000+00:00")
  })

  it("can be stored as text and read back to the same bytes, with any data in it", function* () {
    const body = yield* makeBody(geoScoreChanged, { id, createdAt, data })
    expect(body).not.toContain("\u0000")
    expect(body.isWellFormed()).toBe(true)
    expect(new TextDecoder().decode(bytes(body))).toBe(body)
    expect(JSON.parse(body).data.engine).toBe(data.engine)
  })

  it("is the same for the same event", function* () {
    const event = { id, createdAt, data }
    expect(yield* makeBody(geoScoreChanged, event)).toBe(yield* makeBody(geoScoreChanged, event))
  })

  it("conforms to the schema of all bodies", function* () {
    const body = yield* makeBody(geoScoreChanged, { id, createdAt, data })
    const payload = yield* Schema.decodeUnknown(Schema.parseJson(Payload))(body)
    expect(payload.type).toBe("geo_score.changed")
  })

  it("is not created from data that violate their schema", function* () {
    for (const current of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const made = makeBody(geoScoreChanged, { id, createdAt, data: { ...data, current } })
      expect(yield* Effect.isFailure(made)).toBe(true)
    }
  })
})

describe("a timestamp in an event", () => {
  test.each([
    ["2026-11-21T09:30:00Z", "2026-11-21T09:30:00.000000+00:00"],
    ["2026-11-21T09:30:00.5+02:00", "2026-11-21T07:30:00.500000+00:00"],
    ["2026-11-21T09:30:00.123456+00:00", "2026-11-21T09:30:00.123000+00:00"]
  ])("%s is written as %s", (text, written) => {
    expect(Schema.encodeSync(Moment)(Schema.decodeSync(Moment)(text))).toBe(written)
  })

  test.each([
    "5",
    "2026",
    "2026-11-21",
    "2026-11-21T09:30:00",
    "2026-02-30T00:00:00Z",
    "2026-11-21T25:00:00Z",
    "soon",
    ""
  ])("%p is refused", (text) => {
    expect(Either.isLeft(Schema.decodeEither(Moment)(text))).toBe(true)
  })
})

test("an event for a query with improved position has a position, and an event for a lost query has none", () => {
  const decode = Schema.decodeUnknownEither(Payload)
  const [dropped, climbed] = [subscribable[2].examplePayload, rankingClimbed.examplePayload]
  expect(Either.isRight(decode({ ...dropped, data: { ...dropped.data, current_position: null } }))).toBe(true)
  expect(Either.isLeft(decode({ ...climbed, data: { ...climbed.data, current_position: null } }))).toBe(true)
})

test("a failed audit and a failed crawl have error codes of their own kind", () => {
  const decode = Schema.decodeUnknownEither(auditFailed.data)
  const run = {
    subject: "site_health_run",
    id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    url: "https://www.example.com/",
    outcome: { status: "failed", error: { code: "worker_lost", message: "The worker was lost." } }
  }
  expect(Either.isRight(decode(run))).toBe(true)
  expect(Either.isLeft(decode({ ...run, subject: "audit" }))).toBe(true)
})

test("an intervention with a URL that is not http is refused", () => {
  const data = { ...interventionDeployed.example, url: "ftp://example.com/" }
  expect(Either.isLeft(Schema.decodeUnknownEither(interventionDeployed.data)(data))).toBe(true)
})
