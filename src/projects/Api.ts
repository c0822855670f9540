import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ProjectsRead, ProjectsWrite } from "../accounts/Authorized.ts"
import { failure } from "../http/Failure.ts"
import { Page, PageParameters } from "../http/Pagination.ts"
import { Data, inPath, input } from "../http/Wire.ts"
import { NewProject, Project, ProjectId } from "./Domain.ts"

/** The caller's sites. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/projects")
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(Project))
      .addError(failure("validation_error", "invalid_cursor"))
      .middleware(ProjectsRead)
  )
  .add(
    HttpApiEndpoint.post("create", "/projects")
      .setPayload(input(NewProject))
      .addSuccess(Data(Project), { status: 201 })
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(ProjectsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/projects/:project_id")
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .addSuccess(Data(Project))
      .addError(failure("not_found"))
      .middleware(ProjectsRead)
  )
  .prefix("/api/v1") {}
