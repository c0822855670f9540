import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about } from "../../foundation/http/Contract.ts"
import { change, create, list, read, remove } from "../../foundation/http/Endpoints.ts"
import { inPath } from "../../foundation/http/RequestSchemas.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
import { DomainName, GrowthProjectId, GrowthProjectPatch, GrowthProjectResource } from "./GrowthProject.ts"

const NewGrowthProject = Schema.Struct({
  domain: Schema.propertySignature(DomainName).annotations({ description: "A domain, or any address on it" })
}).annotations({ identifier: "NewGrowthProject", description: "The domain" })

const one = "/growth-projects/:id"
const ids = Schema.Struct({ id: inPath(GrowthProjectId) })

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
    read("get", one, {
      summary: "Read a growth project",
      description: "One growth project of the caller.",
      ids,
      of: GrowthProjectResource,
      scope: ExperimentsRead
    })
  )
  .add(
    change("patch", one, {
      summary: "Change a growth project",
      description: "Gives a growth project another domain. While it has experiments, the answer is 409.",
      ids,
      of: GrowthProjectResource,
      payload: GrowthProjectPatch,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", one, {
      summary: "Delete a growth project",
      description: "Deletes a growth project. While it has experiments, the answer is 409.",
      ids,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
