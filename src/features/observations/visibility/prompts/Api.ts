import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about, described } from "../../../../foundation/http/Contract.ts"
import { create, list, remove } from "../../../../foundation/http/Endpoints.ts"
import { inPath } from "../../../../foundation/http/RequestSchemas.ts"
import { GeoRead, GeoWrite } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { PromptId } from "../Domain.ts"
import { NewPrompt, Prompt, promptsAtMost } from "./Prompt.ts"

const all = "/projects/:project_id/geo/prompts" as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** What AI engines are asked for a project. */
export class GeoPromptsApi extends HttpApiGroup.make("geo-prompts")
  .annotateContext(about("What AI engines are asked for a project."))
  .add(
    create("create", all, {
      summary: "Add a prompt",
      description: `Adds a question that runs ask. The same text and locale again is answered with 200 and the first. A project has at most ${promptsAtMost}: one more is 422. Another set of prompts begins another baseline.`,
      of: Prompt,
      payload: NewPrompt,
      scope: GeoWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List the prompts of a project",
      description: "Oldest first (`created_at`, then `id`).",
      of: Prompt,
      scope: GeoRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    HttpApiEndpoint.del("clear", all)
      .annotateContext(
        described("Delete all prompts", "Deletes every prompt of the project. Runs and their answers stay.")
      )
      .setPath(OfProject)
      .addError(failure("not_found"))
      .middleware(GeoWrite)
  )
  .add(
    remove("remove", "/projects/:project_id/geo/prompts/:prompt_id", {
      summary: "Delete a prompt",
      description: "Deletes one prompt. Runs that asked it, and their answers, stay.",
      ids: Schema.Struct({ ...OfProject.fields, prompt_id: inPath(PromptId) }),
      scope: GeoWrite
    })
  )
  .prefix("/api/v1") {}
