import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EventName } from "../../../features/webhooks/Catalogue.ts"
import { say } from "../../../foundation/terminal/Output.ts"
import { escapeInvisible } from "../../../foundation/text/EscapeInvisible.ts"
import * as LocalTarget from "./LocalTarget.ts"
import type { Node } from "./Node.ts"
import { type Destination, deliver, type Outcome } from "./Post.ts"

/** What to read, and how to say what became of it. */
interface Listening extends Omit<Destination, "secret"> {
  readonly events: ReadonlyArray<EventName> | undefined
  /** Begins with the events of this time before now, whatever was read before. */
  readonly since: Option.Option<Duration.Duration>
  readonly format: "json" | "text"
}

type Position = Pick<LocalTarget.Position, "after" | "since">

/** Seconds of `Prefer: wait` in each request. */
const held = 50

/** Longer than a request may wait: without an answer by then the connection is lost. */
const overdue = "70 seconds"

/** Pause before a node that is away is asked again. */
const pause = Duration.seconds(2)

const perPage = 100

/** Codes that pass by themselves. */
const passing: ReadonlyArray<string> = ["internal_error", "rate_limit_exceeded", "service_unavailable"]

interface Failure {
  readonly _tag: string
  readonly code?: unknown
  readonly retryAfter?: number | undefined
}

/** No answer, an answer of something else at the address, or an error that passes by itself. */
const isPassing = ({ _tag, code }: Failure) => _tag !== "ApiError" || passing.includes(String(code))

/** Asks again for as long as the node is away, which is said once. */
const patiently = <A, E extends Failure, R>(ask: Effect.Effect<A, E, R>, hasFailed = false): Effect.Effect<A, E, R> =>
  Effect.catchIf(ask, isPassing, ({ retryAfter = 0 }) =>
    (hasFailed ? Effect.void : say("the node does not answer; asks again")).pipe(
      Effect.zipRight(Effect.sleep(Duration.max(pause, Duration.seconds(retryAfter)))),
      Effect.zipRight(Effect.suspend(() => patiently(ask, true)))
    )
  )

const silent = () => ({ _tag: "Silent" }) as const

/** The next events after a position; those that the node waits for. */
const following = ({ client }: Node, { after, since }: Position, types: Listening["events"], wait: number) =>
  patiently(
    client.events
      .list({
        query: {
          limit: perPage,
          order: "asc",
          ...(types === undefined ? {} : { type: types }),
          ...(after !== null ? { after } : since !== null ? { since } : {})
        },
        wait
      })
      .pipe(Effect.timeoutFail({ duration: overdue, onTimeout: silent }))
  )

/** The place after all events that there are. */
const now = Effect.fnUntraced(function* (node: Node) {
  const newest = yield* patiently(node.client.events.list({ query: { limit: 1 } }))
  const onwards = (position: Position): Effect.Effect<Position, Effect.Effect.Error<ReturnType<typeof following>>> =>
    Effect.flatMap(following(node, position, undefined, 0), ({ data }) => {
      const last = data.at(-1)
      return last === undefined ? Effect.succeed(position) : onwards({ after: last.id, since: null })
    })
  const after = newest.data[0]?.id ?? null
  return after === null ? { after, since: null } : yield* onwards({ after, since: null })
})

interface Posted extends Outcome {
  readonly attempts: number
}

const line = (event: { readonly id: string; readonly type: string }, posted: Posted, format: Listening["format"]) => {
  const { attempts, error, latency_ms, status_code } = posted
  if (format === "json") {
    return JSON.stringify({ event_id: event.id, type: event.type, delivered: error === null, ...posted })
  }
  const end = error === null ? `${status_code} in ${latency_ms} ms` : `passed by after ${attempts} attempts: ${error}`
  return escapeInvisible(`${event.id}  ${event.type}  ${end}`)
}

/**
 * Posts the events of an account to an address, one after the other, for as long as it runs. The position is written after each, so a later call goes on
 * where this one ended, and posts at most the one that was under way again.
 */
export const listen = Effect.fnUntraced(function* (node: Node, listening: Listening) {
  const { events, format, headers, since, url } = listening
  const address = { account: node.account, node: node.address, target: url }
  const { position, save, secret } = yield* LocalTarget.open(address)
  const begin = Effect.gen(function* () {
    if (Option.isSome(since)) {
      const from = DateTime.subtractDuration(yield* DateTime.now, since.value)
      return { after: null, since: DateTime.formatIso(from) }
    }
    return Option.isSome(position) ? position.value : yield* now(node)
  })
  let at: Position = yield* begin
  yield* save(at)
  yield* say(`posts the events of ${node.address} to ${url}; webhooks listen --print-secret prints the secret`)

  const turn = Effect.gen(function* () {
    const { data } = yield* following(node, at, events, held)
    // A node that stops answers at once, so the next request comes a second later.
    if (data.length === 0) return yield* Effect.sleep("1 second")
    for (const event of data) {
      const posted = yield* deliver(event, { headers, secret, url })
      at = { after: event.id, since: null }
      yield* save(at)
      yield* Console.log(line(event, posted, format))
    }
  }).pipe(
    Effect.catchIf(
      (error) => error._tag === "ApiError" && error.code === "invalid_cursor",
      () => {
        at = { after: null, since: null }
        return Effect.zipRight(
          say("the event to go on from is no longer kept; goes on from the oldest that is"),
          save(at)
        )
      }
    )
  )
  return yield* Effect.forever(turn)
})
