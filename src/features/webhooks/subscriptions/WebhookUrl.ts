import * as Schema from "effect/Schema"
import { isWebAddress } from "../../../foundation/schema/WebAddress.ts"

const longest = 2048

/** What is wrong with an address, or nothing; whether its host is public is judged on every request, not here. */
const problem = (text: string): string | undefined => {
  if (text.length > longest) return `must be at most ${longest} characters long`
  if (!isWebAddress(text)) return "must be an absolute http or https URL"
  if (text.includes("#")) return "must not have a fragment"
  const { password, username } = new URL(text)
  return username === "" && password === "" ? undefined : "must not contain credentials"
}

/** The address of a receiver, kept as it was written. */
export const WebhookUrl = Schema.String.annotations({ message: () => "must be an absolute http or https URL" }).pipe(
  Schema.filter(problem, {
    description: "Address that receives deliveries: http or https, without credentials and fragment, on a public host",
    jsonSchema: { format: "uri", maxLength: longest }
  }),
  Schema.brand("webhooks/WebhookUrl")
)
export type WebhookUrl = typeof WebhookUrl.Type
