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
  site_id: ProjectId.annotations({ description: "UUID of the project" }),
  property: Schema.String.annotations({ description: "Property of Search Console, such as `sc-domain:example.com`" }),
  every_hours: Schema.NullOr(Schema.Int).annotations({
    description: "Hours between two synchronisations; null: it is synchronised by command alone"
  }),
  next_sync_at: Schema.NullOr(Timestamp).annotations({
    description: "When the next synchronisation is due; null without a schedule"
  }),
  synced_at: Schema.NullOr(Timestamp).annotations({
    description: "When the last one succeeded; null before the first"
  }),
  last_error: Schema.NullOr(Schema.String).annotations({
    description: "Why the newest one failed; null when it did not"
  })
}).annotations({
  identifier: "RankingSource",
  description: "How a site is connected to Search Console, without its credentials"
})

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
