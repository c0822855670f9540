import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type {
  Delivery,
  EventType,
  NewWebhook,
  Ping as PingResult,
  Recovery,
  Webhook as Subscription
} from "../api/Contract.ts"
import { usePoll, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, go } from "../Place.ts"
import { Act, Confirm, Form } from "../parts/Acts.tsx"
import { count, none, plural } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Loaded, Tag, When } from "../parts/Status.tsx"
import { Details, Facts, Page } from "../parts/Tables.tsx"
import { EndpointForm, Marked } from "./AddEndpoint.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { formats, isNamed, nameOf, outcomeOf, stateOf, titleOf } from "./WebhookWords.ts"

const milliseconds = (value: number | null) => (value === null ? none : `${count(Math.round(value))} ms`)

/** The response to a ping, with the time of each phase. */
const Answer = ({ delivered, error, latency_ms, signature_verified, status_code, timings }: PingResult) => (
  <div class="card" role="status">
    <p class={delivered ? "good" : "bad"}>
      {delivered ? "Ping delivered" : "Ping failed"}
      {error !== null && `: ${error.message} (${error.code})`}
    </p>
    <Facts
      of={[
        ["Status", status_code ?? none],
        ["Total time", milliseconds(latency_ms)],
        ["DNS lookup", milliseconds(timings?.dns_ms ?? null)],
        ["TCP connection", milliseconds(timings?.connect_ms ?? null)],
        ["TLS", milliseconds(timings?.tls_ms ?? null)],
        ["First byte", milliseconds(timings?.first_byte_ms ?? null)],
        ["Response body", milliseconds(timings?.body_ms ?? null)],
        ["Signature", signature_verified === null ? none : signature_verified ? "valid" : "invalid"]
      ]}
    />
  </div>
)

/** Sends the example of an event type, or a ping. */
const Test = ({
  changed,
  webhook: { events, id, is_active: isActive }
}: {
  readonly webhook: Subscription
  readonly changed: () => void
}) => {
  const kinds = useRead<ReadonlyArray<EventType>>("/event-types")
  const type = useSignal("")
  const answer = useSignal<PingResult | null>(null)
  return (
    <>
      <p>
        Sends the example of an event to this endpoint: signed, logged and retried like a real one, with{" "}
        <code>"test": true</code>.
      </p>
      <Loaded read={kinds}>
        {(kinds) => {
          const chosen = type.value === "" ? (events[0] ?? kinds[0]?.name ?? "") : type.value
          return (
            <Form<Delivery>
              action="Send test event"
              scope="webhooks:manage"
              blocked={isActive ? null : "Enable the endpoint first"}
              work={() => ask("POST", `/webhooks/${id}/test`, { body: { type: chosen } })}
              done={(delivery) => {
                announcement.value = "Test event queued."
                changed()
                go(["webhooks", id, delivery.id])
              }}
            >
              <div class="field">
                <Select
                  label="Event type"
                  value={chosen}
                  options={Object.fromEntries(kinds.map(({ name }) => [name, `${titleOf(name)} (${name})`]))}
                  choose={(value) => {
                    type.value = value
                  }}
                />
                <small class="quiet">
                  <Marked text={kinds.find(({ name }) => name === chosen)?.description ?? ""} />
                </small>
              </div>
            </Form>
          )
        }}
      </Loaded>
      <p>A ping shows the response immediately. Findable does not retry or log it.</p>
      <div class="actions">
        <Act<PingResult>
          action="Send ping"
          scope="webhooks:manage"
          work={() => ask("POST", `/webhooks/${id}/ping`, { body: {} })}
          done={(data) => {
            answer.value = data
          }}
        />
      </div>
      {answer.value !== null && <Answer {...answer.value} />}
    </>
  )
}

const spans = { "1": "last hour", "24": "last 24 hours", "168": "last 7 days", "720": "last 30 days" }

/** Resends failed deliveries, once the endpoint works again. */
const Recover = ({ changed, id }: { readonly id: string; readonly changed: () => void }) => {
  const hours = useSignal("24")
  const said = useSignal("")
  return (
    <Form<Recovery>
      action="Resend failed deliveries"
      scope="webhooks:manage"
      work={() => {
        const since = new Date(Date.now() - Number(hours.value) * 3_600_000).toISOString()
        return ask("POST", `/webhooks/${id}/recover`, { body: { since } })
      }}
      done={({ recovered }) => {
        said.value = `Resending ${plural(recovered, "delivery", "deliveries")}.`
        changed()
      }}
      beside={<span role="status">{said.value}</span>}
    >
      <p>Sends every failed delivery of a period again, for example after an outage of your endpoint.</p>
      <div class="field">
        <Select
          label="Period"
          options={spans}
          value={hours.value}
          choose={(chosen) => {
            hours.value = chosen
          }}
        />
      </div>
    </Form>
  )
}

/** Replaces the signing secret, and shows the new one once. */
const Roll = ({ changed, id }: { readonly id: string; readonly changed: () => void }) => {
  const made = useSignal<NewWebhook | null>(null)
  return made.value === null ? (
    <>
      <p>
        Creates a new signing secret. For 24 hours Findable signs with the old one too, so you have time to change it on
        your server.
      </p>
      <div class="actions">
        <Act<NewWebhook>
          action="Roll secret"
          scope="webhooks:manage"
          work={() => ask("POST", `/webhooks/${id}/rotate-secret`)}
          done={(webhook) => {
            made.value = webhook
            changed()
          }}
        />
      </div>
    </>
  ) : (
    <>
      <p>Copy the new secret now: Findable shows it only once.</p>
      <Secret label="New signing secret" text={made.value.secret} />
      <p>
        The old secret is valid until <When at={made.value.previous_secret_expires_at} />.
      </p>
    </>
  )
}

