import { type Signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { EventType, NewWebhook, Webhook } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { ask } from "../api/Session.ts"
import { Check, Form, Input } from "../parts/Acts.tsx"
import { addressOf, plural } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Loaded } from "../parts/Status.tsx"
import { formats, groupsOf, titleOf } from "./WebhookWords.ts"

/** The settings of an endpoint that a person edits. */
interface Settings extends Pick<Webhook, "description" | "format" | "url"> {
  readonly events: ReadonlyArray<string>
}

const isFormat = (value: string): value is Webhook["format"] => Object.hasOwn(formats, value)

/** A text of the API with the code that it marks by backticks. */
export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
)

/** The choice of events, by group with their meanings. */
const Events = ({
  chosen,
  types
}: {
  readonly chosen: Signal<ReadonlyArray<string>>
  readonly types: ReadonlyArray<EventType>
}) => {
  const all = types.map(({ name }) => name)
  return (
    <fieldset class="events">
      <legend>
        Events <span class="quiet">{plural(chosen.value.length, "event")} selected</span>
      </legend>
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            chosen.value = all
          }}
        >
          Select all
        </button>
        <button
          type="button"
          onClick={() => {
            chosen.value = []
          }}
        >
          Clear selection
        </button>
      </p>
      {groupsOf(types).map(({ note, title, types }) => (
        <div key={title}>
          <h3>{title}</h3>
          {note !== undefined && <p class="quiet">{note}</p>}
          {types.map(({ description, name }) => (
            <Check
              key={name}
              label={titleOf(name)}
              hint={
                <>
                  <code>{name}</code> <Marked text={description} />
                </>
              }
              isOn={chosen.value.includes(name)}
              turn={(isOn) => {
                chosen.value = all.filter((one) => (one === name ? isOn : chosen.value.includes(one)))
              }}
            />
          ))}
        </div>
      ))}
    </fieldset>
  )
}

/** The fields of an endpoint, with a button that sends them. */
export const EndpointForm = <T,>({
  action,
  beside,
  done,
  initial,
  save
}: {
  readonly action: string
  readonly beside?: ComponentChildren
  readonly initial: Settings | null
  readonly save: (settings: Settings) => Promise<Outcome<T>>
  readonly done: (data: T) => void
}) => {
  const kinds = useRead<ReadonlyArray<EventType>>("/event-types")
  const url = useSignal(initial?.url ?? "")
  const description = useSignal(initial?.description ?? "")
  const format = useSignal<Webhook["format"]>(initial?.format ?? "json")
  const chosen = useSignal<ReadonlyArray<string>>(initial?.events ?? [])
  return (
    <Loaded read={kinds}>
      {(kinds) => {
        const types = kinds.filter(({ subscribable }) => subscribable)
        return (
          <Form
            action={action}
            beside={beside}
            scope="webhooks:manage"
            blocked={chosen.value.length === 0 ? "Select an event" : null}
            done={done}
            work={() =>
              save({
                description: description.value.trim() === "" ? null : description.value.trim(),
                events: chosen.value,
                format: format.value,
                url: addressOf(url.value.trim())
              })
            }
          >
            <Input label="Endpoint URL" type="url" value={url} hint="Findable sends each event here, signed." />
            <Input
              label="Description"
              value={description}
              isRequired={false}
              hint="Names the endpoint in lists, for example “Slack, SEO channel”."
            />
            <div class="field">
              <Select
                label="Format"
                options={formats}
                value={format.value}
                choose={(value) => {
                  if (isFormat(value)) format.value = value
                }}
              />
            </div>
            <Events chosen={chosen} types={types} />
          </Form>
        )
      }}
    </Loaded>
  )
}

/** Adds an endpoint, and shows its signing secret once. */
export const AddEndpoint = ({ added, cancel }: { readonly added: () => void; readonly cancel?: () => void }) => {
  const made = useSignal<NewWebhook | null>(null)
  if (made.value !== null) {
    const { id, secret } = made.value
    return (
      <>
        <p>
          The endpoint is added. Copy its signing secret now: Findable shows it only once. Your server verifies each
          event with it.
        </p>
        <Secret label="Signing secret" text={secret} />
        <p class="actions">
          <a href={`#/webhooks/${id}`}>Open the endpoint</a>
          <button type="button" onClick={added}>
            Show endpoints
          </button>
        </p>
      </>
    )
  }
  return (
    <EndpointForm<NewWebhook>
      action="Add endpoint"
      initial={null}
      save={(body) => ask("POST", "/webhooks", { body })}
      done={(webhook) => {
        made.value = webhook
      }}
      beside={
        cancel !== undefined && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )
      }
    />
  )
}
