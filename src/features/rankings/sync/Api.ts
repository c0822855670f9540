import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../../../foundation/http/Contract.ts"
import { read } from "../../../foundation/http/Endpoints.ts"
import { inPath } from "../../../foundation/http/RequestSchemas.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Connection } from "./Connection.ts"

/** Where the search data of a project come from. */
export class RankingSourceApi extends HttpApiGroup.make("ranking-source")
  .annotateContext(about("Where the search data of a project come from."))
  .add(
    read("get", "/projects/:project_id/rankings/source", {
      summary: "Read the connection to Search Console",
      description:
        "The property that a project is synchronised with, how often, when next, and what went wrong the last time. Credentials are never shown. A project that is not connected is answered with 404.",
      ids: Schema.Struct({ project_id: inPath(ProjectId) }),
      of: Connection,
      scope: KeywordsRead
    })
  )
  .prefix("/api/v1") {}
