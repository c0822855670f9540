/** Channel on which the database wakes the delivery workers. */
export const channel = "findable_webhooks"

/** The payload: an account, and those of its webhooks for which something is due. */
interface Due {
  readonly account: string
  readonly webhooks: ReadonlyArray<string>
}

/** Parses a notification; an empty one names no webhook. */
export const read = (payload: string): Due => {
  const [account = "", webhooks = ""] = payload.split(":")
  return { account, webhooks: webhooks === "" ? [] : webhooks.split(",") }
}

/** Channel on which the database wakes requests that wait for an event; the payload is its account. */
export const ofAccounts = "findable_events"

/** Channel on which the database wakes the programs that follow feeds. */
export const ofFeeds = "findable_feeds"
