import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { every } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { ProjectId } from "./Domain.ts"

/** Rows removed at a time: a second of work at most, so a stop waits briefly and a crash loses little. */
const batch = 20_000

/** Remaining data of deleted projects. */
export class RemovalRepo extends Effect.Service<RemovalRepo>()("projects/RemovalRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const pending = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ id: ProjectId }),
      execute: () => sql`SELECT id FROM projects WHERE account_id IS NULL ORDER BY id LIMIT 100`
    })

    const remove = Query.one({
      Request: ProjectId,
      Result: Schema.Struct({ more: Schema.Boolean }),
      execute: (id) => sql`SELECT remove_project(${id}, ${batch}) AS more`
    })

    return { pending: pending(undefined), remove }
  })
}) {}

/**
 * Removes remaining data of deleted projects, batch by batch, until the scope closes. Several nodes may work concurrently, and one finishes the work of
 * another.
 */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { pending, remove } = yield* RemovalRepo
    const removed = Traced.spanned("Removal.remove")
    yield* Effect.flatMap(pending, (projects) =>
      Effect.forEach(projects, ({ id }) => removed(Effect.repeat(remove(id), { while: ({ more }) => more })), {
        discard: true
      })
    ).pipe(every("5 seconds", "Data of deleted sites could not be removed"))
  })
).pipe(Layer.provide(RemovalRepo.Default))
