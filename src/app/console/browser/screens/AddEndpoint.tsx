import { useSignal } from "@preact/signals"
import type { EventType, NewWebhook } from "../api/Contract.ts"
import { useAction } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { addressOf } from "../parts/Formats.ts"
import { Field } from "../parts/Forms.tsx"
import { Failed } from "../parts/Status.tsx"

/** Adds an endpoint for all events, and shows its signing secret once. */
export const AddEndpoint = ({ added }: { readonly added: () => void }) => {
  const secret = useSignal<string | null>(null)
  const adding = useAction(
    async (url: string) => {
      const kinds = await ask<ReadonlyArray<EventType>>("GET", "/event-types")
      if (kinds.failure !== null) return kinds
      const events = kinds.data.flatMap(({ name, subscribable }) => (subscribable ? [name] : []))
      return ask<NewWebhook>("POST", "/webhooks", { body: { events, url: addressOf(url) } })
    },
    (made) => {
      secret.value = made.secret
    }
  )
  return secret.value === null ? (
    <>
      <Field
        label="Endpoint URL"
        action="Add endpoint"
        inputMode="url"
        isBusy={adding.isBusy}
        onSubmit={adding.run}
        hint="The endpoint receives every event, signed."
      />
      {adding.failure !== null && <Failed failure={adding.failure} />}
    </>
  ) : (
    <div role="status">
      <p>Endpoint added. Copy its signing secret now: Findable shows it only once.</p>
      <p>
        <code>{secret.value}</code>
      </p>
      <button type="button" onClick={added}>
        Show endpoints
      </button>
    </div>
  )
}
