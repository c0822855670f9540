import type { Webhook } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { count } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { When } from "../parts/When.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { State } from "./WebhookState.tsx"

const columns: ReadonlyArray<Column<Webhook>> = [
  {
    cell: ({ description, id, url }) => (
      <>
        <a href={`#/webhooks/${id}`}>{url}</a>
        {description !== null && <small>{description}</small>}
      </>
    ),
    kind: "address",
    name: "Webhook"
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
    name: "State"
  },
  { cell: ({ last_24h }) => count(last_24h.delivered), kind: "number", name: "Delivered in 24 h" },
  { cell: ({ last_24h }) => count(last_24h.failed), kind: "number", name: "Failed" },
  { cell: ({ last_24h }) => count(last_24h.pending), kind: "number", name: "Pending" },
  { cell: ({ last_success_at }) => <When at={last_success_at} />, name: "Last success" }
]

const nameIn = (all: ReadonlyArray<Webhook>) => (id: string) => {
  const found = all.find((one) => one.id === id)
  return found?.description ?? found?.url ?? id
}

/** Who is told of events, and whether it arrives. An account has 20 subscriptions at most, so they are one page. */
export const Webhooks = () => {
  const webhooks = useRead<ReadonlyArray<Webhook>>("/webhooks?limit=25")
  return (
    <Page title="Webhooks">
      <Loaded read={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No webhook yet">
              A webhook is an address of yours that is told when a score falls or an audit ends. A POST of{" "}
              <code>{'{"url": "https://…", "events": ["audit.completed"]}'}</code> to <code>/api/v1/webhooks</code>{" "}
              makes one; its answer has the secret that signs what is sent.
            </Empty>
          ) : (
            <>
              <Table caption="Webhooks" keyOf={({ id }) => id} rows={all} columns={columns} />
              <Deliveries path="/deliveries" nameOf={nameIn(all)} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
