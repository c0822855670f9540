import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Sealed } from "../../foundation/secrets/Cipher.ts"
import { ProjectId } from "../projects/Domain.ts"

/** Credentials that a project is connected by; other ones may take their place at any time. */
const Connection = Schema.Struct({ credentials: Sealed, project: ProjectId })
export type Connection = typeof Connection.Type

const Until = Schema.Struct({ until: Schema.DateTimeUtc })

/** Minutes of the pause after each refusal; the last one repeats. A person repairs what is refused, and connecting again ends the pause. */
const pauses = [1, 5, 30]

/** Seconds that a trial may take: two tokens and two requests, each within its own time limit. */
const trialSeconds = 240

/** Seconds after which URLs that met a trial are looked at again. */
const patience = 5

/** Whether Google accepts the credentials of projects. Nothing is written about credentials that others have replaced. */
export class AccessRepo extends Effect.Service<AccessRepo>()("inspections/AccessRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = sql`clock_timestamp()`
    const of = ({ credentials, project }: typeof Connection.Encoded) =>
      sql`site_id = ${project} AND credentials = ${credentials}`
    const isPaused = sql`coalesce(inspection_paused_until > ${now}, false)`
    const isTried = sql`coalesce(inspection_trial_until > ${now}, false)`

    /** Whether the credentials are accepted, and until when they must not be used: they are paused, or another request tries them. */
    const state = Query.first({
      Request: Connection,
      Result: Schema.Struct({ isAccepted: Schema.Boolean, until: Schema.NullOr(Schema.DateTimeUtc) }),
      execute: (connection) => sql`
        SELECT inspection_accepted AS "isAccepted", CASE
          WHEN ${isPaused} THEN iso(inspection_paused_until)
          WHEN ${isTried} AND NOT inspection_accepted
            THEN iso(least(inspection_trial_until, ${now} + ${patience} * interval '1 second')) END AS until
        FROM ranking_sources WHERE ${of(connection)}`
    })

    /** Begins a trial, unless there is one. Its end is known by whole milliseconds, which is what the caller names it by. */
    const tryOut = Query.first({
      Request: Connection,
      Result: Until,
      execute: (connection) => sql`
        UPDATE ranking_sources SET inspection_trial_until = date_trunc('milliseconds', ${now}) + ${trialSeconds} * interval '1 second'
        WHERE ${of(connection)} AND NOT inspection_accepted AND NOT ${isPaused} AND NOT ${isTried}
        RETURNING iso(inspection_trial_until) AS until`
    })

    const endTrial = Query.none({
      Request: Schema.Struct({ ...Connection.fields, ...Until.fields }),
      execute: ({ until, ...connection }) => sql`
        UPDATE ranking_sources SET inspection_trial_until = NULL
        WHERE ${of(connection)} AND inspection_trial_until = ${until}::timestamptz`
    })

    const accept = Query.none({
      Request: Connection,
      execute: (connection) => sql`
        UPDATE ranking_sources SET inspection_accepted = true, inspection_refusals = 0, inspection_paused_until = NULL,
          inspection_trial_until = NULL
        WHERE ${of(connection)}`
    })

    /** Pauses credentials that Google accepts no longer; several requests that are refused at once make one pause. */
    const refuse = Query.first({
      Request: Connection,
      Result: Until,
      execute: (connection) => sql`
        UPDATE ranking_sources SET inspection_accepted = false, inspection_trial_until = NULL,
          inspection_refusals = inspection_refusals + CASE WHEN ${isPaused} THEN 0 ELSE 1 END,
          inspection_paused_until = CASE WHEN ${isPaused} THEN inspection_paused_until
            ELSE ${now} + (${pauses}::integer[])[least(inspection_refusals + 1, ${pauses.length})] * interval '1 minute' END
        WHERE ${of(connection)} RETURNING iso(inspection_paused_until) AS until`
    })

    /** Pauses credentials whose quota is used up. */
    const pause = Query.first({
      Request: Schema.Struct({ ...Connection.fields, ...Until.fields }),
      Result: Until,
      execute: ({ until, ...connection }) => sql`
        UPDATE ranking_sources SET inspection_trial_until = NULL,
          inspection_paused_until = greatest(inspection_paused_until, ${until}::timestamptz)
        WHERE ${of(connection)} RETURNING iso(inspection_paused_until) AS until`
    })

    return { accept, endTrial, pause, refuse, state, tryOut }
  })
}) {}
