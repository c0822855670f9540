/** Platform adapter: dials addresses with `node:net`, which resolves no address and reads no proxy variable. */
import { connect, type Socket } from "node:net"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Fault } from "../Outbound.ts"

/** A connection and the address that was dialled for it. */
export interface Dialled {
  readonly socket: Socket
  readonly address: string
}

/** The outcome of an attempt, which callbacks of a socket settle and one fiber awaits: the first one counts. */
export const makeOutcome = () => {
  let outcome: Effect.Effect<void, Fault> | undefined
  let awaiting = (_: Effect.Effect<void, Fault>) => {}
  return {
    awaited: Effect.async<void, Fault>((resume) => {
      if (outcome === undefined) awaiting = resume
      else resume(outcome)
    }),
    settle: (first: Effect.Effect<void, Fault>) => {
      if (outcome !== undefined) return
      outcome = first
      awaiting(first)
    }
  }
}

const begin = (address: string, port: number) => {
  const socket = connect({ host: address, port, noDelay: true })
  const { awaited: connected, settle } = makeOutcome()
  const fail = (message: string) =>
    settle(new Fault({ reason: "connect", message: `Nothing accepts the connection (${message})` }))
  socket.once("connect", () => settle(Effect.void))
  socket.on("error", (error) => fail(error.message))
  socket.once("close", () => fail("closed"))
  return { socket, connected }
}

const dialOne = (address: string, port: number): Effect.Effect<Dialled, Fault, Scope.Scope> =>
  Effect.gen(function* () {
    const { socket, connected } = yield* Effect.acquireRelease(
      Effect.sync(() => begin(address, port)),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
    yield* connected.pipe(Effect.onInterrupt(() => Effect.sync(() => socket.destroy())))
    return { socket, address }
  })

/** How long an attempt may stay silent before the next one starts beside it (RFC 8305 §5). */
const headStart = "250 millis"

/** The first success of several attempts; each starts when the one before has failed or stayed silent for 250 ms. The others are interrupted. */
export const staggered = <A, E, R>([attempt, next, ...others]: readonly [
  Effect.Effect<A, E, R>,
  ...ReadonlyArray<Effect.Effect<A, E, R>>
]): Effect.Effect<A, E, R> => {
  if (next === undefined) return attempt
  return Effect.gen(function* () {
    const failed = yield* Deferred.make<void>()
    const first = attempt.pipe(Effect.tapError(() => Deferred.succeed(failed, undefined)))
    const later = Deferred.await(failed).pipe(
      Effect.timeoutOption(headStart),
      Effect.zipRight(staggered([next, ...others]))
    )
    return yield* Effect.race(first, later)
  })
}

/** Connects to the first of the addresses that accepts, without waiting long for any but the last. */
export const dial = (
  [first, ...others]: readonly [string, ...ReadonlyArray<string>],
  port: number
): Effect.Effect<Dialled, Fault, Scope.Scope> =>
  staggered([dialOne(first, port), ...others.map((address) => dialOne(address, port))])
