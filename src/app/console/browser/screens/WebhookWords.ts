import type { Delivery, Webhook } from "../api/Contract.ts"
import { count } from "../parts/Formats.ts"

type Attempt = Delivery["attempts"][number]

/** The outcome of one attempt, in words. */
export const outcomeOf = ({ error, latency_ms, response, status_code }: Attempt): string => {
  const parts = [
    error === null ? (status_code === null ? "in progress" : "delivered") : `${error.code}: ${error.message}`,
    status_code === null ? null : `status ${status_code}`,
    response?.error === undefined ? null : `incomplete response: ${response.error.message}`,
    latency_ms === null ? null : `${count(Math.round(latency_ms))} ms`
  ]
  return parts.filter((part) => part !== null).join(", ")
}

/** The status of an endpoint, in a few words. */
export const stateOf = ({
  deactivation,
  failing_since,
  is_active
}: Pick<Webhook, "deactivation" | "failing_since" | "is_active">) => {
  if (deactivation !== null)
    return {
      text: deactivation.reason === "gone" ? "disabled: 410 Gone" : "disabled: 5 days of failures",
      tone: "bad"
    } as const
  if (!is_active) return { text: "paused", tone: "quiet" } as const
  return failing_since === null
    ? ({ text: "active", tone: "good" } as const)
    : ({ text: "failing", tone: "bad" } as const)
}
