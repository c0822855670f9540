/** Channel on which the database wakes the delivery workers. */
export const channel = "findable_webhooks"

/** What is sent on it; it says nothing, but the driver drops notifications without a text. */
export const due = "due"
