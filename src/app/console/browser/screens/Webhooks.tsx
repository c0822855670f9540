import { useSignal } from "@preact/signals"
import type { Delivery, Webhook } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { may } from "../api/Session.ts"
import { Lacks } from "../parts/Acts.tsx"
import { count, none, plural } from "../parts/Formats.ts"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Column, Details, Page, Pages, Table } from "../parts/Tables.tsx"
import { AddEndpoint } from "./AddEndpoint.tsx"
import { Status, StatusChoice, useDeliveries } from "./Deliveries.tsx"
import { isNamed, nameOf, stateOf, titleOf } from "./WebhookWords.ts"

const columns: ReadonlyArray<Column<Webhook>> = [
  {
    cell: (webhook) => (
      <>
        <a href={`#/webhooks/${webhook.id}`}>{nameOf(webhook)}</a>
        {isNamed(webhook) && <small>{webhook.url}</small>}
      </>
    ),
    kind: "address",
    name: "Endpoint"
  },
  {
    cell: (webhook) => (
      <>
        <Tag {...stateOf(webhook)} />
        {webhook.failing_since !== null && (
          <small>
            since <When at={webhook.failing_since} />
          </small>
        )}
      </>
    ),
    name: "Status"
  },
  { cell: ({ events }) => count(events.length), kind: "number", name: "Events" },
  { cell: ({ last_24h }) => count(last_24h.delivered), kind: "number", name: "Delivered (24 h)" },
  {
    cell: ({ last_24h: { failed } }) => (failed === 0 ? "0" : <span class="bad">{count(failed)}</span>),
    kind: "number",
    name: "Failed (24 h)"
  },
  { cell: ({ last_24h }) => count(last_24h.pending), kind: "number", name: "Pending (24 h)" },
  { cell: ({ last_success_at }) => <When at={last_success_at} />, name: "Last success" }
]

const lastOutcome = ({ attempts }: Delivery) => {
  const last = attempts.at(-1)
  return `${plural(attempts.length, "attempt")}${last === undefined ? "" : `: ${last.status_code ?? last.error?.code ?? none}`}`
}

/** The latest deliveries of all endpoints. */
const Latest = ({ all }: { readonly all: ReadonlyArray<Webhook> }) => {
  const deliveries = useDeliveries("/deliveries")
  const { status } = deliveries
  const endpoint = (id: string) => all.find((one) => one.id === id)
  return (
    <>
      <h2>Latest deliveries</h2>
      <StatusChoice status={status} />
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
                    cell: ({ event_type, id, test, webhook_id }) => (
                      <>
                        <a href={`#/webhooks/${webhook_id}/${id}`}>{titleOf(event_type)}</a>{" "}
                        {test && <Tag text="test" tone="quiet" />}
                        <small>
                          <code>{event_type}</code>
                        </small>
                      </>
                    ),
                    name: "Event"
                  },
                  {
                    cell: ({ webhook_id }) => {
                      const found = endpoint(webhook_id)
                      return found === undefined ? webhook_id : nameOf(found)
                    },
                    kind: "address",
                    name: "Endpoint"
                  },
                  { cell: ({ status }) => <Status status={status} />, name: "Status" },
                  { cell: lastOutcome, name: "Attempts" },
                  { cell: ({ created_at }) => <When at={created_at} />, name: "Queued" }
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

/** Webhook endpoints and their deliveries. An account has at most 20 endpoints, so one page holds them. */
export const Webhooks = () => {
  const webhooks = useRead<ReadonlyArray<Webhook>>("/webhooks?limit=25")
  const isAdding = useSignal(false)
  const close = () => {
    isAdding.value = false
  }
  const added = () => {
    close()
    webhooks.reload()
  }
  return (
    <Page
      title="Webhooks"
      about={
        webhooks.data !== null &&
        !isAdding.value && (
          <span class="push">
            <button
              type="button"
              class="main"
              disabled={!may("webhooks:manage")}
              onClick={() => {
                isAdding.value = true
              }}
            >
              Add endpoint
            </button>{" "}
            <Lacks scope="webhooks:manage" />
          </span>
        )
      }
    >
      {isAdding.value && (
        <section class="card">
          <h2>Add endpoint</h2>
          <AddEndpoint added={added} cancel={close} />
        </section>
      )}
      <Loaded read={webhooks}>
        {(all) =>
          all.length === 0 ? (
            !isAdding.value && (
              <Empty title="No endpoints yet">
                <p>
                  Webhooks send events, such as a finished crawl or a dropped ranking, to your URL. Add your first
                  endpoint above.
                </p>
                <Details summary="Use the API">
                  {() => (
                    <p class="quiet">
                      POST <code>{'{"url": "https://…", "events": ["site_health.completed"]}'}</code> to{" "}
                      <code>/api/v1/webhooks</code>. The response has the signing secret.
                    </p>
                  )}
                </Details>
              </Empty>
            )
          ) : (
            <>
              <Table caption="Webhook endpoints" keyOf={({ id }) => id} rows={all} columns={columns} />
              <Latest all={all} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
