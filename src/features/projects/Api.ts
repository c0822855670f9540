import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Described.ts"
import { Created, IdempotencyHeaders } from "../../foundation/http/IdempotencyKey.ts"
import { Page, PageParameters } from "../../foundation/http/Pagination.ts"
import { body, Data, inPath, input } from "../../foundation/http/RequestSchemas.ts"
import { ProjectsRead, ProjectsWrite } from "../accounts/Authorized.ts"
import { NewProject, Project, ProjectId, ProjectPatch } from "./Domain.ts"

/** The caller's sites. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .annotateContext(about("The caller's sites: everything else hangs on one."))
  .add(
    HttpApiEndpoint.get("list", "/projects")
      .annotateContext(described("List projects", "The caller's projects, the oldest first (`created_at`, then `id`)."))
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(Project))
      .addError(failure("validation_error", "invalid_cursor"))
      .middleware(ProjectsRead)
  )
  .add(
    HttpApiEndpoint.post("create", "/projects")
      .annotateContext(
        described(
          "Create a project",
          "Makes a project of a site. Only the origin of `url` counts: a project is a whole site. A host, `www.` ignored, is one project of an account: where it has one, that is answered with 200 and `meta.existing`. How many an account may make is its plan's to say (`limits.projects` of `GET /key`): one more is 422."
        )
      )
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(NewProject))
      .addSuccess(Created(Project), { status: 201 })
      .addSuccess(Created(Project))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("idempotency_conflict"))
      .middleware(ProjectsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/projects/:project_id")
      .annotateContext(described("Read a project", "One project of the caller."))
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .addSuccess(Data(Project))
      .addError(failure("not_found"))
      .middleware(ProjectsRead)
  )
  .add(
    HttpApiEndpoint.patch("patch", "/projects/:project_id")
      .annotateContext(
        described(
          "Change a project",
          "Renames a project, or sets the terms that its owners are looked for by (`brand` of keywords). What is absent stays as it is."
        )
      )
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .setPayload(body(ProjectPatch))
      .addSuccess(Data(Project))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(ProjectsWrite)
  )
  .add(
    HttpApiEndpoint.del("remove", "/projects/:project_id")
      .annotateContext(
        described(
          "Delete a project",
          "Takes everything of the project along: search data, runs, schedules, imports. A run in progress is cancelled. It is gone at once for every reader; large data are removed in the background. Idempotency keys and the quota of the hour stay, as do events, and the account's audits, experiments and webhooks."
        )
      )
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .addError(failure("not_found"))
      .middleware(ProjectsWrite)
  )
  .prefix("/api/v1") {}
