import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Database from "../../foundation/database/Database.ts"
import * as Guarded from "../../foundation/outbound/Guarded.ts"
import { Role } from "./Settings.ts"
import * as Welcome from "./Welcome.ts"

const server = () => import("./Serving.ts").then(({ layer }) => layer)

const workers = () => import("./Workers.ts").then(({ layer }) => layer)

/** The parts of each role; a server loads no others. */
const roles = {
  all: () => Promise.all([server(), workers()]).then(([server, workers]) => Layer.merge(server, workers)),
  api: server,
  worker: () => workers().then((workers) => Layer.provideMerge(Layer.effectDiscard(Welcome.work), workers))
}

/** Logs a line after all later layers have ended by an interruption, such as a signal; a failed start has another line. */
const atStop = (line: string) =>
  Layer.scopedDiscard(
    Effect.addFinalizer((exit) =>
      Effect.when(Effect.logInfo(line), () => Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause))
    )
  )

/**
 * A process with database, server and workers, as configured. Its code is loaded while the database starts. A stop logs two lines, before its first step and
 * after its last.
 */
export const layer = atStop("Findable is stopping").pipe(
  Layer.provideMerge(
    Layer.unwrapEffect(
      Effect.map(Role, (role) => {
        const parts = roles[role]()
        return Layer.unwrapEffect(Effect.promise(() => parts)).pipe(Layer.provide([Guarded.layer, Database.layer]))
      })
    )
  ),
  Layer.provide(atStop("Findable has stopped"))
)

/** Runs a server until it is interrupted. */
export const launch = Layer.launch(layer)
