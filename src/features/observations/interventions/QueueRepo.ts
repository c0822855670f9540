import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { RunId } from "../../sitehealth/Domain.ts"
import { Finding, InterventionId, Status } from "./Domain.ts"
import { GitHubState, WordPressState } from "./State.ts"

const Held = LeaseQueue.Held(InterventionId)

/** A change in a worker's hands. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  /** Whether a request waits for this turn. */
  asked: Schema.Boolean,
  connector: Schema.String,
  createdAt: Moment,
  deployedAt: Schema.NullOr(Moment),
  error: Schema.NullOr(Schema.String),
  finding: Schema.NullOr(Finding),
  github: Schema.NullOr(GitHubState),
  mergedAt: Schema.NullOr(Moment),
  project: ProjectId,
  reason: Schema.NullOr(Schema.String),
  /** Names of the writes that were sent. */
  sent: Schema.Array(Schema.String),
  status: Status,
  summary: Schema.String,
  /** Turns that were begun since it was proposed, or its rollback begun, this one included. */
  turns: Schema.Int,
  url: Schema.String,
  verifications: Schema.Int,
  verifiedBy: Schema.NullOr(RunId),
  verifyRun: Schema.NullOr(RunId),
  wordpress: Schema.NullOr(WordPressState)
})
export type Claim = typeof Claim.Type

const Named = Schema.Struct({ ...Held.fields, name: Schema.String })

/** What a turn leaves behind. */
const Left = Schema.Struct({
  ...Held.fields,
  asked: Schema.Boolean,
  due: Schema.NullOr(Moment),
  error: Schema.NullOr(Schema.String),
  github: Schema.NullOr(Schema.parseJson(GitHubState)),
  mergedAt: Schema.NullOr(Moment),
  status: Status,
  verifications: Schema.Int,
  verifiedBy: Schema.NullOr(RunId),
  verifyRun: Schema.NullOr(RunId),
  wordpress: Schema.NullOr(Schema.parseJson(WordPressState))
})
export type Left = typeof Left.Type

/** Changes as a queue: what is due, and what a turn made of it. */
export class QueueRepo extends Effect.Service<QueueRepo>()("interventions/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const account = sql`(SELECT account_id FROM projects WHERE projects.id = project_id)`

    const queue = LeaseQueue.make(sql, {
      account,
      attemptsAtMost: Slots.attemptsAtMost,
      claim: Claim,
      columns: sql`${account} AS account, is_asked AS asked, connector, iso(created_at) AS "createdAt", iso(deployed_at) AS "deployedAt", error, finding, github,
        iso(merged_at) AS "mergedAt", project_id AS project, reason, sent, status, summary, turns, url, verifications,
        verified_by_run_id AS "verifiedBy", verify_run_id AS "verifyRun", wordpress`,
      due: sql`due_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "interventions",
      oldest: "due_at",
      table: "interventions",
      whenClaimed: sql`turns = turns + 1`
    })

    /** A request that came during the turn gets one of its own. */
    const save = Query.first({
      Request: Left,
      Result: Schema.Struct({ deployedAt: Schema.NullOr(Moment), rolledBackAt: Schema.NullOr(Moment) }),
      execute: ({
        asked,
        due,
        error,
        github,
        id,
        lease,
        mergedAt,
        status,
        verifications,
        verifiedBy,
        verifyRun,
        wordpress
      }) => sql`
        UPDATE interventions SET ${Slots.over(sql)}, status = ${status}, error = ${error}, github = ${github}::json, wordpress = ${wordpress}::json,
          merged_at = ${mergedAt}::timestamptz, verifications = ${verifications}, verified_by_run_id = ${verifiedBy}::uuid, verify_run_id = ${verifyRun}::uuid,
          is_asked = is_asked AND NOT ${asked}::boolean,
          due_at = CASE WHEN is_asked AND NOT ${asked}::boolean THEN clock_timestamp() ELSE ${due}::timestamptz END,
          deployed_at = CASE WHEN ${status} = 'deployed' THEN coalesce(deployed_at, clock_timestamp()) ELSE deployed_at END,
          reason = CASE WHEN ${status} IN ('rolling_back', 'rolled_back', 'conflict') THEN reason END,
          rolled_back_at = CASE WHEN ${status} = 'rolled_back' THEN greatest(deployed_at, clock_timestamp()) END
        WHERE id = ${id} AND lease = ${lease} RETURNING iso(deployed_at) AS "deployedAt", iso(rolled_back_at) AS "rolledBackAt"`
    })

    /** Notes that a write is about to be sent. */
    const note = Query.first({
      Request: Named,
      Result: Schema.Struct({ wasSent: Schema.Boolean }),
      execute: ({ id, lease, name }) => sql`
        WITH held AS (SELECT id, ${name} = ANY(sent) AS was_sent FROM interventions WHERE id = ${id} AND lease = ${lease} FOR UPDATE)
        UPDATE interventions i SET sent = CASE WHEN was_sent THEN sent ELSE array_append(sent, ${name}) END
        FROM held WHERE i.id = held.id RETURNING was_sent AS "wasSent"`
    })

    const forget = Query.first({
      Request: Named,
      Result: Schema.Struct({ id: InterventionId }),
      execute: ({ id, lease, name }) => sql`
        UPDATE interventions SET sent = array_remove(sent, ${name}) WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const forgetAll = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: InterventionId }),
      execute: ({ id, lease }) =>
        sql`UPDATE interventions SET sent = '{}' WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      /** Takes the name of a write out that the other side refused for certain. */
      forget: ({ id, lease }: Claim, name: string) => held(forget({ id, lease, name })),
      /** Takes all names out: nothing that was sent is there any more. */
      forgetAll: ({ id, lease }: Claim) => held(forgetAll({ id, lease })),
      queue,
      save: (left: Left) => held(save(left)),
      /** Whether a write may be sent now: once by its name, which is stored before. */
      sending: ({ id, lease }: Claim, name: string) =>
        Effect.map(held(note({ id, lease, name })), ({ wasSent }) => !wasSent)
    }
  })
}) {}
