import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../../foundation/http/Contract.ts"
import { create, list, read } from "../../foundation/http/Endpoints.ts"
import { inPath } from "../../foundation/http/RequestSchemas.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
import { DomainName, GrowthProjectId, GrowthProjectResource } from "./GrowthProject.ts"

const NewGrowthProject = Schema.Struct({
  domain: Schema.propertySignature(DomainName).annotations({ description: "a domain, or any address on it" })
}).annotations({ identifier: "NewGrowthProject" })

/** The domains of experiments. */
export class GrowthProjectsApi extends HttpApiGroup.make("growth-projects")
  .annotateContext(about("Domains of experiments."))
  .add(
    list("list", "/growth-projects", {
      summary: "List growth projects",
      description: "The caller's growth projects, the oldest first (`created_at`, then `id`).",
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    create("create", "/growth-projects", {
      summary: "Create a growth project",
      description: "Creates a growth project for a domain; a domain may have several.",
      of: GrowthProjectResource,
      payload: NewGrowthProject,
      scope: ExperimentsWrite
    })
  )
  .add(
    read("get", "/growth-projects/:id", {
      summary: "Read a growth project",
      description: "One growth project of the caller.",
      ids: Schema.Struct({ id: inPath(GrowthProjectId) }),
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .prefix("/api/v1") {}
