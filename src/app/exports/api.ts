/** `findable/api`: the contract and its client, for Node, Bun and browsers. */

import type { EventType, Payload } from "../../features/webhooks/Catalogue.ts"

export { Api, SiteHealthOnly } from "../../Api.ts"
/** The resources, named as in the OpenAPI document: schemas, and types of the client's results. */
export { Audit, ListedAudit } from "../../features/audits/Domain.ts"
export { Experiment } from "../../features/experiments/Domain.ts"
export { GrowthProjectResource as GrowthProject } from "../../features/experiments/GrowthProjectsApi.ts"
export { Project } from "../../features/projects/Domain.ts"
export { KeywordRanking } from "../../features/rankings/Domain.ts"
export { Run as SiteHealthRun, RunWithResult as SiteHealthRunWithResult } from "../../features/sitehealth/Domain.ts"
export { Payload as WebhookEvent } from "../../features/webhooks/Catalogue.ts"
export { Subscription as Webhook } from "../../features/webhooks/subscriptions/Subscription.ts"
export { ApiError } from "../../foundation/http/ApiError.ts"
export type { Client, Options } from "../client/Client.ts"
export { ended, make, records, StillRunning } from "../client/Client.ts"
export type { Patience } from "../client/Operation.ts"

type Delivered<Type extends EventType> = Extract<Payload, { readonly type: Type }>

/** The events, results of `Schema.decodeUnknown(WebhookEvent)` on a delivery. */
export type AuditCompletedEvent = Delivered<"audit.completed">
export type AuditFailedEvent = Delivered<"audit.failed">
export type BacklinkLostEvent = Delivered<"backlink.lost">
export type DeliveryExhaustedEvent = Delivered<"delivery.exhausted">
export type GeoScoreChangedEvent = Delivered<"geo_score.changed">
export type InterventionDeployedEvent = Delivered<"intervention.deployed">
export type InterventionRolledBackEvent = Delivered<"intervention.rolled_back">
export type RankingClimbedEvent = Delivered<"ranking.climbed">
export type RankingDroppedEvent = Delivered<"ranking.dropped">
export type SiteHealthCompletedEvent = Delivered<"site_health.completed">
export type SiteHealthFailedEvent = Delivered<"site_health.failed">
export type SiteHealthScoreDroppedEvent = Delivered<"site_health.score_dropped">
export type TrafficDroppedEvent = Delivered<"traffic.dropped">
export type TrafficRecoveredEvent = Delivered<"traffic.recovered">
export type WebhookDeactivatedEvent = Delivered<"webhook.deactivated">
export type WebhookPingEvent = Delivered<"webhook.ping">
