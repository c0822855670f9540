/** Subscriptions of one account at most. */
export const subscriptionsPerAccount = 20

/** Hours for which a secret that was replaced signs besides its successor. */
export const overlapHours = 24

/** Seconds for which a worker holds its deliveries; it renews its lease three times as often. */
export const leaseSeconds = 15

/** Webhooks with something due that one look into the queue finds. */
export const polledAtOnce = 40

/** Acceptances, or failures, that are recorded together. */
export const writtenAtOnce = 200

/** Days of nothing but failure after which a subscription may be deactivated. */
export const patienceDays = 5

/** Hours that must lie between two failed deliveries of these days: one bad evening deactivates nobody. */
export const overlookedHours = 12

/** Characters of an answer's body that a list of deliveries shows; a single delivery shows all that is kept. */
export const listedBody = 1024

/** Events that one transaction of a recovery looks at. */
export const recoveredAtOnce = 1000

/** Events that one transaction of the clean-up looks at. */
export const purgedAtOnce = 200
