/** Channel on which the database wakes the delivery workers. */
export const channel = "findable_webhooks"

/** What is sent on it: an account, and those of its webhooks for which something is due. */
interface Due {
  readonly account: string
  readonly webhooks: ReadonlyArray<string>
}

/** Reads a notification; one that tells nothing names no webhook. */
export const read = (payload: string): Due => {
  const [account = "", webhooks = ""] = payload.split(":")
  return { account, webhooks: webhooks === "" ? [] : webhooks.split(",") }
}
