import { describe, expect } from "bun:test"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Importing } from "../../../src/features/backlinks/Importing.ts"
import { InterventionId } from "../../../src/features/interventions/Domain.ts"
import { Interventions } from "../../../src/features/interventions/Interventions.ts"
import { ProjectId } from "../../../src/features/projects/Domain.ts"
import { Visibility } from "../../../src/features/visibility/Snapshots.ts"
import { type EventName, Payload } from "../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { layer, subscriber } from "../webhooks/pipeline.ts"
import { receiver } from "../webhooks/receiver.ts"

const it = suite(
  Layer.provideMerge(Layer.mergeAll(Importing.Default, Interventions.Default, Visibility.Default), layer)
)

const at = (text: string) => DateTime.unsafeMake(text)
const day = (number: number) => at(`2026-11-${String(number).padStart(2, "0")}T00:00:00Z`)

/** A site whose owner has a webhook for these events, and the deliveries, sorted by the text of their data. */
const listening = (events: ReadonlyArray<EventName>) =>
  Effect.gen(function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url, events)
    const project = yield* Server.projectOf(webhook.account)
    const told = (count: number) =>
      Effect.flatMap(target.arrived(count), (received) =>
        Effect.forEach(received, ({ body }) =>
          Effect.as(
            Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })(body),
            JSON.parse(body)
          )
        )
      ).pipe(Effect.map((payloads) => payloads.map(({ data, type }) => ({ data, type }))))
    return { project: project.id, target, told }
  })

const nowhere = ProjectId.make("0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11")

describe("an intervention", () => {
  const made = {
    url: "https://www.example.com/pricing",
    connector: "wordpress",
    summary: "Adds the missing canonical link",
    deployedAt: at("2026-11-21T09:29:58Z")
  }

  it("is sent to endpoints when it is deployed and when it is rolled back, and no third time", function* () {
    const { deploy, rollBack } = yield* Interventions
    const { project, told } = yield* listening(["intervention.deployed", "intervention.rolled_back"])
    const { id } = yield* deploy({ ...made, project })
    yield* told(1)
    const rollback = { id, reason: "Conversions fell", rolledBackAt: at("2026-11-22T07:00:03Z") }
    yield* rollBack(rollback)
    const data = {
      id,
      project_id: project,
      url: made.url,
      connector: "wordpress",
      summary: made.summary,
      deployed_at: "2026-11-21T09:29:58.000000+00:00"
    }
    expect(yield* told(2)).toEqual([
      { data, type: "intervention.deployed" },
      {
        data: { ...data, reason: "Conversions fell", rolled_back_at: "2026-11-22T07:00:03.000000+00:00" },
        type: "intervention.rolled_back"
      }
    ])
    expect((yield* Effect.flip(rollBack(rollback))).message).toBe("The change has already been rolled back")
  })

  it("without a site, and a rollback without a deployment or before it, is refused", function* () {
    const { deploy, rollBack } = yield* Interventions
    const { project, target } = yield* listening(["intervention.rolled_back"])
    expect((yield* Effect.flip(deploy({ ...made, project: nowhere }))).message).toContain("There is no site")
    const { id } = yield* deploy({ ...made, project })
    const early = rollBack({ id, reason: null, rolledBackAt: at("2026-11-21T09:29:57Z") })
    expect((yield* Effect.flip(early)).message).toContain("before its deployment")
    const unknown = rollBack({ id: InterventionId.make(nowhere), reason: null, rolledBackAt: day(30) })
    expect((yield* Effect.flip(unknown)).message).toContain("No recorded change")
    expect(target.received).toEqual([])
  })
})

