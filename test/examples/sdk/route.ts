import { receive } from "@findable/sdk/webhooks"

// An endpoint for frameworks and edge runtimes, from `Request` to `Response`: as `app/webhooks/route.ts` it is a route of Next.js.

/** The secret of the webhook, which only its creation returns. */
export const subscription = { secret: "" }

/** Received events. */
export const seen: Array<string> = []

export const POST = async (request: Request): Promise<Response> => {
  const received = await receive(request, { secret: subscription.secret })
  if (!received.valid) return new Response(received.reason, { status: 400 })
  const { event } = received
  if (event.type === "audit.completed" && event.data.subject === "site_health_run") {
    const { aggregate_score, pages_fetched } = event.data.outcome
    seen.push(`${event.data.id}: ${pages_fetched} pages, score ${aggregate_score}`)
  }
  return new Response(null, { status: 204 })
}
