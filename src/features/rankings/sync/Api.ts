import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { Data, inPath } from "../../../foundation/http/RequestSchemas.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Connection } from "./Connection.ts"

/** Where the search data of a project come from. */
export class RankingSourceApi extends HttpApiGroup.make("ranking-source")
  .annotateContext(about("Where the search data of a project come from."))
  .add(
    HttpApiEndpoint.get("get", "/projects/:project_id/rankings/source")
      .annotateContext(
        described(
          "Read the connection to Search Console",
          "The property that a project is synchronised with, how often, when next, and what went wrong the last time. Credentials are never shown. A project that is not connected is answered with 404."
        )
      )
      .setPath(Schema.Struct({ project_id: inPath(ProjectId) }))
      .addSuccess(Data(Connection))
      .addError(failure("not_found"))
      .middleware(KeywordsRead)
  )
  .prefix("/api/v1") {}
