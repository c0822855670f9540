import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"

import * as Query from "../../foundation/database/Query.ts"
import { Sealed } from "../../foundation/secrets/Cipher.ts"
import { ProjectId } from "../projects/Domain.ts"
import { InspectionError, InspectionId } from "./Domain.ts"

/** The credentials of a project's connection, which others may replace at any time. */
const Connection = Schema.Struct({ credentials: Sealed, project: ProjectId })
export type Connection = typeof Connection.Type

const Until = Schema.Struct({ until: Schema.DateTimeUtc })

/** Minutes of the pause after each refusal; the last one repeats. A person must fix the credentials, and a new connection ends the pause. */
const pauses = [1, 5, 30]

/** The most seconds of a trial: two tokens and two requests, each within its time limit. */
const trialSeconds = 240

/** Seconds until URLs that met a trial are tried again. */
const patience = 5

/** Whether Google accepts the credentials of projects. The state of replaced credentials is never written. */
export class AccessRepo extends Effect.Service<AccessRepo>()("inspections/AccessRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = sql`clock_timestamp()`
    const of = ({ credentials, project }: typeof Connection.Encoded) =>
      sql`site_id = ${project} AND credentials = ${credentials}`
    const isPaused = sql`coalesce(inspection_paused_until > ${now}, false)`
    const isTried = sql`coalesce(inspection_trial_until > ${now}, false)`

    /** Whether the credentials are accepted, and the time until which nobody may use them, because they are paused, or another request tries them. */
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

    /** Begins a trial, unless one is running. The end of the trial, in whole milliseconds, identifies it for the caller. */
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

    /** Pauses credentials that Google no longer accepts; several concurrent refusals make one pause. */
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

    /** Pauses credentials with a used-up quota. */
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

const Held = LeaseQueue.Held(InspectionId)

/** A worker's claim of a URL; `tries`: the number of requests without a response from Google. */
const Claim = Schema.Struct({ ...Held.fields, project: ProjectId, tries: Schema.Int, url: Schema.String })
export type Claim = typeof Claim.Type

const text = Schema.NullOr(Schema.String)

const Answer = Schema.Struct({
  coverage: text,
  googleCanonical: text,
  indexing: text,
  lastCrawl: text,
  userCanonical: text,
  verdict: text
})
export type Answer = typeof Answer.Type

const Id = Schema.Struct({ id: InspectionId })

/** The queue of URLs, where accounts take turns. */
export class QueueRepo extends Effect.Service<QueueRepo>()("inspections/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const free = sql`attempts = 0, lease = NULL, leased_until = NULL`

    const queue = LeaseQueue.make(sql, {
      account: sql`(SELECT account_id FROM projects WHERE projects.id = project_id)`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`project_id AS project, tries, url`,
      due: sql`status = 'queued' AND due_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "inspections",
      oldest: "queued_at",
      table: "inspections"
    })

    /** Ends an inspection with Google's response. The first response is no change. */
    const done = Query.first({
      Request: Schema.Struct({ ...Held.fields, ...Answer.fields }),
      Result: Id,
      execute: ({ coverage, googleCanonical, id, indexing, lastCrawl, lease, userCanonical, verdict }) => sql`
        UPDATE inspections SET status = 'done', ${free}, tries = 0, inspected_at = clock_timestamp(), verdict = ${verdict},
          coverage_state = ${coverage}, indexing_state = ${indexing}, google_canonical = ${googleCanonical}, user_canonical = ${userCanonical},
          last_crawl_at = ${lastCrawl}::timestamptz,
          changed_at = CASE WHEN inspected_at IS NOT NULL
            AND (verdict, coverage_state, indexing_state, google_canonical, user_canonical) IS DISTINCT FROM
              (${verdict}::text, ${coverage}::text, ${indexing}::text, ${googleCanonical}::text, ${userCanonical}::text)
            THEN clock_timestamp() ELSE changed_at END
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const fail = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: Schema.parseJson(InspectionError) }),
      Result: Id,
      execute: ({ error, id, lease }) => sql`
        UPDATE inspections SET status = 'failed', ${free}, error = ${error}::json WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const later = Query.first({
      Request: Schema.Struct({ ...Held.fields, due: Schema.DateTimeUtc, tries: Schema.Int }),
      Result: Id,
      execute: ({ due, id, lease, tries }) => sql`
        UPDATE inspections SET ${free}, due_at = ${due}::timestamptz, tries = ${tries} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const WaitOfProject = Schema.Struct({ due: Schema.DateTimeUtc, project: ProjectId })
    const WaitOfProperty = Schema.Struct({ due: Schema.DateTimeUtc, property: Schema.String })
    const ofProject = (project: string) => sql`project_id = ${project}`
    const ofProperty = (property: string) =>
      sql`project_id IN (SELECT site_id FROM ranking_sources WHERE property = ${property})`

    /** Delays the URLs of projects until a time. A worker with a claimed URL finds the reason by itself. */
    const delayed = (whose: Fragment, due: string) => sql`
      UPDATE inspections SET due_at = ${due}::timestamptz WHERE id IN (
        SELECT id FROM inspections WHERE status = 'queued' AND lease IS NULL AND due_at < ${due}::timestamptz AND ${whose}
        FOR UPDATE SKIP LOCKED)`

    /** Ends this delay early. */
    const resumed = (whose: Fragment, due: string) => sql`
      UPDATE inspections SET due_at = clock_timestamp() WHERE id IN (
        SELECT id FROM inspections WHERE status = 'queued' AND lease IS NULL AND due_at = ${due}::timestamptz AND ${whose}
        FOR UPDATE SKIP LOCKED)`

    /** URLs of a project, which wait for its credentials. */
    const ofCredentials = {
      delay: Query.none({ Request: WaitOfProject, execute: ({ due, project }) => delayed(ofProject(project), due) }),
      resume: Query.none({ Request: WaitOfProject, execute: ({ due, project }) => resumed(ofProject(project), due) })
    }

    /** URLs of all projects with a property, which wait for its quota. */
    const ofQuota = {
      delay: Query.none({
        Request: WaitOfProperty,
        execute: ({ due, property }) => delayed(ofProperty(property), due)
      }),
      resume: Query.none({
        Request: WaitOfProperty,
        execute: ({ due, property }) => resumed(ofProperty(property), due)
      })
    }

    return {
      done: (of: Parameters<typeof done>[0]) => held(done(of)),
      fail: (of: Parameters<typeof fail>[0]) => held(fail(of)),
      later: (of: Parameters<typeof later>[0]) => held(later(of)),
      ofCredentials,
      ofQuota,
      queue
    }
  })
}) {}

