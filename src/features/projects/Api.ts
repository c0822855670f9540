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
    description: "Extra parts of each site: `health`, `rankings`, or both separated by a comma"
  })
})

/** The caller's sites. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .annotateContext(about("Sites of your account. All other data belong to a site."))
  .add(
    list("list", all, {
      summary: "List sites",
      description:
        "Lists the sites of your account, oldest first (`created_at`, then `id`). `include=health` adds each site's score and issues and needs the scope `site-health:read`; `include=rankings` adds the days with rankings and needs `keywords:read`.",
      of: ListedProject,
      scope: ProjectsRead
    })
      .setUrlParams(input(ListParameters))
      .addError(failure("insufficient_scope"))
  )
  .add(
    create("create", all, {
      summary: "Add a site",
      description:
        "Adds a site by its URL. Only scheme and host count. An account has one site per host, ignoring `www.`: adding it again returns 200 with the existing one and `meta.existing`. The plan limits the number of sites (`limits.projects` of `GET /key`); one more is 422.",
      of: Project,
      payload: NewProject,
      scope: ProjectsWrite
    })
  )
  .add(
    read("get", one, {
      summary: "Get a site",
      description: "Returns one site of your account.",
      ids,
      of: Project,
      scope: ProjectsRead
    })
  )
  .add(
    change("patch", one, {
      summary: "Update a site",
      description:
        "Renames a site, or sets the brand terms that the `brand` filter of rankings uses. Fields that you leave out do not change.",
      ids,
      of: Project,
      payload: ProjectPatch,
      scope: ProjectsWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a site",
      description:
        "Deletes the site with its search data, crawls, schedules and imports. A crawl in progress is cancelled. The site returns 404 immediately; Findable removes large data in the background. Idempotency keys, the hourly quota, events, audits, experiments and webhooks stay.",
      ids,
      scope: ProjectsWrite
    })
  )
  .prefix("/api/v1") {}
