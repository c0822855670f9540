import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Project, ProjectId } from "./Domain.ts"

/** The owners of projects. */
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
    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Schema.Struct({ ...Project.fields, account_id: AccountId }),
      execute: ({ account }) => sql`
        SELECT id, name, url, host, brand_terms, iso(created_at) AS created_at, account_id FROM projects
        WHERE account_id IS NOT NULL AND account_id = coalesce(${account}, account_id) ORDER BY projects.created_at, id`
    })
    return {
      /** All projects, of one account or of every one, the oldest first. */
      all,
      /** The account of a project, whose row it locks: an observation is compared with the one before it, so two must not run at once. */
      hold: known,
      transaction: Query.transaction(sql)
    }
  })
}) {}