describe("a list of referring domains", () => {
  const imported = (project: ProjectId, takenAt: DateTime.Utc, ...rows: ReadonlyArray<string>) =>
    Effect.flatMap(Importing, ({ run }) =>
      run({
        bytes: Stream.make(new TextEncoder().encode(["domain,authority", ...rows].join("\n"))),
        format: "auto",
        project,
        takenAt
      })
    )

  it("reports domains of high authority that are missing from two lists a week apart, once", function* () {
    const { project, target, told } = yield* listening(["backlink.lost"])
    yield* imported(project, day(1), "a.example,78", "b.example,60", "c.example,59.9", "d.example,90")
    // One absence proves nothing, and neither do two within a week.
    expect((yield* imported(project, day(8), "d.example,20", "e.example,99")).lost).toEqual([])
    expect((yield* imported(project, day(14), "d.example,20", "e.example,99")).lost).toEqual([])
    const third = yield* imported(project, day(15), "d.example,20", "e.example,99")
    expect(third.lost).toEqual(["a.example", "b.example", "c.example"])
    expect((yield* imported(project, day(28), "d.example,20", "e.example,99")).lost).toEqual([])
    const lost = {
      authority_source: "csv",
      last_seen_at: "2026-11-01T00:00:00.000000+00:00",
      links: [],
      missing_since: "2026-11-08T00:00:00.000000+00:00"
    }
    const payloads = yield* told(2)
    expect(payloads.toSorted((one, other) => one.data.domain.localeCompare(other.data.domain))).toEqual([
      { data: { ...lost, project_id: project, domain: "a.example", authority: 78 }, type: "backlink.lost" },
      { data: { ...lost, project_id: project, domain: "b.example", authority: 60 }, type: "backlink.lost" }
    ])
    expect(target.received).toHaveLength(2)
  })

  it("with less than half as many domains as the previous one proves no loss", function* () {
    const { project, target } = yield* listening(["backlink.lost"])
    yield* imported(project, day(1), "a.example,78", "b.example,70", "c.example,70")
    yield* imported(project, day(8), "c.example,70")
    expect((yield* imported(project, day(15), "c.example,70")).lost).toEqual([])
    expect((yield* imported(project, day(21), "a.example,78", "c.example,70")).lost).toEqual([])
    expect((yield* imported(project, day(28), "a.example,78", "c.example,70")).lost).toEqual(["b.example"])
    expect(yield* target.arrived(1)).toHaveLength(1)
  })

  it("must be later than all earlier lists of its source, and belong to a site", function* () {
    const { project } = yield* listening(["backlink.lost"])
    yield* imported(project, day(14), "a.example,78")
    for (const late of [day(14), day(13)]) {
      expect((yield* Effect.flip(imported(project, late, "a.example,78"))).message).toContain("Import a")
    }
    expect((yield* Effect.flip(imported(nowhere, day(14), "a.example,78"))).message).toContain("There is no site")
  })
})

describe("a snapshot of AI visibility", () => {
  it("reports each metric of an engine that changed by 5 points or more since its last value", function* () {
    const { record } = yield* Visibility
    const { project, target, told } = yield* listening(["geo_score.changed"])
    const reading = (engine: string, sentiment: number | null, citation_rate: number | null) => ({
      answers: null,
      citation_rate,
      cited: null,
      engine,
      sentiment
    })
    yield* record(project, day(1), [reading("one", 10, 31), reading("two", -3, 50)])
    // Exactly 5 points, although 25.1 + 5 is not 30.1 in binary fractions; and 4.9 points, which are too few.
    yield* record(project, day(2), [reading("one", 14.9, 26), reading("two", null, 54.9)])
    // The sentiment of "two" was not measured between both.
    yield* record(project, day(3), [reading("two", -8, null), reading("three", 90, 90)])
    expect((yield* Effect.flip(record(project, day(3), [reading("two", 50, 50)]))).message).toContain("Import a")
    const payloads = yield* told(2)
    expect(payloads.toSorted((one, other) => one.data.engine.localeCompare(other.data.engine))).toEqual([
      {
        data: {
          basis: "import",
          project_id: project,
          engine: "one",
          metric: "citation_rate",
          previous: 31,
          current: 26,
          delta: -5,
          measured_at: "2026-11-02T00:00:00.000000+00:00"
        },
        type: "geo_score.changed"
      },
      {
        data: {
          basis: "import",
          project_id: project,
          engine: "two",
          metric: "sentiment",
          previous: -3,
          current: -8,
          delta: -5,
          measured_at: "2026-11-03T00:00:00.000000+00:00"
        },
        type: "geo_score.changed"
      }
    ])
    expect(target.received).toHaveLength(2)
  })

  it("with counts reports a citation rate only if its change is significant", function* () {
    const { record } = yield* Visibility
    const { project, told } = yield* listening(["geo_score.changed"])
    const counted = (answers: number | null, cited: number | null, citation_rate: number) => [
      { answers, citation_rate, cited, engine: "one", sentiment: null }
    ]
    yield* record(project, day(1), counted(null, null, 10))
    expect((yield* record(project, day(2), counted(100, 30, 30))).changed).toEqual([])
    expect((yield* record(project, day(3), counted(100, 38, 38))).changed).toEqual([])
    expect((yield* record(project, day(4), counted(100, 60, 60))).changed).toMatchObject([{ delta: 22 }])
    expect((yield* record(project, day(5), counted(null, null, 54))).changed).toMatchObject([{ delta: -6 }])
    expect((yield* told(2)).length).toBe(2)
  })
})
