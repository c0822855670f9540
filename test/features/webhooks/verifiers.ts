import * as Signature from "../../../src/features/webhooks/signature/Signature.ts"
import { StandardWebhook, Stripe, SvixWebhook } from "../../peers/verifiers.ts"
import type { Received } from "./receiver.ts"

/** The names of the verifiers that accept a delivery with this secret. */
export const acceptedBy = async ({ body, headers }: Received, secret: string): Promise<ReadonlyArray<string>> => {
  const stripe = new Stripe("sk_test_unused")
  const verifiers: ReadonlyArray<readonly [string, () => unknown]> = [
    [
      "ours",
      async () => {
        const header = headers["service-signature"]
        const { valid } = await Signature.verify({ body, header, now: Date.now() / 1000, secret })
        if (!valid) throw new Error("refused")
      }
    ],
    ["stripe", () => stripe.webhooks.constructEventAsync(body, headers["service-signature"] ?? "", secret)],
    ["standardwebhooks", () => new StandardWebhook(secret).verify(body, { ...headers })],
    ["svix", () => new SvixWebhook(secret).verify(body, { ...headers })]
  ]
  const verdicts = await Promise.all(
    verifiers.map(([name, verify]) =>
      Promise.resolve()
        .then(verify)
        .then(() => [name])
        .catch(() => [])
    )
  )
  return verdicts.flat()
}

/** The names of all four verifiers. */
export const everybody = ["ours", "stripe", "standardwebhooks", "svix"]
