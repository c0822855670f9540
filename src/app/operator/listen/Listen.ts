import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { EventId } from "../../../features/events/EventKind.ts"
import type { EventName } from "../../../features/webhooks/Catalogue.ts"
import * as DeliveryHeaders from "../../../features/webhooks/signature/DeliveryHeaders.ts"
import { generate, Secret } from "../../../features/webhooks/signature/Secret.ts"
import { DataDirectory } from "../../../foundation/database/Settings.ts"
import { sha256 } from "../../../foundation/http/Digest.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { Entropy } from "../../../foundation/secrets/Entropy.ts"
import { say } from "../../../foundation/terminal/Output.ts"
import { escapeInvisible } from "../../../foundation/text/Words.ts"
import { make } from "../../client/Client.ts"
import { ApiKey, NodeUrl } from "../../mcp/Settings.ts"

/** A URL on this machine that gets the events of a node's account. */
const Address = Schema.Struct({ account: Schema.String, node: Schema.String, target: Schema.String })
type Address = typeof Address.Type

const Known = Schema.Struct({ ...Address.fields, secret: Secret })

/** The next event to read: after an event, else since a time, else the oldest. `listened` is in milliseconds. */
const Position = Schema.Struct({
  after: Schema.NullOr(EventId),
  since: Schema.NullOr(Schema.String),
  listened: Schema.Number
})
type Position = typeof Position.Type

const ownerOnly = 0o600
const utf8 = new TextEncoder()

const files = { known: "target.json", position: "position.json" } as const

const folders = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.join(yield* DataDirectory, "listen")
})

const unusable = (file: string) => () =>
  new Refused({ message: `${file} cannot be read or written, or is damaged. Check its permissions, or remove it.` })

const read = <A, I>(schema: Schema.Schema<A, I>, file: string) => {
  const decode = Schema.decode(Schema.parseJson(schema))
  return Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (!(yield* fs.exists(file))) return Option.none<A>()
    return Option.some(yield* Effect.flatMap(fs.readFileString(file), (text) => decode(text)))
  }).pipe(Effect.mapError(unusable(file)))
}

/** Writes a complete file, readable by its owner alone, under a temporary name; `place` then gives it the final name. */
const draft = Effect.fnUntraced(function* (
  file: string,
  content: unknown,
  place: (draft: string) => Effect.Effect<void, unknown>
) {
  const fs = yield* FileSystem.FileSystem
  const { bytes } = yield* Entropy
  const name = `${file}.${Encoding.encodeHex(yield* bytes(8))}`
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(name)))
  const handle = yield* fs.open(name, { flag: "wx", mode: ownerOnly })
  yield* handle.writeAll(utf8.encode(JSON.stringify(content)))
  yield* handle.sync
  yield* place(name)
}, Effect.scoped)

/** The secret of a URL, created at its first use and then kept, and the position in its events. */
export const open = Effect.fnUntraced(function* (address: Address) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const services = yield* Effect.context<Entropy | FileSystem.FileSystem>()
  const { account, node, target } = address
  const name = sha256(JSON.stringify([node, account, target]))
    .toString("hex")
    .slice(0, 32)
  const folder = path.join(yield* folders, name)
  const [known, position] = [path.join(folder, files.known), path.join(folder, files.position)]
  yield* fs.makeDirectory(folder, { mode: 0o700, recursive: true }).pipe(Effect.mapError(unusable(folder)))
  const before = yield* read(Known, known)
  if (Option.isNone(before)) {
    const secret = Redacted.value(yield* generate)
    // A link never replaces a file, so two commands that begin together sign with one secret.
    yield* draft(known, { ...address, secret }, (name) => Effect.ignore(fs.link(name, known))).pipe(
      Effect.mapError(unusable(known))
    )
  }
  const { secret } = yield* Effect.flatMap(read(Known, known), Effect.mapError(unusable(known)))
  /** Writes the position atomically. */
  const save = Effect.fnUntraced(
    function* (at: Pick<Position, "after" | "since">) {
      const listened = yield* Clock.currentTimeMillis
      yield* draft(position, { ...at, listened }, (name) => fs.rename(name, position))
    },
    Effect.mapError(unusable(position)),
    Effect.provide(services)
  )
  return { position: yield* read(Position, position), save, secret: Redacted.make(secret) }
})

