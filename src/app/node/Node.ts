import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Database from "../../foundation/database/Database.ts"
import * as Guarded from "../../foundation/outbound/Guarded.ts"
import { Role } from "./Process.ts"
import * as Welcome from "./Welcome.ts"

const server = () => import("./Serving.ts").then(({ layer }) => layer)

const workers = () => import("./Workers.ts").then(({ layer }) => layer)

/** The parts of each role; a node loads no others. */
const roles = {
  all: () => Promise.all([server(), workers()]).then(([server, workers]) => Layer.merge(server, workers)),
  api: server,
  worker: () => workers().then((workers) => Layer.provideMerge(Layer.effectDiscard(Welcome.work), workers))
}

/** A node with database, server and workers, as configured. Its code is loaded while the database comes up. */
export const layer = Layer.unwrapEffect(
  Effect.map(Role, (role) => {
    const parts = roles[role]()
    return Layer.unwrapEffect(Effect.promise(() => parts)).pipe(Layer.provide([Guarded.layer, Database.layer]))
  })
)
