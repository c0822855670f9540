import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Audits } from "../src/features/audits/Audits.ts"
import { ListedAudit } from "../src/features/audits/Domain.ts"
import { AuditSchedule } from "../src/features/audits/schedule/Api.ts"
import { Experiment } from "../src/features/experiments/Domain.ts"
import { GrowthProjects } from "../src/features/experiments/GrowthProjects.ts"
import { DomainName, GrowthProjectResource } from "../src/features/experiments/GrowthProjectsApi.ts"
import { Intervention } from "../src/features/interventions/Domain.ts"
import { Project } from "../src/features/projects/Domain.ts"
import { KeywordPage } from "../src/features/rankings/Api.ts"
import { Upload } from "../src/features/rankings/uploads/Api.ts"
import { Run } from "../src/features/sitehealth/Domain.ts"
import { GeoRun, GeoSchedule, Prompt } from "../src/features/visibility/Domain.ts"
import { Delivery } from "../src/features/webhooks/deliveries/Delivery.ts"
import { Subscription } from "../src/features/webhooks/subscriptions/Subscription.ts"
import { Page } from "../src/foundation/http/Contract.ts"
import { imported } from "./features/audits/auditing.ts"
import { report } from "./features/audits/reports.ts"
import { suite } from "./harness.ts"
import * as Server from "./server.ts"

const it = suite(Layer.provideMerge(Layer.merge(Audits.Default, GrowthProjects.Default), Server.layer))

/** Reads a list with the schema of its contract, and fails on unknown fields. */
const read = <A, I>(path: string, key: string, page: Schema.Schema<A, I>) =>
  Effect.flatMap(Server.send("GET", path, { key }), ({ body, status }) => {
    expect(status).toBe(200)
    return Schema.decodeUnknown(page, { onExcessProperty: "error" })(body)
  })

// The database shapes the records of lists, without encoding by the contract: the test decodes them by it.
it("every list has the format that its contract declares", function* () {
  const { account, key } = yield* Server.customer()
  const { id: project } = yield* Server.projectOf(account)
  const growthProjects = yield* GrowthProjects
  const growth = yield* growthProjects.create(account, yield* Schema.decode(DomainName)("example.com"))
  const post = (path: string, body: unknown) => Server.send("POST", path, { body, key })
  yield* post("/api/v1/experiments", { name: "titles", project_id: growth.id })
  yield* post(`/api/v1/projects/${project}/site-health/runs`, {})
  yield* post(`/api/v1/projects/${project}/rankings/imports?format=gsc-csv`, { a: 1 })
  const change = { connector: "recorded", summary: "Shorter titles", url: "https://example.com/" }
  yield* post(`/api/v1/projects/${project}/interventions`, change)
  yield* post("/api/v1/audit-schedules", { every: "1d", url: "https://example.com/" })
  yield* imported(account, report())
  yield* post(`/api/v1/projects/${project}/geo/prompts`, { text: "Who mends shoes?" })
  yield* post(`/api/v1/projects/${project}/geo/schedules`, { engines: ["xai"], every: "7d" })
  const webhook = yield* post("/api/v1/webhooks", { events: ["audit.failed"], url: "http://127.0.0.1:2/" })
  const { id } = webhook.body.data
  const counts = [
    yield* read("/api/v1/projects", key, Page(Project)),
    yield* read("/api/v1/experiments", key, Page(Experiment)),
    yield* read("/api/v1/growth-projects", key, Page(GrowthProjectResource)),
    yield* read("/api/v1/audits", key, Page(ListedAudit)),
    yield* read("/api/v1/audit-schedules", key, Page(AuditSchedule)),
    yield* read(`/api/v1/projects/${project}/site-health/runs`, key, Page(Run)),
    yield* read("/api/v1/webhooks", key, Page(Subscription)),
    yield* read(`/api/v1/webhooks/${id}/deliveries`, key, Page(Delivery)),
    yield* read("/api/v1/keywords", key, KeywordPage),
    yield* read(`/api/v1/projects/${project}/rankings/imports`, key, Page(Upload)),
    yield* read(`/api/v1/projects/${project}/geo/prompts`, key, Page(Prompt)),
    yield* read(`/api/v1/projects/${project}/geo/runs`, key, Page(GeoRun)),
    yield* read(`/api/v1/projects/${project}/geo/schedules`, key, Page(GeoSchedule)),
    yield* read(`/api/v1/projects/${project}/interventions`, key, Page(Intervention))
  ].map(({ data }) => data.length)
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1])
})
