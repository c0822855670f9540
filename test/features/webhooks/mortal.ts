import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import type { Events } from "../../../src/features/events/Events.ts"
import { DeliveriesRepo } from "../../../src/features/webhooks/deliveries/DeliveriesRepo.ts"
import { QueueRepo } from "../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordOutcome, RecordRepo } from "../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { Attempts } from "../../../src/features/webhooks/deliveries/Sender.ts"
import * as Worker from "../../../src/features/webhooks/deliveries/Worker.ts"
import { Outbound } from "../../../src/foundation/outbound/Outbound.ts"
import type { Cipher } from "../../../src/foundation/secrets/Cipher.ts"

/** When a worker dies: after a number of its operations, before or after the last of them is carried out, or after a number of milliseconds. */
export interface Fate {
  readonly operations: number
  readonly milliseconds: number
  readonly afterwards: boolean
}

type Services = Cipher | DeliveriesRepo | Events | Outbound | QueueRepo | RecordRepo

const gone = Effect.die("The process is dead")

/**
 * A worker that dies as by `kill -9`: from one moment on nothing that it tries is done, so it sends nothing, records nothing and hands nothing back;
 * the transaction in which that moment falls is rolled back, and a statement on its way is carried out.
 */
export const mortalWorker = Effect.fnUntraced(function* (fate: Fate) {
  const services = yield* Effect.context<Services>()
  const scope = yield* Scope.make()
  const death = yield* Deferred.make<void>()
  let operations = 0
  let dead = false
  const die = Effect.suspend(() => {
    dead = true
    return Effect.zipRight(Deferred.succeed(death, undefined), gone)
  })

  const mortal = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      if (dead) return gone
      const last = ++operations === fate.operations
      if (last && !fate.afterwards) return die
      return Effect.onExit(operation, () => (dead ? gone : last ? die : Effect.void))
    })
  const living = <Service extends object>(service: Service): Service =>
    new Proxy(service, {
      get: (target, property) => {
        const member = Reflect.get(target, property)
        if (Effect.isEffect(member)) return mortal(member)
        return typeof member !== "function"
          ? member
          : (...args: ReadonlyArray<unknown>) => {
              const result = Reflect.apply(member, target, args)
              return Effect.isEffect(result) ? mortal(result) : result
            }
      }
    })

  const program = Worker.layerNoDeps.pipe(
    Layer.provide(Attempts.DefaultWithoutDependencies),
    Layer.provide(RecordOutcome.DefaultWithoutDependencies),
    Layer.provide([
      Layer.succeed(DeliveriesRepo, living(Context.get(services, DeliveriesRepo))),
      Layer.succeed(QueueRepo, living(Context.get(services, QueueRepo))),
      Layer.succeed(RecordRepo, living(Context.get(services, RecordRepo))),
      Layer.succeed(Outbound, living(Context.get(services, Outbound)))
    ]),
    Layer.provide(Layer.succeedContext(services)),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DELIVERIES_AT_ONCE", "1"]])))),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )
  yield* Layer.buildWithScope(program, scope)
  yield* Effect.timeoutOption(Deferred.await(death), fate.milliseconds)
  dead = true
  // What is left of it in this process is garbage: it can neither send nor write.
  yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
})
