import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Slots from "../../foundation/database/Slots.ts"
import { ProjectId } from "../projects/Domain.ts"
import { InspectionError, InspectionId } from "./Domain.ts"

const Held = LeaseQueue.Held(InspectionId)

/** A URL in a worker's hands; `tries`: how often Google did not answer. */
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

/** URLs as a queue, in which accounts take turns. */
export class QueueRepo extends Effect.Service<QueueRepo>()("inspections/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const free = sql`attempts = 0, lease = NULL, leased_until = NULL`

    const queue = LeaseQueue.make(sql, {
      account: sql`(SELECT account_id FROM projects WHERE projects.id = project_id)`,
      attemptsAtMost: Slots.attemptsAtMost,
      claim: Claim,
      columns: sql`project_id AS project, tries, url`,
      due: sql`status = 'queued' AND due_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "inspections",
      oldest: "queued_at",
      table: "inspections"
    })

    /** The first answer is no change. */
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

    /** Has the URLs of projects wait until then. A worker that holds one of them finds the reason by itself. */
    const delayed = (whose: Fragment, due: string) => sql`
      UPDATE inspections SET due_at = ${due}::timestamptz WHERE id IN (
        SELECT id FROM inspections WHERE status = 'queued' AND lease IS NULL AND due_at < ${due}::timestamptz AND ${whose}
        FOR UPDATE SKIP LOCKED)`

    /** Ends that wait before its time. */
    const resumed = (whose: Fragment, due: string) => sql`
      UPDATE inspections SET due_at = clock_timestamp() WHERE id IN (
        SELECT id FROM inspections WHERE status = 'queued' AND lease IS NULL AND due_at = ${due}::timestamptz AND ${whose}
        FOR UPDATE SKIP LOCKED)`

    /** Of a project: they wait for its credentials. */
    const ofCredentials = {
      delay: Query.none({ Request: WaitOfProject, execute: ({ due, project }) => delayed(ofProject(project), due) }),
      resume: Query.none({ Request: WaitOfProject, execute: ({ due, project }) => resumed(ofProject(project), due) })
    }

    /** Of all projects that are connected with a property: they wait for its quota. */
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