/** Google's limits of requests about one property, per day and minute: https://developers.google.com/webmaster-tools/limits#url-inspection */
const quotas = { day: 2000, minute: 600 } as const

const OfProperty = Schema.Struct({ property: Schema.String })

/** A request in the count of its day and minute. */
const Reserved = Schema.Struct({ day: Schema.String, minute: Schema.String })

/** Requests to Google, counted by property over all nodes, projects and accounts. Days are Google's, by the database's clock: nodes may disagree about midnight. */
export class QuotaRepo extends Effect.Service<QuotaRepo>()("inspections/QuotaRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const zone = sql.literal("'America/Los_Angeles'")
    const today = sql`(clock_timestamp() AT TIME ZONE ${zone})::date`
    const tomorrow = sql`((${today} + 1)::timestamp AT TIME ZONE ${zone})`
    const minute = sql`date_trunc('minute', clock_timestamp())`
    const hasRoom = sql`(q.day <> ${today} OR q.of_day < ${quotas.day}) AND (q.minute <> ${minute} OR q.of_minute < ${quotas.minute})`
    const counted = ({ property }: typeof OfProperty.Type) => sql`
      INSERT INTO inspection_quotas AS q (property, day, of_day, minute, of_minute) VALUES (${property}, ${today}, 1, ${minute}, 1)
      ON CONFLICT (property) DO UPDATE SET
        of_day = CASE WHEN q.day = excluded.day THEN q.of_day ELSE 0 END + 1, day = excluded.day,
        of_minute = CASE WHEN q.minute = excluded.minute THEN q.of_minute ELSE 0 END + 1, minute = excluded.minute`

    /** Counts a request before it is sent, if the quotas have room. */
    const reserve = Query.first({
      Request: OfProperty,
      Result: Reserved,
      execute: (of) => sql`${counted(of)} WHERE ${hasRoom} RETURNING day::text AS day, iso(minute) AS minute`
    })

    /** Counts a request with a response but without a reservation. */
    const count = Query.none({ Request: OfProperty, execute: counted })

    /** When requests may be sent again; none if the quotas have room now. */
    const fullUntil = Query.first({
      Request: OfProperty,
      Result: Schema.Struct({ until: Schema.DateTimeUtc }),
      execute: ({ property }) => sql`
        SELECT iso(CASE WHEN day = ${today} AND of_day >= ${quotas.day} THEN ${tomorrow} ELSE ${minute} + interval '1 minute' END) AS until
        FROM inspection_quotas q WHERE property = ${property} AND NOT (${hasRoom})`
    })

    /** Takes back the count of a request that Google did not count; returns the day's end if the day had no room before. */
    const giveBack = Query.first({
      Request: Schema.Struct({ ...OfProperty.fields, ...Reserved.fields }),
      Result: Schema.Struct({ wasFullUntil: Schema.NullOr(Schema.DateTimeUtc) }),
      execute: (reserved) => sql`
        UPDATE inspection_quotas SET of_day = of_day - 1,
          of_minute = of_minute - CASE WHEN minute = ${reserved.minute}::timestamptz THEN 1 ELSE 0 END
        WHERE property = ${reserved.property} AND day = ${reserved.day}::date
        RETURNING CASE WHEN of_day + 1 >= ${quotas.day} THEN iso(${tomorrow}) END AS "wasFullUntil"`
    })

    /** When a used-up quota, of the minute or of the day, has room again. */
    const renewed = Query.one({
      Request: Schema.Struct({ isMinute: Schema.Boolean }),
      Result: Schema.Struct({ until: Schema.DateTimeUtc }),
      execute: ({ isMinute }) => sql`
        SELECT iso(CASE WHEN ${isMinute} THEN clock_timestamp() + interval '1 minute' ELSE ${tomorrow} END) AS until`
    })

    return { count, fullUntil, giveBack, renewed, reserve }
  })
}) {}
