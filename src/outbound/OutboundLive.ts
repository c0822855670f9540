import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AllowedNetworks } from "./address/AllowedNetworks.ts"
import { vet } from "./address/Vet.ts"
import { run } from "./Exchange.ts"
import { Fault } from "./Fault.ts"
import { Outbound, OutboundError, type OutboundRequest } from "./Outbound.ts"
import { Resolver } from "./Resolver.ts"
import type { Settings } from "./Settings.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import * as Timer from "./Stopwatch.ts"
import * as SystemResolver from "./SystemResolver.ts"
import * as Idle from "./socket/Idle.ts"
import { readHost } from "./UrlRules.ts"

const overdue = () => new Fault({ reason: "timeout", message: "The exchange took longer than its deadline" })

const timed = <A, R>(watch: Stopwatch, effect: Effect.Effect<A, Fault, R>) =>
  Effect.catchAll(effect, ({ reason, message }) =>
    Effect.flatMap(watch.timings, (timings) => new OutboundError({ reason, message, timings }))
  )

/** The guarded client over given settings. */
export const make = (settings: Settings): Context.Tag.Service<Outbound> => makeWith(settings, Idle.make())

const makeWith = (settings: Settings, idle: Idle.Idle): Context.Tag.Service<Outbound> => ({
  // A span that captures its stack would cost as much as the exchange.
  exchange: Effect.fnUntraced(
    function* (request: OutboundRequest) {
      const watch = yield* Timer.start
      const answer = yield* run(request, settings, idle, watch).pipe(
        Effect.timeoutFail({ duration: request.deadline, onTimeout: overdue }),
        (effect) => timed(watch, effect)
      )
      return { ...answer, timings: yield* watch.timings }
    },
    Effect.withSpan("Outbound.exchange", { captureStackTrace: false })
  ),
  vet: Effect.fn("Outbound.vet")(function* (url: URL) {
    const watch = yield* Timer.start
    return yield* timed(
      watch,
      Effect.flatMap(readHost(url), (host) => vet(host.name, settings.resolver, settings.allowed))
    )
  })
})

/** The client with the configured networks, over any resolver. */
export const layerNoDeps = Layer.effect(
  Outbound,
  Effect.gen(function* () {
    return make({ resolver: yield* Resolver, allowed: yield* AllowedNetworks, authorities: [] })
  })
)

/** The client as the service runs it. */
export const layer = Layer.provide(layerNoDeps, SystemResolver.layer)
