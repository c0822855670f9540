import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Score } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { ReferringDomain } from "./ReferringDomains.ts"

const Snapshot = Schema.Struct({ project: ProjectId, takenAt: Moment })

/** A domain that a snapshot no longer holds. */
const Lost = Schema.Struct({ domain: Schema.String, authority: Score, lastSeenAt: Moment })

export class BacklinksRepo extends Effect.Service<BacklinksRepo>()("backlinks/BacklinksRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const newest = Query.first({
      Request: ProjectId,
      Result: Schema.Struct({ takenAt: Moment }),
      execute: (project) => sql`
        SELECT iso(taken_at) AS "takenAt" FROM backlink_snapshots WHERE project_id = ${project}
        ORDER BY taken_at DESC LIMIT 1`
    })

    const insert = Query.none({
      Request: Schema.Struct({ ...Snapshot.fields, domains: Schema.Array(ReferringDomain) }),
      execute: ({ domains, project, takenAt }) => sql`
        WITH snapshot AS (
          INSERT INTO backlink_snapshots VALUES (${project}, ${takenAt}::timestamptz) RETURNING project_id, taken_at
        )
        INSERT INTO referring_domains (project_id, taken_at, domain, authority)
        SELECT project_id, taken_at, domain, authority FROM snapshot,
          unnest(${domains.map(({ domain }) => domain)}::text[], ${domains.map(({ authority }) => authority)}::float8[])
            AS found (domain, authority)`
    })

    /** The domains of at least this authority that the previous snapshot had and this one has not. */
    const lost = Query.all({
      Request: Schema.Struct({ ...Snapshot.fields, authority: Score }),
      Result: Lost,
      execute: ({ authority, project, takenAt }) => sql`
        SELECT before.domain, before.authority, iso(before.taken_at) AS "lastSeenAt" FROM referring_domains before
        WHERE project_id = ${project} AND authority >= ${authority}
          AND taken_at = (SELECT max(taken_at) FROM backlink_snapshots
                          WHERE project_id = ${project} AND taken_at < ${takenAt}::timestamptz)
          AND NOT EXISTS (SELECT 1 FROM referring_domains now WHERE now.project_id = ${project}
                          AND now.taken_at = ${takenAt}::timestamptz AND now.domain = before.domain)
        ORDER BY before.domain`
    })

    return { insert, lost, newest }
  })
}) {}
