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
        iso(merged_at) AS "mergedAt", project_id AS project, reason, status, summary, turns, url, verifications,
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
          reason = CASE WHEN ${status} IN ('rolling_back', 'rolled_back') THEN reason END,
          rolled_back_at = CASE WHEN ${status} = 'rolled_back' THEN greatest(deployed_at, clock_timestamp()) END
        WHERE id = ${id} AND lease = ${lease} RETURNING iso(deployed_at) AS "deployedAt", iso(rolled_back_at) AS "rolledBackAt"`
    })

    return { queue, save: (left: Left) => held(save(left)) }
  })
}) {}
