import { useSignal } from "@preact/signals"
import type {
  Delivery,
  Ping as PingResult,
  Webhook as Record,
  Recovery,
  Webhook as Subscription
} from "../api/Contract.ts"
import { useAction, usePages, usePoll, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, refine, route } from "../Place.ts"
import { count, none, plural, sentence } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { Empty, Failed, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Column, Details, Facts, Page, Pages, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { AddEndpoint } from "./AddEndpoint.tsx"
import { outcomeOf, stateOf } from "./WebhookWords.ts"

const tones = { delivered: "good", delivering: "quiet", failed: "bad", pending: "warn" } as const

/** Characters shown of an endpoint's response. */
const shownCharacters = 500

const Timeline = ({ attempts, next_attempt_at }: Delivery) => (
  <ol class="timeline">
    {attempts.map((attempt) => (
      <li key={attempt.number} class={attempt.error === null ? "good" : "bad"}>
        <When at={attempt.started_at} /> {attempt.trigger === "manual" && "resent, "}
        {outcomeOf(attempt)}
        {attempt.response !== null && attempt.response.body !== "" && (
          <code>
            {attempt.response.body.slice(0, shownCharacters)}
            {attempt.response.body.length > shownCharacters && "…"}
          </code>
        )}
      </li>
    ))}
    {next_attempt_at !== null && (
      <li class="quiet">
        Next attempt <When at={next_attempt_at} />
      </li>
    )}
  </ol>
)

const Attempts = (delivery: Delivery) => {
  const last = delivery.attempts.at(-1)
  return (
    <Details
      summary={`${plural(delivery.attempts.length, "attempt")}${last === undefined ? "" : `: ${last.status_code ?? last.error?.code ?? none}`}`}
    >
      {() => <Timeline {...delivery} />}
    </Details>
  )
}

const Resend = ({ again, id, webhook_id }: Delivery & { readonly again: () => void }) => {
  const sending = useAction(
    () => ask<Delivery>("POST", `/webhooks/${webhook_id}/deliveries/${id}/redeliver`),
    () => {
      announcement.value = "Resending."
      again()
    }
  )
  return (
    <>
      <button type="button" disabled={sending.isBusy} onClick={sending.run}>
        Resend
      </button>
      {sending.failure !== null && <Failed failure={sending.failure} />}
    </>
  )
}

/** Deliveries of one endpoint or of all, filtered by status, with their attempts. */
const Deliveries = ({
  nameOf,
  path
}: {
  readonly path: string
  /** The name of an endpoint, in a list with deliveries of several. */
  readonly nameOf?: (id: string) => string
}) => {
  const status = route.value.query.get("status") ?? ""
  const deliveries = usePages<Delivery>(`${path}${queryOf({ status })}`)
  const { reload } = deliveries
  usePoll(reload, deliveries.data?.some(({ finished_at }) => finished_at === null) === true ? 3 : null)
  return (
    <>
      <h2>Deliveries</h2>
      <Choice
        label="Delivery status"
        chosen={status}
        options={["", "failed", "pending", "delivered"].map((value) => ({
          text: value === "" ? "All" : sentence(value),
          value
        }))}
        choose={(status) => refine({ status })}
      />
      <Loaded read={deliveries}>
        {(rows) =>
          rows.length === 0 ? (
            <p>
              {status === "" ? "No deliveries yet. They appear here with the next event." : `No ${status} deliveries.`}
            </p>
          ) : (
            <>
              <Table
                caption="Deliveries, the latest first"
                keyOf={({ id }) => id}
                rows={rows}
                columns={[
                  {
                    cell: ({ event_id, event_type, test }) => (
                      <>
                        {event_type} {test && <Tag text="test" tone="quiet" />}
                        <small>{event_id}</small>
                      </>
                    ),
                    kind: "address",
                    name: "Event"
                  },
                  ...(nameOf === undefined
                    ? []
                    : [
                        {
                          cell: ({ webhook_id }: Delivery) => (
                            <a href={`#/webhooks/${webhook_id}`}>{nameOf(webhook_id)}</a>
                          ),
                          kind: "address" as const,
                          name: "Endpoint"
                        }
                      ]),
                  { cell: ({ status }) => <Tag text={status} tone={tones[status]} />, name: "Status" },
                  { cell: ({ created_at }) => <When at={created_at} />, name: "Queued" },
                  { cell: (delivery) => <Attempts {...delivery} />, kind: "address", name: "Attempts" },
                  { cell: (delivery) => <Resend {...delivery} again={reload} />, name: "Actions" }
                ]}
              />
              <Pages name="deliveries" pager={deliveries.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The status of an endpoint, in words and in colour. */
const State = ({ of }: { readonly of: Subscription }) => <Tag {...stateOf(of)} />

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

const Ping = ({ id }: { readonly id: string }) => {
  const answer = useSignal<PingResult | null>(null)
  const pinging = useAction(
    () => ask<PingResult>("POST", `/webhooks/${id}/ping`, { body: {} }),
    (data) => {
      answer.value = data
    }
  )
  return (
    <>
      <p class="actions">
        <button type="button" disabled={pinging.isBusy} onClick={pinging.run}>
          Send ping
        </button>
        <span class="quiet">Sends a signed test event, without retries</span>
      </p>
      {pinging.failure !== null && <Failed failure={pinging.failure} />}
      {answer.value !== null && <Answer {...answer.value} />}
    </>
  )
}

const spans = { "1": "last hour", "24": "last 24 hours", "168": "last 7 days" }

/** Resends failed deliveries, once the endpoint works again. */
const Recover = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const hours = useSignal("24")
  const said = useSignal("")
  const recovering = useAction(
    () => {
      const since = new Date(Date.now() - Number(hours.value) * 3_600_000).toISOString()
      return ask<Recovery>("POST", `/webhooks/${id}/recover`, { body: { since } })
    },
    ({ recovered }) => {
      said.value = `Resending ${plural(recovered, "delivery", "deliveries")}.`
      done()
    }
  )
  return (
    <>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          recovering.run()
        }}
      >
        <Select
          label="Resend failed deliveries from"
          options={spans}
          value={hours.value}
          choose={(chosen) => {
            hours.value = chosen
          }}
        />
        <button type="submit" disabled={recovering.isBusy}>
          Resend deliveries
        </button>
        <span role="status">{said.value}</span>
      </form>
      {recovering.failure !== null && <Failed failure={recovering.failure} />}
    </>
  )
}

/** Resumes deliveries to a paused or disabled endpoint. */
const Resume = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const resuming = useAction(() => ask<Record>("PATCH", `/webhooks/${id}`, { body: { is_active: true } }), done)
  return (
    <>
      <button type="button" disabled={resuming.isBusy} onClick={resuming.run}>
        Resume deliveries
      </button>
      {resuming.failure !== null && <Failed failure={resuming.failure} />}
    </>
  )
}

/** One endpoint: its status, its deliveries, and how to resend them. */
export const Webhook = ({ id }: { readonly id: string }) => {
  const webhook = useRead<Record>(`/webhooks/${id}`)
  const round = useSignal(0)
  const { data } = webhook
  const changed = () => {
    webhook.reload()
    round.value++
  }
  return (
    <Page title="Webhook endpoint" back={["#/webhooks", "Webhooks"]} about={data !== null && <State of={data} />}>
      <Loaded read={webhook}>
        {({ deactivation, description, events, failing_since, format, is_active, last_24h, last_success_at, url }) => (
          <>
            <p class="address">
              <code>{url}</code>
            </p>
            {description !== null && <p>{description}</p>}
            {deactivation !== null && (
              <p class="bad">
                Disabled <When at={deactivation.at} />:{" "}
                {deactivation.reason === "gone"
                  ? "the endpoint returned 410 Gone."
                  : "all deliveries failed for 5 days."}
              </p>
            )}
            {!is_active && <Resume id={id} done={changed} />}
            <Facts
              of={[
                [
                  "Last 24 hours",
                  `${count(last_24h.delivered)} delivered, ${count(last_24h.failed)} failed, ${count(last_24h.pending)} pending`
                ],
                ["Last success", <When at={last_success_at} />],
                ["Failing since", <When at={failing_since} />],
                ["Format", format],
                ["Events", events.join(", ")]
              ]}
            />
          </>
        )}
      </Loaded>
      {data !== null && (
        <>
          <Ping id={id} />
          <Recover id={id} done={changed} />
          <Deliveries key={round.value} path={`/webhooks/${id}/deliveries`} />
        </>
      )}
    </Page>
  )
}

const columns: ReadonlyArray<Column<Subscription>> = [
  {
    cell: ({ description, id, url }) => (
      <>
        <a href={`#/webhooks/${id}`}>{url}</a>
        {description !== null && <small>{description}</small>}
      </>
    ),
    kind: "address",
    name: "Endpoint"
  },
  {
    cell: (webhook) => (
      <>
        <State of={webhook} />
        {webhook.failing_since !== null && (
          <small>
            since <When at={webhook.failing_since} />
          </small>
        )}
      </>
    ),
    name: "Status"
  },
  { cell: ({ last_24h }) => count(last_24h.delivered), kind: "number", name: "Delivered (24 h)" },
  { cell: ({ last_24h }) => count(last_24h.failed), kind: "number", name: "Failed (24 h)" },
  { cell: ({ last_24h }) => count(last_24h.pending), kind: "number", name: "Pending (24 h)" },
  { cell: ({ last_success_at }) => <When at={last_success_at} />, name: "Last success" }
]

const nameIn = (all: ReadonlyArray<Subscription>) => (id: string) => {
  const found = all.find((one) => one.id === id)
  return found?.description ?? found?.url ?? id
}

/** Webhook endpoints and their deliveries. An account has at most 20 endpoints, so one page holds them. */
export const Webhooks = () => {
  const webhooks = useRead<ReadonlyArray<Subscription>>("/webhooks?limit=25")
  return (
    <Page title="Webhooks">
      <Loaded read={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              title="No endpoints yet"
              api={
                <>
                  POST <code>{'{"url": "https://…", "events": ["audit.completed"]}'}</code> to{" "}
                  <code>/api/v1/webhooks</code>. The response has the signing secret.
                </>
              }
            >
              <p>Webhooks send events, such as a finished crawl or a dropped ranking, to your URL.</p>
              <AddEndpoint added={webhooks.reload} />
            </Empty>
          ) : (
            <>
              <Table caption="Webhook endpoints" keyOf={({ id }) => id} rows={all} columns={columns} />
              <Deliveries path="/deliveries" nameOf={nameIn(all)} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
