import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** Pages that changed between the runs whose results are kept. */
export class ChangedPagesRepo extends Effect.Service<ChangedPagesRepo>()("sitehealth/ChangedPagesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Those of some paths that had another title, canonical or status in one run than in another, in code-point order. Runs count that ended between two
     * moments; what brought no answer says nothing.
     */
    const changed = Query.all({
      Request: Schema.Struct({
        from: Schema.DateTimeUtc,
        paths: Schema.parseJson(Schema.Array(Schema.String)),
        project: OwnedId(ProjectId),
        to: Schema.DateTimeUtc
      }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ from, paths, project, to }) => sql`
        SELECT path FROM (
          SELECT DISTINCT regexp_replace(split_part(p ->> 'url', '#', 1), '^[a-z]+://[^/]*', '') AS path,
            p ->> 'title' AS title, p ->> 'canonical_url' AS canonical, p ->> 'http_status' AS status
          FROM site_health_runs r CROSS JOIN LATERAL json_array_elements(r.result -> 'pages') AS p
          WHERE r.project_id = ${project} AND r.result IS NOT NULL AND r.finished_at >= ${from}::timestamptz AND r.finished_at < ${to}::timestamptz
            AND p ->> 'http_status' IS NOT NULL
        ) AS states
        WHERE path IN (SELECT json_array_elements_text(${paths}::json))
        GROUP BY path HAVING count(*) > 1 ORDER BY path COLLATE "C"`
    })

    return { changed }
  })
}) {}
