import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { GrowthProject, GrowthProjectId, GrowthProjectResource } from "./GrowthProject.ts"

export class GrowthProjectsRepo extends Effect.Service<GrowthProjectsRepo>()("experiments/GrowthProjectsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, account_id, domain, iso(created_at) AS created_at")

    /** None when the account does not exist. */
    const insert = Query.first({
      Request: Schema.Struct({ account: AccountId, domain: Schema.String }),
      Result: GrowthProject,
      execute: ({ account, domain }) => sql`
        INSERT INTO growth_projects (account_id, domain)
        SELECT id, ${domain} FROM accounts WHERE id = ${account} RETURNING ${columns}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: GrowthProjectId }),
      Result: GrowthProject,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM growth_projects WHERE id = ${id} AND account_id = ${account}`
    })

    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: GrowthProject,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM growth_projects WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY growth_projects.created_at, id`
    })

    const page = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: GrowthProjectResource,
      table: "growth_projects",
      rows: ({ account }) =>
        sql`SELECT id, domain, iso(created_at) AS created_at FROM growth_projects WHERE account_id = ${account}`
    })

    const OfAccount = Schema.Struct({ account: AccountId, id: GrowthProjectId })

    /** Locks the growth project, so that no experiment begins on it meanwhile; none when it is not the account's. */
    const lock = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ id: GrowthProjectId }),
      execute: ({ account, id }) =>
        sql`SELECT id FROM growth_projects WHERE id = ${id} AND account_id = ${account} FOR UPDATE`
    })

    /** A statement after the lock, because only a new one sees what was committed before it was had. */
    const isUsed = Query.one({
      Request: GrowthProjectId,
      Result: Schema.Struct({ used: Schema.Boolean }),
      execute: (id) => sql`SELECT EXISTS (SELECT FROM experiments WHERE project_id = ${id}) AS used`
    })

    const change = Query.one({
      Request: Schema.Struct({ domain: Schema.String, id: GrowthProjectId }),
      Result: GrowthProject,
      execute: ({ domain, id }) =>
        sql`UPDATE growth_projects SET domain = ${domain} WHERE id = ${id} RETURNING ${columns}`
    })

    const remove = Query.none({
      Request: GrowthProjectId,
      execute: (id) => sql`DELETE FROM growth_projects WHERE id = ${id}`
    })

    const owner = Query.first({
      Request: GrowthProjectId,
      Result: Schema.Struct({ account: AccountId }),
      execute: (id) => sql`SELECT account_id AS account FROM growth_projects WHERE id = ${id}`
    })

    return { all, change, find, insert, isUsed, lock, owner, page, remove, transaction: Query.transaction(sql) }
  })
}) {}
