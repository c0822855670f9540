import type { Webhook } from "../api/Contract.ts"
import { Tag } from "../parts/Verdict.tsx"
import { stateOf } from "./WebhookWords.ts"

/** The state of a subscription; the word says what the colour does. */
export const State = ({ of }: { readonly of: Webhook }) => <Tag {...stateOf(of)} />
