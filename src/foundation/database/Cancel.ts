/** Platform adapter: cancels abandoned statements by PostgreSQL's cancel request. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type Client, Connection } from "pg"
import { processSemaphore } from "../schema/unsafe.ts"

/** How long a cancel request may take. */
const patience = "2 seconds"

/** How long a cancelled statement may go on before its connection is closed. */
const endedAtLast = "10 seconds"

/** Concurrent cancel requests: each costs the server a process. */
const requests = processSemaphore(4)

/** Methods of the driver's connection that the driver's types leave out. */
interface Wire {
  readonly connect: (port: number | string, host?: string) => void
  readonly requestSsl: () => void
  readonly cancel: (processId: number, secret: number) => void
}

const isWire = (value: unknown): value is Wire =>
  Predicate.hasProperty(value, "cancel") &&
  Predicate.isFunction(value.cancel) &&
  Predicate.hasProperty(value, "requestSsl") &&
  Predicate.isFunction(value.requestSsl) &&
  Predicate.hasProperty(value, "connect") &&
  Predicate.isFunction(value.connect)

/** The session's process id and secret, which a cancel request must name. */
export const keyOf = (client: Client) =>
  Predicate.hasProperty(client, "processID") &&
  Predicate.isNumber(client.processID) &&
  Predicate.hasProperty(client, "secretKey") &&
  Predicate.isNumber(client.secretKey)
    ? { processId: client.processID, secret: client.secretKey }
    : undefined

const negotiationOf = (client: Client) =>
  Predicate.hasProperty(client, "sslNegotiation") ? { sslNegotiation: client.sslNegotiation } : {}

/**
 * Sends the request over a separate connection. The server sends the signal and closes the connection without an answer (PostgreSQL manual, "Canceling Requests
 * in Progress"). True when the server closed the connection.
 */
const request = (client: Client) =>
  Effect.async<boolean>((resume) => {
    const key = keyOf(client)
    const wire = new Connection({ ssl: client.ssl, ...negotiationOf(client) })
    if (key === undefined || !isWire(wire)) return resume(Effect.succeed(false))
    let isSent = false
    const send = () => {
      isSent = true
      wire.cancel(key.processId, key.secret)
    }
    wire.on("connect", () => {
      if (!client.ssl) send()
      else if (!Predicate.hasProperty(client, "sslNegotiation") || client.sslNegotiation !== "direct") wire.requestSsl()
    })
    wire.on("sslconnect", send)
    wire.on("error", () => resume(Effect.succeed(false)))
    wire.once("end", () => resume(Effect.succeed(isSent)))
    if (client.host.startsWith("/")) wire.connect(`${client.host}/.s.PGSQL.${client.port}`)
    else wire.connect(client.port, client.host)
    return Effect.sync(() => wire.stream.destroy())
  }).pipe(
    Effect.timeoutOption(patience),
    Effect.map((answer) => Option.getOrElse(answer, () => false))
  )

/** A statement that was sent. */
export interface Running {
  readonly client: Client
  isEnded: boolean
  /** The error of a failed statement. */
  error: unknown
  /** Called at the statement's end instead of the sender's callback. */
  heir: (() => void) | undefined
}

const endOf = (running: Running) =>
  Effect.async<void>((resume) => {
    if (running.isEnded) return resume(Effect.void)
    running.heir = () => resume(Effect.void)
  })

const isCancelled = (error: unknown) => Predicate.hasProperty(error, "code") && error.code === "57014"

/**
 * Abandons a statement: waits `grace` milliseconds for its end, because most statements end before a cancel request would arrive, then cancels the statement.
 * Completes when no signal can reach the connection any more. Returns whether the connection can be used again: yes when the statement ended without a request,
 * or **because** of the one answered request; no when, for example, the statement ended just before the signal.
 */
export const abandoned = (running: Running, grace: number): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    // From here on only this fiber is notified of the end.
    running.heir ??= () => {}
    if (Option.isSome(yield* Effect.timeoutOption(endOf(running), grace))) return true
    const answered = yield* requests.withPermits(1)(Effect.when(request(running.client), () => !running.isEnded))
    if (Option.isNone(answered)) return true
    yield* Effect.timeoutOption(endOf(running), endedAtLast)
    return answered.value && isCancelled(running.error)
  }).pipe(Effect.interruptible)
