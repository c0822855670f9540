import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { type NewPrompt, Prompt, PromptId, promptsAtMost } from "./Domain.ts"

const Project = OwnedId(ProjectId)
const Fields = { locale: Schema.String, text: Schema.String }

/** Reads and writes prompts. */
export class PromptsRepo extends Effect.Service<PromptsRepo>()("visibility/PromptsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, text, locale, iso(created_at) AS created_at")

    /** Locks the site, so concurrent requests cannot exceed the limit. */
    const lock = Query.none({
      Request: Project,
      execute: (project) => sql`SELECT FROM projects WHERE id = ${project} FOR NO KEY UPDATE`
    })

    const count = Query.one({
      Request: Project,
      Result: Schema.Struct({ prompts: Schema.Int }),
      execute: (project) => sql`SELECT count(*)::int AS prompts FROM visibility_prompts WHERE project_id = ${project}`
    })

    const same = Query.first({
      Request: Schema.Struct({ project: Project, ...Fields }),
      Result: Prompt,
      execute: ({ locale, project, text }) => sql`
        SELECT ${columns} FROM visibility_prompts
        WHERE project_id = ${project} AND locale = ${locale} AND md5(text) = md5(${text}) AND text = ${text}`
    })

    const insert = Query.one({
      Request: Schema.Struct({ project: Project, ...Fields }),
      Result: Prompt,
      execute: ({ locale, project, text }) => sql`
        INSERT INTO visibility_prompts (project_id, text, locale) VALUES (${project}, ${text}, ${locale}) RETURNING ${columns}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ project: Project }),
      Result: Prompt,
      table: "p",
      rows: ({ project }) => sql`SELECT ${columns} FROM visibility_prompts p WHERE project_id = ${project}`
    })

    const remove = Query.first({
      Request: Schema.Struct({ id: PromptId, project: Project }),
      Result: Schema.Struct({ id: PromptId }),
      execute: ({ id, project }) =>
        sql`DELETE FROM visibility_prompts WHERE id = ${id} AND project_id = ${project} RETURNING id`
    })

    const clear = Query.none({
      Request: Project,
      execute: (project) => sql`DELETE FROM visibility_prompts WHERE project_id = ${project}`
    })

    return { clear, count, insert, list, lock, remove, same, transaction: Query.transaction(sql) }
  })
}) {}

/** The prompts of an account's sites. */
export class Prompts extends Effect.Service<Prompts>()("visibility/Prompts", {
  dependencies: [Projects.Default, PromptsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* PromptsRepo

    /** Creates a prompt, or returns the one with the same text and locale. */
    const create = Traced.fn("GeoPrompts.create")(function* (account: AccountId, id: ProjectId, prompt: NewPrompt) {
      const project = yield* projects.own(account, id)
      yield* repo.lock(project)
      const known = yield* repo.same({ project, ...prompt })
      if (Option.isSome(known)) return { existing: true, prompt: known.value }
      const { prompts } = yield* repo.count(project)
      if (prompts >= promptsAtMost)
        return yield* Invalid.of("body", `The site has ${promptsAtMost} prompts, which is the limit: delete one first`)
      return { existing: false, prompt: yield* repo.insert({ project, ...prompt }) }
    }, repo.transaction)

    const list = Traced.fn("GeoPrompts.list")(function* (account: AccountId, id: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, id) })
    })

    const remove = Traced.fn("GeoPrompts.remove")(function* (account: AccountId, id: ProjectId, prompt: PromptId) {
      const project = yield* projects.own(account, id)
      yield* Effect.mapError(Effect.flatten(repo.remove({ id: prompt, project })), () => NotFound.of("prompt"))
    })

    const clear = Traced.fn("GeoPrompts.clear")(function* (account: AccountId, id: ProjectId) {
      yield* repo.clear(yield* projects.own(account, id))
    })

    return { clear, create, list, remove }
  })
}) {}
