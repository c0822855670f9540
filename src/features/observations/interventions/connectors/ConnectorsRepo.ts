import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { Sealed } from "../../../../foundation/secrets/Cipher.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { ProjectId } from "../../../projects/Domain.ts"

/** Connectors that need credentials. */
export type Kind = "github" | "wordpress"

const Found = Schema.Struct({ project: ProjectId })
const Stored = Schema.Struct({ credentials: Sealed, project: OwnedId(ProjectId) })

/** Stored credentials of projects. */
export class ConnectorsRepo extends Effect.Service<ConnectorsRepo>()("interventions/connectors/ConnectorsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const statements = (kind: Kind) => {
      const table = sql.literal(`${kind}_connectors`)
      // A new token has requests of its own to spend.
      const afresh = kind === "github" ? sql`, paused_until = NULL` : sql``
      return {
        find: Query.first({
          Request: ProjectId,
          Result: Schema.Struct({ credentials: Sealed, paused_until: Schema.NullOr(Schema.Number) }),
          execute: (project) => sql`
            SELECT credentials, ${
              kind === "github" ? sql`extract(epoch FROM paused_until)::float8 * 1000` : sql`NULL::float8`
            } AS paused_until FROM ${table} WHERE project_id = ${project}`
        }),
        /** What waits for credentials is due at once. */
        put: Query.one({
          Request: Stored,
          Result: Found,
          execute: ({ credentials, project }) => sql`
            WITH waiting AS (
              UPDATE interventions SET due_at = clock_timestamp()
              WHERE project_id = ${project} AND ${sql.literal(kind)} IS NOT NULL AND due_at > clock_timestamp()
                AND status IN ('proposed', 'rolling_back')
            )
            INSERT INTO ${table} AS c (project_id, credentials) VALUES (${project}, ${credentials})
            ON CONFLICT (project_id) DO UPDATE SET credentials = excluded.credentials${afresh} RETURNING project_id AS project`
        }),
        remove: Query.first({
          Request: OwnedId(ProjectId),
          Result: Found,
          execute: (project) => sql`DELETE FROM ${table} WHERE project_id = ${project} RETURNING project_id AS project`
        })
      }
    }

    /** Until when GitHub wants no more requests with the token of a project, in epoch milliseconds. */
    const pause = Query.none({
      Request: Schema.Struct({ project: ProjectId, until: Schema.Number }),
      execute: ({ project, until }) => sql`
        UPDATE github_connectors SET paused_until = to_timestamp(${until}::float8 / 1000) WHERE project_id = ${project}`
    })

    return { github: statements("github"), pause, wordpress: statements("wordpress") }
  })
}) {}
