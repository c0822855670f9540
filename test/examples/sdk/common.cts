import sdk = require("@findable/sdk")
import webhooks = require("@findable/sdk/webhooks")

// The same package in a program of CommonJS.

const client: sdk.Client = sdk.createClient({ baseUrl: "http://127.0.0.1:1", key: "fnd_test_x", retries: 0 })
const event: webhooks.WebhookEvent["type"] = "webhook.ping"
client.projects.list().catch((error: unknown) => {
  console.log(JSON.stringify({ api: sdk.isApiError(error), event, verify: typeof webhooks.verify }))
})
