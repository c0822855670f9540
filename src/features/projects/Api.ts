import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Contract.ts"
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
          "Creates the project of a site. Only the origin of `url` counts: a project is a whole site. An account has one project per host, `www.` ignored: an existing one is answered with 200 and `meta.existing`. The plan limits how many projects an account may create (`limits.projects` of `GET /key`): one more is 422."
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
          "Renames a project, or sets its brand terms, which the filter `brand` of keywords reads. Absent fields stay as they are."
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
          "Deletes the project with its search data, runs, schedules and imports. A run in progress is cancelled. Readers get 404 at once; large data are removed in the background. Idempotency keys, the hourly quota and events stay, as do the account's audits, experiments and webhooks."
        )
      )
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .addError(failure("not_found"))
      .middleware(ProjectsWrite)
  )
  .prefix("/api/v1") {}
