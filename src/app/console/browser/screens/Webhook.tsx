import { useSignal } from "@preact/signals"
import { useAction } from "../api/Action.ts"
import type { Ping as PingResult, Webhook as Record, Recovery } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { ask } from "../api/Request.ts"
import { Facts } from "../parts/Facts.tsx"
import { Failed } from "../parts/Failed.tsx"
import { count, none, plural } from "../parts/Formats.ts"
import { Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Select } from "../parts/Select.tsx"
import { When } from "../parts/When.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { State } from "./WebhookState.tsx"

const milliseconds = (value: number | null) => (value === null ? none : `${count(Math.round(value))} ms`)

/** What came back of a ping, and how long each part of it took. */
const Answer = ({ delivered, error, latency_ms, signature_verified, status_code, timings }: PingResult) => (
  <div class="card" role="status">
    <p class={delivered ? "good" : "bad"}>
      {delivered ? "It was accepted" : "It was not accepted"}
      {error !== null && `: ${error.message} (${error.code})`}
    </p>
    <Facts
      of={[
        ["Status", status_code ?? none],
        ["Together", milliseconds(latency_ms)],
        ["Name look-up", milliseconds(timings?.dns_ms ?? null)],
        ["Connection", milliseconds(timings?.connect_ms ?? null)],
        ["TLS", milliseconds(timings?.tls_ms ?? null)],
        ["First byte", milliseconds(timings?.first_byte_ms ?? null)],
        ["Rest", milliseconds(timings?.body_ms ?? null)],
        ["Signature", signature_verified === null ? none : signature_verified ? "verifies" : "does not verify"]
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
          Ping
        </button>
        <span class="quiet">sends a signed test at once, which is not tried again</span>
      </p>
      {pinging.failure !== null && <Failed failure={pinging.failure} />}
      {answer.value !== null && <Answer {...answer.value} />}
    </>
  )
}

const spans = { "1": "the last hour", "24": "the last day", "168": "the last week" }

/** Sends what failed again, once the receiver works. */
const Recover = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const hours = useSignal("24")
  const said = useSignal("")
  const recovering = useAction(
    () => {
      const since = new Date(Date.now() - Number(hours.value) * 3_600_000).toISOString()
      return ask<Recovery>("POST", `/webhooks/${id}/recover`, { body: { since } })
    },
    ({ recovered }) => {
      said.value = `${plural(recovered, "delivery is", "deliveries are")} sent again.`
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
          label="Send again what failed in"
          options={spans}
          value={hours.value}
          choose={(chosen) => {
            hours.value = chosen
          }}
        />
        <button type="submit" disabled={recovering.isBusy}>
          Recover
        </button>
        <span role="status">{said.value}</span>
      </form>
      {recovering.failure !== null && <Failed failure={recovering.failure} />}
    </>
  )
}

/** Takes a pause or a deactivation back, without which nothing is sent. */
const Resume = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const resuming = useAction(() => ask<Record>("PATCH", `/webhooks/${id}`, { body: { is_active: true } }), done)
  return (
    <>
      <button type="button" disabled={resuming.isBusy} onClick={resuming.run}>
        Resume
      </button>
      {resuming.failure !== null && <Failed failure={resuming.failure} />}
    </>
  )
}

/** One subscription: whether it works, what was sent, and how to repair it. */
export const Webhook = ({ id }: { readonly id: string }) => {
  const webhook = useRead<Record>(`/webhooks/${id}`)
  const round = useSignal(0)
  const { data } = webhook
  const changed = () => {
    webhook.reload()
    round.value++
  }
  return (
    <Page title="Webhook" back={["#/webhooks", "Webhooks"]} about={data !== null && <State of={data} />}>
      <Loaded read={webhook}>
        {({ deactivation, description, events, failing_since, is_active, last_24h, last_success_at, url }) => (
          <>
            <p class="address">
              <code>{url}</code>
            </p>
            {description !== null && <p>{description}</p>}
            {deactivation !== null && (
              <p class="bad">
                {deactivation.reason === "gone"
                  ? "The receiver answered that it is gone (410)"
                  : "Nothing was accepted for five days"}
                , so nothing is sent since <When at={deactivation.at} />
              </p>
            )}
            {!is_active && <Resume id={id} done={changed} />}
            <Facts
              of={[
                [
                  "In 24 hours",
                  `${count(last_24h.delivered)} delivered, ${count(last_24h.failed)} failed, ${count(last_24h.pending)} pending`
                ],
                ["Last success", <When at={last_success_at} />],
                ["Failing since", <When at={failing_since} />],
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
