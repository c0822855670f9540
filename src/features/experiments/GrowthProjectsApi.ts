import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Contract.ts"
import { Created, IdempotencyHeaders } from "../../foundation/http/IdempotencyKey.ts"
import { Page, PageParameters } from "../../foundation/http/Pagination.ts"
import { body, Data, inPath, input } from "../../foundation/http/RequestSchemas.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
import { DomainName, GrowthProjectId, GrowthProjectResource } from "./GrowthProject.ts"

const NewGrowthProject = Schema.Struct({
  domain: Schema.propertySignature(DomainName).annotations({ description: "a domain, or any address on it" })
}).annotations({ identifier: "NewGrowthProject" })

/** The domains of experiments. */
export class GrowthProjectsApi extends HttpApiGroup.make("growth-projects")
  .annotateContext(about("Domains of experiments."))
  .add(
    HttpApiEndpoint.get("list", "/growth-projects")
      .annotateContext(
        described("List growth projects", "The caller's growth projects, the oldest first (`created_at`, then `id`).")
      )
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(GrowthProjectResource))
      .addError(failure("validation_error", "invalid_cursor"))
      .middleware(ExperimentsRead)
  )
  .add(
    HttpApiEndpoint.post("create", "/growth-projects")
      .annotateContext(
        described("Create a growth project", "Makes a growth project of a domain; a domain may have several.")
      )
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(NewGrowthProject))
      .addSuccess(Created(GrowthProjectResource), { status: 201 })
      .addSuccess(Created(GrowthProjectResource))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("idempotency_conflict"))
      .middleware(ExperimentsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/growth-projects/:id")
      .annotateContext(described("Read a growth project", "One growth project of the caller."))
      .setPath(Schema.Struct({ id: inPath(GrowthProjectId) }))
      .addSuccess(Data(GrowthProjectResource))
      .addError(failure("not_found"))
      .middleware(ExperimentsRead)
  )
  .prefix("/api/v1") {}
