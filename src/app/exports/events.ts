/** `findable/events`: the outbox. Events from a transaction are delivered to webhooks if and when the transaction commits. */

export { auditCompleted, auditFailed } from "../../features/audits/Events.ts"
export { backlinkLost } from "../../features/backlinks/Events.ts"
export type { EventKind } from "../../features/events/EventKind.ts"
export type { NewEvent, PublishOptions } from "../../features/events/Events.ts"
export { Events } from "../../features/events/Events.ts"
export type { FeedEvent } from "../../features/events/Feeds.ts"
/** Events in process: a function of the program gets every event, in order. */
export { Feeds } from "../../features/events/Feeds.ts"
export { interventionDeployed, interventionRolledBack } from "../../features/interventions/Events.ts"
export { rankingClimbed, rankingDropped, trafficDropped, trafficRecovered } from "../../features/rankings/Events.ts"
export { siteHealthCompleted, siteHealthFailed, siteHealthScoreDropped } from "../../features/sitehealth/Events.ts"
export { geoScoreChanged } from "../../features/visibility/Events.ts"
/** The schema of every event's JSON: `Schema.decodeUnknown(WebhookEvent)` decodes a feed's event that was not shortened. */
export { Payload as WebhookEvent } from "../../features/webhooks/Catalogue.ts"
/** Sends due deliveries, signed and retried; any number of processes may run it. */
export * as Deliveries from "../../features/webhooks/deliveries/Worker.ts"
export { CreateSubscription } from "../../features/webhooks/subscriptions/Subscription.ts"
export { Subscriptions } from "../../features/webhooks/subscriptions/Subscriptions.ts"
