import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { ProjectId } from "./Domain.ts"

/** Rows removed at a time: a second's work at most, so that a stop waits briefly and a crash loses little. */
const batch = 20_000

/** What is left of deleted projects. */
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