/** The URL that last got events of the account. */
export const last = Effect.fnUntraced(function* ({ account, node }: Omit<Address, "target">) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* folders
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): Array<string> => []))
  const found = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.all([
        read(Known, path.join(folder, name, files.known)),
        read(Position, path.join(folder, name, files.position))
      ]),
      ([known, position]) =>
        Option.toArray(
          Option.filter(
            Option.all({ known, position }),
            ({ known }) => known.account === account && known.node === node
          )
        )
    )
  )
  const [newest] = found.flat().sort((a, b) => b.position.listened - a.position.listened)
  return Option.fromNullable(newest?.known.target)
})

/** A client of the configured server, and the account of the key. */
export const node = Effect.gen(function* () {
  const address = yield* NodeUrl
  const key = yield* Option.match(yield* ApiKey, {
    onNone: () =>
      new Refused({ message: "No API key. Set FINDABLE_API_KEY to a key with the `webhooks:manage` scope." }),
    onSome: Effect.succeed
  })
  const client = yield* Effect.provide(make({ baseUrl: address, key }), FetchHttpClient.layer)
  const { data } = yield* client.key
    .get()
    .pipe(
      Effect.mapError((error) =>
        error._tag === "ApiError"
          ? new Refused({ message: `${address} rejected FINDABLE_API_KEY: ${error.message}` })
          : new Refused({ message: `No Findable server at ${address}. Start it, or set FINDABLE_URL to its URL.` })
      )
    )
  return { account: data.account.id, address, client }
})

type Node = Effect.Effect.Success<typeof node>

/** An event in the form of deliveries. */
interface Event {
  readonly id: EventId
  readonly type: string
  readonly created_at: string
  readonly data: unknown
}

/** The destination of events: the URL, the signing secret, and further headers. */
interface Destination {
  readonly headers: Readonly<Record<string, string>>
  readonly secret: Redacted.Redacted<Secret>
  readonly url: string
}

/** The outcome of a post; `error` is null for an accepted event. */
interface Outcome {
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
}

/** The time limit of a delivery. */
const deadline = "15 seconds"

const encoder = new TextEncoder()

/** The status of the response. Only the beginning of the body is read, for a second at most. */
const exchange = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.execute(request).pipe(
    Effect.tap(({ stream }) =>
      Effect.ignore(Effect.timeoutOption(Stream.runDrain(Stream.take(stream, 1)), "1 second"))
    ),
    Effect.map(({ status }) => ({
      error: status >= 200 && status < 300 ? null : `returned ${status}`,
      status_code: status
    })),
    Effect.orElseSucceed(() => ({ error: "no connection", status_code: null })),
    Effect.timeoutTo({
      duration: deadline,
      onSuccess: (outcome) => outcome,
      onTimeout: () => ({ error: `no response within ${deadline}`, status_code: null })
    }),
    // Redirects are not followed, as in a delivery.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provide(FetchHttpClient.layer)
  )

/** Posts an event once, signed at this time, with the headers and the body of a delivery. */
export const post = Effect.fnUntraced(function* (event: Event, { headers, secret, url }: Destination) {
  const { created_at, data, id, type } = event
  const body = encoder.encode(JSON.stringify({ id, type, created_at, data }))
  const begun = yield* Clock.currentTimeMillis
  const timestamp = Math.floor(begun / 1000)
  const signed = DeliveryHeaders.make({ body, eventId: id, eventType: type, secrets: [secret], timestamp })
  const outcome = yield* exchange(
    HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUint8Array(body, "application/json"),
      HttpClientRequest.setHeaders({ ...headers, ...signed })
    )
  )
  return { ...outcome, latency_ms: (yield* Clock.currentTimeMillis) - begun } satisfies Outcome
})

/** Attempts after the first. */
const again = 3

