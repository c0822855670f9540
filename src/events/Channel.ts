/** Channel on which the database wakes the delivery workers. */
export const channel = "findable_webhooks"

/** What is sent on it; that it comes says everything. */
export const due = "due"
