import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Traced from "../schema/Traced.ts"
import { AllowedNetworks } from "./address/Cidr.ts"
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
      const found = Effect.flatMap(readHost(url), (host) => vet(host.name, settings.resolver, settings.allowed))
      return timed(found, Timer.start(clock))
    })
  return {
    exchange: (request) => Traced.spanned("Outbound.exchange")(exchange(request)),
    vet: (url) => Traced.spanned("Outbound.vet")(vetted(url))
  }
}

/** The client with the configured networks, over any resolver. */
export const layerNoDeps = Layer.effect(
  Outbound,
  Effect.gen(function* () {
    return make({ resolver: yield* Resolver.Resolver, allowed: yield* AllowedNetworks, authorities: [] })
  })
)

/** The client as the service runs it. */
export const layer = Layer.provide(layerNoDeps, Resolver.layer)
