import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../../../foundation/http/Contract.ts"
import { read } from "../../../foundation/http/Endpoints.ts"
import { inPath } from "../../../foundation/http/RequestSchemas.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** How a site is connected to Search Console, without its credentials. */
export const Connection = Schema.Struct({
  site_id: ProjectId,
  property: Schema.String,
  /** Null: it is not synchronised by itself. */
  every_hours: Schema.NullOr(Schema.Int),
  next_sync_at: Schema.NullOr(Timestamp),
  synced_at: Schema.NullOr(Timestamp),
  /** Why the newest synchronisation failed; null when it did not. */
  last_error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "RankingSource" })

/** The source of a project's search data. */
export class RankingSourceApi extends HttpApiGroup.make("ranking-source")
  .annotateContext(about("The source of a project's search data."))
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
