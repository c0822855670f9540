import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId, Plan } from "../accounts/Domain.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { LockRepo } from "../accounts/Repo.ts"
import { Project, ProjectId } from "./Domain.ts"

export class ProjectsRepo extends Effect.Service<ProjectsRepo>()("projects/ProjectsRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, name, url, host, brand_terms, iso(created_at) AS created_at")

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: Project,
      table: "projects",
      rows: ({ account }) => sql`SELECT ${columns} FROM projects WHERE account_id = ${account}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: ProjectId }),
      Result: Project,
      execute: ({ account, id }) => sql`SELECT ${columns} FROM projects WHERE id = ${id} AND account_id = ${account}`
    })

    const { lockAccount } = yield* LockRepo

    /** The account's oldest project of one of the hosts. */
    const ofHosts = Query.first({
      Request: Schema.Struct({ account: AccountId, hosts: Schema.Array(Schema.String) }),
      Result: Project,
      execute: ({ account, hosts }) => sql`
        SELECT ${columns} FROM projects WHERE account_id = ${account} AND host = ANY(${hosts}::text[])
        ORDER BY projects.created_at, id LIMIT 1`
    })

    /** The plan of an account and its number of projects; no row when the account does not exist. */
    const usage = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ plan: Plan, projects: Schema.Int }),
      execute: (account) => sql`
        SELECT plan, (SELECT count(*)::int FROM projects WHERE account_id = accounts.id) AS projects
        FROM accounts WHERE id = ${account}`
    })

    /** No row comes back when the account does not exist. */
    const insert = Query.first({
      Request: Schema.Struct({ account: AccountId, host: Schema.String, name: Schema.String, url: Schema.String }),
      Result: Project,
      execute: ({ account, host, name, url }) => sql`
        INSERT INTO projects (account_id, host, name, url)
        SELECT id, ${host}, ${name}, ${url} FROM accounts WHERE id = ${account} RETURNING ${columns}`
    })

    /** Null leaves a field as it is; `folded` are the terms as they are compared with queries. */
    const change = Query.first({
      Request: Schema.Struct({
        brand: Schema.NullOr(Schema.Array(Schema.String)),
        folded: Schema.NullOr(Schema.Array(Schema.String)),
        name: Schema.NullOr(Schema.String),
        project: OwnedId(ProjectId)
      }),
      Result: Project,
      execute: ({ brand, folded, name, project }) => sql`
        UPDATE projects SET name = coalesce(${name}, name), brand_terms = coalesce(${brand}::text[], brand_terms),
          brand_folded = coalesce(${folded}::text[], brand_folded)
        WHERE id = ${project} RETURNING ${columns}`
    })

    /** Takes the project from its account: a trigger deletes what belongs to it at once, and a worker its search data in the background. */
    const abandon = Query.first({
      Request: Schema.Struct({ account: AccountId, id: ProjectId }),
      Result: Schema.Struct({ id: ProjectId }),
      execute: ({ account, id }) =>
        sql`UPDATE projects SET account_id = NULL WHERE id = ${id} AND account_id = ${account} RETURNING id`
    })

    return {
      abandon,
      change,
      list,
      find,
      insert,
      lockAccount,
      ofHosts,
      transaction: Query.transaction(sql),
      usage
    }
  })
}) {}
