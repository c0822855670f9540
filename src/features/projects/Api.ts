import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  change,
  create,
  inPath,
  input,
  list,
  PageParameters,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { ProjectsRead, ProjectsWrite } from "../accounts/Authorized.ts"
import { NewProject, Project, ProjectId, ProjectPatch } from "./Domain.ts"
import { Include, ListedProject } from "./Included.ts"

const all = "/projects"
const one = "/projects/:project_id"
const ids = Schema.Struct({ project_id: inPath(ProjectId) })

const ListParameters = Schema.Struct({
  ...PageParameters,
  include: Schema.optionalWith(Include, { exact: true }).annotations({
    description: "`health`, `rankings` or both, separated by a comma: what each project has besides"
  })
})

/** The caller's sites. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .annotateContext(about("The caller's sites, which all other data belong to."))
  .add(
    list("list", all, {
      summary: "List projects",
      description:
        "The caller's projects, the oldest first (`created_at`, then `id`). `include=health` adds how healthy each site is, for which the key needs the scope `site-health:read` too, and `include=rankings` the days with rankings, for which it needs `keywords:read`.",
      of: ListedProject,
      scope: ProjectsRead
    })
      .setUrlParams(input(ListParameters))
      .addError(failure("insufficient_scope"))
  )
  .add(
    create("create", all, {
      summary: "Create a project",
      description:
        "Creates the project of a site. Only the origin of `url` counts: a project is a whole site. An account has one project per host, `www.` ignored: an existing one is answered with 200 and `meta.existing`. The plan limits how many projects an account may create (`limits.projects` of `GET /key`): one more is 422.",
      of: Project,
      payload: NewProject,
      scope: ProjectsWrite
    })
  )
  .add(
    read("get", one, {
      summary: "Read a project",
      description: "One project of the caller.",
      ids,
      of: Project,
      scope: ProjectsRead
    })
  )
  .add(
    change("patch", one, {
      summary: "Change a project",
      description:
        "Renames a project, or sets its brand terms, which the filter `brand` of keywords reads. Absent fields stay as they are.",
      ids,
      of: Project,
      payload: ProjectPatch,
      scope: ProjectsWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a project",
      description:
        "Deletes the project with its search data, runs, schedules and imports. A run in progress is cancelled. Readers get 404 at once; large data are removed in the background. Idempotency keys, the hourly quota and events stay, as do the account's audits, experiments and webhooks.",
      ids,
      scope: ProjectsWrite
    })
  )
  .prefix("/api/v1") {}
