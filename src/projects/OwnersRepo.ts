import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../accounts/Domain.ts"
import * as Query from "../database/Query.ts"
import { Refused } from "../schema/DomainError.ts"
import { ProjectId } from "./Domain.ts"

/** Whose a project is. */
export class OwnersRepo extends Effect.Service<OwnersRepo>()("projects/OwnersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hold = Query.first({
      Request: ProjectId,
      Result: Schema.Struct({ account: AccountId }),
      execute: (id) =>
        sql`SELECT account_id AS account FROM projects WHERE id = ${id} AND account_id IS NOT NULL FOR NO KEY UPDATE`
    })
    const known = (project: ProjectId) =>
      Effect.mapBoth(Effect.flatten(hold(project)), {
        onFailure: () => new Refused({ message: `There is no project ${project}` }),
        onSuccess: ({ account }) => account
      })
    return {
      /** The account of a project, one transaction at a time: what is compared with the observation before it must not race. */
      hold: known,
      transaction: Query.transaction(sql)
    }
  })
}) {}