const panels = {
  delete: "Delete",
  edit: "Edit",
  recover: "Resend failed",
  roll: "Roll secret",
  test: "Send test"
} as const
type Panel = keyof typeof panels

/** What a person can do with an endpoint: a row of buttons, and the open one's form. */
const Actions = ({ changed, webhook }: { readonly webhook: Subscription; readonly changed: () => void }) => {
  const open = useSignal<Panel | null>(null)
  const { id, is_active } = webhook
  const close = () => {
    open.value = null
  }
  const contents: Readonly<Record<Panel, () => ComponentChildren>> = {
    delete: () => (
      <Confirm
        action="Delete endpoint"
        name={nameOf(webhook)}
        scope="webhooks:manage"
        work={() => ask("DELETE", `/webhooks/${id}`)}
        done={() => go(["webhooks"])}
      >
        <p>Deletes the endpoint with its log of deliveries. Waiting deliveries are not sent. You cannot undo this.</p>
      </Confirm>
    ),
    edit: () => (
      <EndpointForm<Subscription>
        action="Save changes"
        initial={webhook}
        save={(body) => ask("PATCH", `/webhooks/${id}`, { body })}
        done={() => {
          announcement.value = "Changes saved."
          close()
          changed()
        }}
        beside={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      />
    ),
    recover: () => <Recover id={id} changed={changed} />,
    roll: () => <Roll id={id} changed={changed} />,
    test: () => <Test webhook={webhook} changed={changed} />
  }
  const button = (panel: Panel) => (
    <button
      type="button"
      class={panel === "delete" ? "danger" : undefined}
      aria-expanded={open.value === panel}
      onClick={() => {
        open.value = open.value === panel ? null : panel
      }}
    >
      {panels[panel]}
    </button>
  )
  return (
    <>
      <div class="actions">
        {button("test")}
        {button("recover")}
        {button("edit")}
        {button("roll")}
        <Act
          action={is_active ? "Disable" : "Enable"}
          scope="webhooks:manage"
          work={() => ask<Subscription>("PATCH", `/webhooks/${id}`, { body: { is_active: !is_active } })}
          done={() => {
            announcement.value = is_active ? "Endpoint disabled." : "Endpoint enabled."
            changed()
          }}
        />
        {button("delete")}
      </div>
      {open.value !== null && (
        <section class="card" aria-label={panels[open.value]}>
          {contents[open.value]()}
        </section>
      )}
    </>
  )
}

/** The outcome of the last attempt of a delivery. */
const LastAttempt = ({ of: delivery }: { readonly of: Delivery | undefined }) => {
  const attempt = delivery?.attempts.at(-1)
  return attempt === undefined ? (
    none
  ) : (
    <>
      <span class={attempt.error === null ? "good" : "bad"}>{outcomeOf(attempt)}</span> <When at={attempt.started_at} />
    </>
  )
}

/** One endpoint: its settings and health, its deliveries, and the chosen delivery. */
export const Webhook = ({ delivery, id }: { readonly id: string; readonly delivery: string | null }) => {
  const webhook = useRead<Subscription>(`/webhooks/${id}`)
  const last = useRead<ReadonlyArray<Delivery>>(`/webhooks/${id}/deliveries?limit=1`)
  const isPending = last.data?.some(({ finished_at }) => finished_at === null) === true
  // The counts of the endpoint are read after the delivery that changes them.
  const follow = () => {
    last.reload()
    webhook.reload()
  }
  usePoll(follow, isPending ? 3 : null)
  const round = useSignal(0)
  const { data } = webhook
  return (
    <Page
      title={data === null ? "Webhook endpoint" : nameOf(data)}
      back={["#/webhooks", "Webhooks"]}
      about={data !== null && <Tag {...stateOf(data)} />}
    >
      <Loaded read={webhook}>
        {(subscription) => {
          const {
            created_at,
            deactivation,
            events,
            failing_since,
            format,
            last_24h,
            last_success_at,
            previous_secret_expires_at,
            url
          } = subscription
          return (
            <>
              {isNamed(subscription) && (
                <p class="address">
                  <code>{url}</code>
                </p>
              )}
              {deactivation !== null && (
                <p class="bad">
                  Disabled <When at={deactivation.at} />:{" "}
                  {deactivation.reason === "gone"
                    ? "the endpoint returned 410 Gone."
                    : "all deliveries failed for 5 days."}{" "}
                  Fix it, then enable it again.
                </p>
              )}
              <Facts
                of={[
                  ["Last attempt", <LastAttempt of={last.data?.[0]} />],
                  [
                    "Last 24 hours",
                    <>
                      {count(last_24h.delivered)} delivered, {count(last_24h.failed)} failed, {count(last_24h.pending)}{" "}
                      pending
                    </>
                  ],
                  ["Last success", <When at={last_success_at} />],
                  ...(failing_since === null ? [] : [["Failing since", <When at={failing_since} />] as const]),
                  ["Format", formats[format]],
                  ["Created", <When at={created_at} />],
                  ...(previous_secret_expires_at === null
                    ? []
                    : [["Old secret valid until", <When at={previous_secret_expires_at} />] as const])
                ]}
              />
              <Details summary={`Receives ${plural(events.length, "event type")}`}>
                {() => (
                  <ul>
                    {events.map((name) => (
                      <li key={name}>
                        {titleOf(name)} <code>{name}</code>
                      </li>
                    ))}
                  </ul>
                )}
              </Details>
              <Actions
                webhook={subscription}
                changed={() => {
                  follow()
                  round.value++
                }}
              />
            </>
          )
        }}
      </Loaded>
      {data !== null && <Deliveries round={round.value} webhook={id} chosen={delivery} />}
    </Page>
  )
}
