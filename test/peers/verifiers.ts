/** Foreign verifiers of webhook signatures. */
export { Webhook as StandardWebhook } from "standardwebhooks"
export { default as Stripe } from "stripe"
export { Webhook as SvixWebhook } from "svix"
