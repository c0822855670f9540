import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { PromptId } from "../Domain.ts"
import { Prompt } from "./Prompt.ts"

const Project = OwnedId(ProjectId)
const Fields = { locale: Schema.String, text: Schema.String }

/** Reading and writing prompts. */
export class PromptsRepo extends Effect.Service<PromptsRepo>()("visibility/prompts/PromptsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, text, locale, iso(created_at) AS created_at")

    /** Holds the project, so that concurrent requests cannot pass the limit together. */
    const lock = Query.none({
      Request: Project,
      execute: (project) => sql`SELECT FROM projects WHERE id = ${project} FOR NO KEY UPDATE`
    })

    const count = Query.one({
      Request: Project,
      Result: Schema.Struct({ prompts: Schema.Int }),
      execute: (project) => sql`SELECT count(*)::int AS prompts FROM geo_prompts WHERE project_id = ${project}`
    })

    const same = Query.first({
      Request: Schema.Struct({ project: Project, ...Fields }),
      Result: Prompt,
      execute: ({ locale, project, text }) => sql`
        SELECT ${columns} FROM geo_prompts
        WHERE project_id = ${project} AND locale = ${locale} AND md5(text) = md5(${text}) AND text = ${text}`
    })

    const insert = Query.one({
      Request: Schema.Struct({ project: Project, ...Fields }),
      Result: Prompt,
      execute: ({ locale, project, text }) => sql`
        INSERT INTO geo_prompts (project_id, text, locale) VALUES (${project}, ${text}, ${locale}) RETURNING ${columns}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ project: Project }),
      Result: Prompt,
      table: "p",
      rows: ({ project }) => sql`SELECT ${columns} FROM geo_prompts p WHERE project_id = ${project}`
    })

    const remove = Query.first({
      Request: Schema.Struct({ id: PromptId, project: Project }),
      Result: Schema.Struct({ id: PromptId }),
      execute: ({ id, project }) =>
        sql`DELETE FROM geo_prompts WHERE id = ${id} AND project_id = ${project} RETURNING id`
    })

    const clear = Query.none({
      Request: Project,
      execute: (project) => sql`DELETE FROM geo_prompts WHERE project_id = ${project}`
    })

    return { clear, count, insert, list, lock, remove, same, transaction: Query.transaction(sql) }
  })
}) {}