/** Posts an event, with three retries after 1, 2 and 4 s. */
const deliver = (
  event: Event,
  destination: Destination,
  attempts = 1
): Effect.Effect<Outcome & { readonly attempts: number }> =>
  Effect.flatMap(post(event, destination), (outcome) =>
    outcome.error === null || attempts > again
      ? Effect.succeed({ ...outcome, attempts })
      : Effect.delay(
          Effect.suspend(() => deliver(event, destination, attempts + 1)),
          `${2 ** (attempts - 1)} seconds`
        )
  )

/** The events to read, and the reports of their outcomes. */
interface Listening extends Omit<Destination, "secret"> {
  readonly events: ReadonlyArray<EventName> | undefined
  /** Begins with events since this long ago, instead of at the stored position. */
  readonly since: Option.Option<Duration.Duration>
  readonly format: "json" | "text"
}

type StoredPosition = Pick<Position, "after" | "since">

/** Seconds of `Prefer: wait` in each request. */
const held = 50

/** Longer than a request may wait: without a response by then, the connection counts as lost. */
const overdue = "70 seconds"

/** Pause before the next request to a server that is away. */
const pause = Duration.seconds(2)

const perPage = 100

/** Codes of temporary errors. */
const passing: ReadonlyArray<string> = ["internal_error", "rate_limit_exceeded", "service_unavailable"]

interface Failure {
  readonly _tag: string
  readonly code?: unknown
  readonly retryAfter?: number | undefined
}

/** Whether a failure is temporary: no response, a response of another program at the URL, or a temporary error. */
const isPassing = ({ _tag, code }: Failure) => _tag !== "ApiError" || passing.includes(String(code))

/** Retries while the server is away, and says so once. */
const patiently = <A, E extends Failure, R>(ask: Effect.Effect<A, E, R>, hasFailed = false): Effect.Effect<A, E, R> =>
  Effect.catchIf(ask, isPassing, ({ retryAfter = 0 }) =>
    (hasFailed ? Effect.void : say("No response from the server. Retrying…")).pipe(
      Effect.zipRight(Effect.sleep(Duration.max(pause, Duration.seconds(retryAfter)))),
      Effect.zipRight(Effect.suspend(() => patiently(ask, true)))
    )
  )

const silent = () => ({ _tag: "Silent" }) as const

/** The next events after a position; the server waits for them. */
const following = ({ client }: Node, { after, since }: StoredPosition, types: Listening["events"], wait: number) =>
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

/** The position after the latest event. */
const now = Effect.fnUntraced(function* (node: Node) {
  const newest = yield* patiently(node.client.events.list({ query: { limit: 1 } }))
  const onwards = (
    position: StoredPosition
  ): Effect.Effect<StoredPosition, Effect.Effect.Error<ReturnType<typeof following>>> =>
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
  const end = error === null ? `${status_code} in ${latency_ms} ms` : `skipped after ${attempts} attempts: ${error}`
  return escapeInvisible(`${event.id}  ${event.type}  ${end}`)
}

/**
 * Posts the events of an account to a URL, one after the other, until interrupted. The position is written after each event, so a later call continues there,
 * and repeats at most the event in progress.
 */
export const listen = Effect.fnUntraced(function* (node: Node, listening: Listening) {
  const { events, format, headers, since, url } = listening
  const address = { account: node.account, node: node.address, target: url }
  const { position, save, secret } = yield* open(address)
  const begin = Effect.gen(function* () {
    if (Option.isSome(since)) {
      const from = DateTime.subtractDuration(yield* DateTime.now, since.value)
      return { after: null, since: DateTime.formatIso(from) }
    }
    return Option.isSome(position) ? position.value : yield* now(node)
  })
  let at: StoredPosition = yield* begin
  yield* save(at)
  yield* say(`Forwarding events of ${node.address} to ${url}. Print the signing secret with --print-secret.`)

  const turn = Effect.gen(function* () {
    const { data } = yield* following(node, at, events, held)
    // A stopping node responds immediately, so the next request waits a second.
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
          say("The last forwarded event has been deleted. Continuing with the oldest event that is left."),
          save(at)
        )
      }
    )
  )
  return yield* Effect.forever(turn)
})
