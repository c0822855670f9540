import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Delivery, FullDelivery } from "../api/Contract.ts"
import { usePages, usePoll, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, refine, route } from "../Place.ts"
import { Act } from "../parts/Acts.tsx"
import { count, plural, sentence } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Source } from "../parts/Source.tsx"
import { Loaded, Tag, When } from "../parts/Status.tsx"
import { Details, Facts, Pages } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { outcomeOf, pretty, titleOf } from "./WebhookWords.ts"

const tones = { delivered: "good", delivering: "quiet", failed: "bad", pending: "warn" } as const

/** The status of a delivery as a coloured word. */
export const Status = ({ status }: Pick<Delivery, "status">) => <Tag text={status} tone={tones[status]} />

/** Characters shown of a body. */
const shownCharacters = 20_000

/** A body as text; long ones are cut. */
const Body = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const whole = pretty(text)
  return text === "" ? (
    <p class="quiet">Empty body</p>
  ) : (
    <>
      <Source label={label} text={whole.slice(0, shownCharacters)} />
      {whole.length > shownCharacters && (
        <small class="quiet">The first {count(shownCharacters)} characters. The API returns all.</small>
      )}
    </>
  )
}

const Headers = ({ of }: { readonly of: Readonly<Record<string, string>> | undefined }) => {
  const all = Object.entries(of ?? {})
  return (
    <Details summary={plural(all.length, "header")}>
      {() => (
        <dl class="headers">
          {all.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Details>
  )
}

const milliseconds = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : `${count(Math.round(value))} ms`

/** The attempts of a delivery; the chosen one shows its response. */
const Attempts = ({ attempts, next_attempt_at }: Pick<FullDelivery, "attempts" | "next_attempt_at">) => {
  const chosen = useSignal<number | null>(null)
  const attempt = attempts.find(({ number }) => number === chosen.value) ?? attempts.at(-1)
  return (
    <>
      <h3>{plural(attempts.length, "attempt")}</h3>
      <ol class="timeline">
        {attempts.map((one) => (
          <li key={one.number} class={one.error === null ? "good" : "bad"}>
            <button
              type="button"
              aria-pressed={one.number === attempt?.number}
              onClick={() => {
                chosen.value = one.number
              }}
            >
              Attempt {one.number}
            </button>{" "}
            {one.trigger === "manual" && "resent, "}
            {outcomeOf(one)} <When at={one.started_at} />
          </li>
        ))}
        {next_attempt_at !== null && (
          <li class="quiet">
            Next attempt <When at={next_attempt_at} />
          </li>
        )}
      </ol>
      {attempt !== undefined && (
        <>
          <h3>
            Response{attempts.length > 1 && ` to attempt ${attempt.number}`}
            {attempt.status_code !== null && `: ${attempt.status_code}`}
          </h3>
          {attempt.response === null ? (
            <p class="quiet">No response</p>
          ) : (
            <>
              <Headers of={attempt.response.headers} />
              <Body label="Response body" text={attempt.response.body} />
              {attempt.response.truncated && <small class="quiet">Findable keeps the first 16 KiB.</small>}
            </>
          )}
          {attempt.timings !== null && (
            <Details summary={`Timing: ${milliseconds(attempt.latency_ms)}`}>
              {() => (
                <Facts
                  of={[
                    ["DNS lookup", milliseconds(attempt.timings?.dns_ms)],
                    ["TCP connection", milliseconds(attempt.timings?.connect_ms)],
                    ["TLS", milliseconds(attempt.timings?.tls_ms)],
                    ["First byte", milliseconds(attempt.timings?.first_byte_ms)],
                    ["Response body", milliseconds(attempt.timings?.body_ms)],
                    ["Connection", attempt.timings?.reused === true ? "reused" : "new"]
                  ]}
                />
              )}
            </Details>
          )}
        </>
      )}
    </>
  )
}

/** The answer to the last attempt, in one line. */
const Last = ({ of: attempt }: { readonly of: FullDelivery["attempts"][number] | undefined }) =>
  attempt === undefined ? null : (
    <p class={attempt.error === null ? "good" : "bad"}>
      Last attempt: {outcomeOf(attempt)} <When at={attempt.started_at} />
    </p>
  )

/** Seconds between two looks at deliveries in progress. */
const pause = 3

/** One delivery: its attempts with their responses, and the request. */
const Shown = ({
  changed,
  id,
  isChosen,
  webhook
}: {
  readonly id: string
  readonly webhook: string
  /** Whether the reader chose it: it gets the focus then. */
  readonly isChosen: boolean
  readonly changed: () => void
}) => {
  const read = useRead<FullDelivery>(`/webhooks/${webhook}/deliveries/${id}`)
  const heading = useRef<HTMLHeadingElement>(null)
  const isThere = read.data !== null
  useEffect(() => {
    if (isChosen && isThere) heading.current?.focus()
  }, [isThere])
  usePoll(read.reload, read.data !== null && read.data.finished_at === null ? pause : null)
  return (
    <Loaded read={read}>
      {({ attempts, created_at, event_id, event_type, next_attempt_at, request, status, test }) => (
        <>
          <div class="head">
            <h2 ref={heading} tabIndex={-1}>
              {titleOf(event_type)}
            </h2>
            <Status status={status} /> {test && <Tag text="test" tone="quiet" />}
          </div>
          <Last of={attempts.at(-1)} />
          <Facts
            of={[
              ["Queued", <When at={created_at} />],
              ["Event type", <code>{event_type}</code>],
              ["Event", <code>{event_id}</code>],
              ["Delivery", <code>{id}</code>]
            ]}
          />
          <div class="actions">
            <Act
              action="Resend"
              scope="webhooks:manage"
              work={() => ask<Delivery>("POST", `/webhooks/${webhook}/deliveries/${id}/redeliver`)}
              done={() => {
                announcement.value = "Resending."
                read.reload()
                changed()
              }}
            />
          </div>
          <Attempts attempts={attempts} next_attempt_at={next_attempt_at} />
          <h3>Request</h3>
          {request === null ? (
            <p class="quiet">Nothing was sent yet.</p>
          ) : (
            <>
              <Headers of={request.headers} />
              <Body label="Request body" text={request.body} />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

/** A list of deliveries with the status of the URL, read again while one of them is in progress. */
export const useDeliveries = (path: string, size?: number) => {
  const status = route.value.query.get("status") ?? ""
  const deliveries = usePages<Delivery>(`${path}${queryOf({ status })}`, size)
  usePoll(deliveries.reload, deliveries.data?.some(({ finished_at }) => finished_at === null) === true ? pause : null)
  return { ...deliveries, status }
}

/** Chooses the status of the listed deliveries. */
export const StatusChoice = ({ status }: { readonly status: string }) => (
  <Choice
    label="Delivery status"
    chosen={status}
    options={["", "failed", "pending", "delivered"].map((value) => ({
      text: value === "" ? "All" : sentence(value),
      value
    }))}
    choose={(status) => refine({ status })}
  />
)

/** Deliveries of an endpoint on one screen: a short list beside the chosen one. */
const listed = 12

/** Deliveries of one endpoint beside the chosen delivery. */
export const Deliveries = ({
  chosen,
  round,
  webhook
}: {
  readonly webhook: string
  readonly chosen: string | null
  /** How often the endpoint was changed; each change loads the list again. */
  readonly round: number
}) => {
  const deliveries = useDeliveries(`/webhooks/${webhook}/deliveries`, listed)
  const { data, reload, status } = deliveries
  useEffect(() => {
    if (round > 0) reload()
  }, [round])
  const shown = chosen ?? data?.[0]?.id ?? null
  return (
    <>
      <h2>Deliveries</h2>
      <StatusChoice status={status} />
      <div class="panes">
        <div>
          <Loaded read={deliveries}>
            {(rows) =>
              rows.length === 0 ? (
                <p>
                  {status === ""
                    ? "No deliveries yet. They appear here with the next event."
                    : `No ${status} deliveries.`}
                </p>
              ) : (
                <>
                  <ul class="list">
                    {rows.map(({ attempts, created_at, event_type, id, status: state, test }) => (
                      <li key={id}>
                        <a
                          href={hashOf(["webhooks", webhook, id], { status })}
                          aria-current={id === shown ? "true" : undefined}
                        >
                          <span>{titleOf(event_type)}</span> <Status status={state} />
                          <small>
                            <When at={created_at} />
                            {test && " · test"}
                            {attempts.length > 1 && ` · ${plural(attempts.length, "attempt")}`}
                          </small>
                        </a>
                      </li>
                    ))}
                  </ul>
                  <Pages name="deliveries" pager={deliveries.pager} />
                </>
              )
            }
          </Loaded>
        </div>
        <section aria-label="Chosen delivery">
          {shown !== null && (
            <Shown key={shown} id={shown} webhook={webhook} isChosen={chosen !== null} changed={reload} />
          )}
        </section>
      </div>
    </>
  )
}
