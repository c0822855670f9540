const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds to wait after the first, second … failed attempt. A delivery has one attempt more than there are delays; no other place counts them. */
export const retryDelays: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour
]

/** The most subscriptions that an account may have. */
export const subscriptionsPerAccount = 20

/** Hours for which a replaced secret signs beside its successor. */
export const overlapHours = 24

/** Length of a worker's lease in seconds; the worker renews it three times in that time. */
export const leaseSeconds = 15

/** Webhooks with something due that one poll of the queue finds. */
export const polledAtOnce = 40

/** Acceptances, or failures, that are recorded together. */
export const writtenAtOnce = 200

/** Days of nothing but failure after which a subscription may be deactivated. */
export const patienceDays = 5

/** Hours that must lie between two failed deliveries of these days: one bad evening does not deactivate a webhook. */
export const overlookedHours = 12

/** Characters of an answer's body that a list of deliveries shows; a single delivery shows all that is kept. */
export const listedBody = 1024

/** Events that one transaction of a recovery examines. */
export const recoveredAtOnce = 1000

/** Events that one transaction of retention examines. */
export const purgedAtOnce = 200

/** Events that one transaction gives their places in the order of commits. */
export const placedAtOnce = 1000
