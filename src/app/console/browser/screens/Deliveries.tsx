import { useAction } from "../api/Action.ts"
import type { Delivery } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { usePoll } from "../api/Read.ts"
import { ask } from "../api/Request.ts"
import { announcement, refine, route } from "../Place.ts"
import { Choice } from "../parts/Choice.tsx"
import { Details } from "../parts/Details.tsx"
import { Failed } from "../parts/Failed.tsx"
import { none, plural, sentence } from "../parts/Formats.ts"
import { Loaded } from "../parts/Loaded.tsx"
import { Pages, Table } from "../parts/Table.tsx"
import { Tag } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { queryOf } from "../Routes.ts"
import { outcomeOf } from "./WebhookWords.ts"

const tones = { delivered: "good", delivering: "quiet", failed: "bad", pending: "warn" } as const

/** Characters of a receiver's answer that are shown. */
const shownCharacters = 500

const Timeline = ({ attempts, next_attempt_at }: Delivery) => (
  <ol class="timeline">
    {attempts.map((attempt) => (
      <li key={attempt.number} class={attempt.error === null ? "good" : "bad"}>
        <When at={attempt.started_at} /> {attempt.trigger === "manual" && "sent again, "}
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
        next attempt <When at={next_attempt_at} />
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

const SendAgain = ({ again, id, webhook_id }: Delivery & { readonly again: () => void }) => {
  const sending = useAction(
    () => ask<Delivery>("POST", `/webhooks/${webhook_id}/deliveries/${id}/redeliver`),
    () => {
      announcement.value = "It is sent again."
      again()
    }
  )
  return (
    <>
      <button type="button" disabled={sending.isBusy} onClick={sending.run}>
        Send again
      </button>
      {sending.failure !== null && <Failed failure={sending.failure} />}
    </>
  )
}

/** Deliveries of one subscription or of all, by their state, with what came of each attempt. */
export const Deliveries = ({
  nameOf,
  path
}: {
  readonly path: string
  /** The name of a subscription, where deliveries of several are shown. */
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
        label="State of deliveries"
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
            <p>None. An event that a webhook asks for makes one, and so does a test.</p>
          ) : (
            <>
              <Table
                caption="Deliveries, the newest first"
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
                          name: "Webhook"
                        }
                      ]),
                  { cell: ({ status }) => <Tag text={status} tone={tones[status]} />, name: "State" },
                  { cell: ({ created_at }) => <When at={created_at} />, name: "Queued" },
                  { cell: (delivery) => <Attempts {...delivery} />, kind: "address", name: "Attempts" },
                  { cell: (delivery) => <SendAgain {...delivery} again={reload} />, name: "Again" }
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
