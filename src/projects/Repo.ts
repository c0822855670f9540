import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../accounts/Domain.ts"
import { Project, ProjectId } from "./Domain.ts"

const After = Schema.UndefinedOr(Schema.Array(Schema.String))

export class ProjectsRepo extends Effect.Service<ProjectsRepo>()("projects/Repo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, name, url, host, iso(created_at) AS created_at")

    const list = SqlSchema.findAll({
      Request: Schema.Struct({ account: AccountId, after: After, count: Schema.Int }),
      Result: Project,
      execute: ({ account, after, count }) => sql`
        SELECT ${columns} FROM projects
        WHERE account_id = ${account}
          AND ${after === undefined ? sql`true` : sql`(projects.created_at, id) > (${after[0]}::timestamptz, ${after[1]}::uuid)`}
        ORDER BY projects.created_at, id LIMIT ${count}`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ account: AccountId, id: ProjectId }),
      Result: Project,
      execute: ({ account, id }) => sql`SELECT ${columns} FROM projects WHERE id = ${id} AND account_id = ${account}`
    })

    const insert = SqlSchema.single({
      Request: Schema.Struct({ account: AccountId, host: Schema.String, name: Schema.String, url: Schema.String }),
      Result: Project,
      execute: ({ account, host, name, url }) => sql`
        INSERT INTO projects ${sql.insert({ account_id: account, host, name, url })} RETURNING ${columns}`
    })

    return {
      list: (...args: Parameters<typeof list>) => Effect.orDie(list(...args)),
      find: (...args: Parameters<typeof find>) => Effect.orDie(find(...args)),
      insert: (...args: Parameters<typeof insert>) => Effect.orDie(insert(...args))
    }
  })
}) {}
