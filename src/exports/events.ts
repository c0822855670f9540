/** `findable/events`: the outbox. What is published in a transaction is delivered to webhooks when that transaction commits, and only then. */

export { auditCompleted, auditFailed } from "../audits/Events.ts"
export { backlinkLost } from "../backlinks/Events.ts"
export type { EventKind } from "../events/EventKind.ts"
export type { NewEvent, PublishOptions } from "../events/Events.ts"
export { Events } from "../events/Events.ts"
export { interventionDeployed, interventionRolledBack } from "../interventions/Events.ts"
export { rankingClimbed, rankingDropped } from "../rankings/Events.ts"
export { geoScoreChanged } from "../visibility/Events.ts"
/** Sends what is due, signed and retried; any number of processes may run it. */
export * as Deliveries from "../webhooks/deliveries/Worker.ts"
export { CreateSubscription } from "../webhooks/subscriptions/Subscription.ts"
export { Subscriptions } from "../webhooks/subscriptions/Subscriptions.ts"
