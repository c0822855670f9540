import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Traced from "../schema/Traced.ts"
import { AllowedNetworks } from "./address/Cidr.ts"
import * as TypedHost from "./address/TypedHost.ts"
import { vet } from "./address/Vet.ts"
import type { Settings } from "./Connect.ts"
import * as Deadlines from "./Deadlines.ts"
import { run } from "./Exchange.ts"
import type { Fault } from "./Outbound.ts"
import { Outbound, OutboundError, type OutboundRequest } from "./Outbound.ts"
import * as Resolver from "./Resolver.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import * as Timer from "./Stopwatch.ts"
import * as Idle from "./socket/Idle.ts"
import { readHost } from "./UrlRules.ts"

const timed = <A>(effect: Effect.Effect<A, Fault>, watch: Stopwatch) =>
  Effect.mapError(effect, ({ reason, message }) => new OutboundError({ reason, message, timings: watch.timings() }))

/** The guarded client over given settings. */
export const make = (settings: Settings): Context.Tag.Service<Outbound> => {
  const kept = { deadlines: Deadlines.make(), idle: Idle.make() }
  const exchange = (request: OutboundRequest) =>
    Effect.clockWith((clock) => {
      const watch = Timer.start(clock)
      return Effect.map(timed(run(request, settings, kept, watch), watch), (answer) => ({
        ...answer,
        timings: watch.timings()
      }))
    })
  const vetted = (url: URL) =>
    Effect.clockWith((clock) => {
      const found = Effect.flatMap(readHost(url), (host) => vet(host, settings))
      return timed(found, Timer.start(clock))
    })
  return {
    exchange: (request) => Traced.spanned("Outbound.exchange")(exchange(request)),
    vet: (url) => Traced.spanned("Outbound.vet")(vetted(url))
  }
}

const bySettings = (exception: Pick<Settings, "typed">) =>
  Layer.effect(
    Outbound,
    Effect.gen(function* () {
      return make({
        ...exception,
        resolver: yield* Resolver.Resolver,
        allowed: yield* AllowedNetworks,
        authorities: []
      })
    })
  )

/** The client with the configured networks, over any resolver. */
export const layerNoDeps = bySettings({})

/** Clients that settings alone make. */
const configured = new WeakSet<Context.Tag.Service<Outbound>>()

/** Whether another process of this machine would make the same client of the same settings; one that wraps it, or stands in its place, is not that. */
export const isConfigured = (outbound: Context.Tag.Service<Outbound>): boolean => configured.has(outbound)

/** The client as the service runs it. */
export const layer = Layer.provide(layerNoDeps, Resolver.layer).pipe(
  Layer.tap((context) => Effect.sync(() => configured.add(Context.get(context, Outbound))))
)

/** The client of a command for which a person typed this address: its host and port may be private, and nothing else. */
export const layerFor = (typed: URL) =>
  Layer.provide(
    bySettings(
      Either.match(readHost(typed), { onLeft: () => ({}), onRight: (host) => ({ typed: TypedHost.make(host) }) })
    ),
    Resolver.layer
  )
