/** Subscriptions of one account at most. */
export const subscriptionsPerAccount = 20

/** Hours for which a secret that was replaced signs besides its successor. */
export const overlapHours = 24

/** Seconds that a worker holds a delivery: longer than the 15 s of an attempt and the time to record it, so no lease is ever renewed. */
export const leaseSeconds = 30

/** Attempts under way at once to one subscription, and to one that answers nothing but failure. */
export const atOnce = { healthy: 4, failing: 1 } as const

/** Characters of an answer's body that a list of deliveries shows; a single delivery shows all that is kept. */
export const listedBody = 1024

/** Events that one transaction of a recovery looks at. */
export const recoveredAtOnce = 1000

/** Events that one transaction of the clean-up looks at. */
export const purgedAtOnce = 200
