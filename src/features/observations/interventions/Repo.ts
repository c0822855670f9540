import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Finding, Intervention, InterventionId, NewRecord, Recorded, Rollback, Status } from "./Domain.ts"
import { GitHubState, rollback, WordPressState } from "./State.ts"

const Id = Schema.Struct({ id: InterventionId })

/** A change that a connector is to make. */
const Proposed = Schema.Struct({
  connector: Schema.Literal("github", "wordpress"),
  project: OwnedId(ProjectId),
  url: Schema.String,
  summary: Schema.String,
  finding: Schema.NullOr(Schema.parseJson(Finding)),
  github: Schema.NullOr(Schema.parseJson(GitHubState)),
  wordpress: Schema.NullOr(Schema.parseJson(WordPressState))
})
export type Proposed = typeof Proposed.Type

/** The beginning of a rollback: the status that it begins at, and what the connector is to do. */
const Begun = Schema.Struct({
  from: Status,
  github: Schema.NullOr(Schema.parseJson(GitHubState)),
  id: OwnedId(InterventionId),
  reason: Schema.NullOr(Schema.String)
})

/** Interventions as their owners see them, and those that are recorded by hand. */
export class InterventionsRepo extends Effect.Service<InterventionsRepo>()("interventions/InterventionsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const byHand = sql`github IS NULL AND wordpress IS NULL`
    const recorded = sql.literal(`id, project_id AS project, url, connector, summary, iso(deployed_at) AS "deployedAt",
      iso(rolled_back_at) AS "rolledBackAt", reason`)
    const columns = sql.literal(`i.id, i.project_id,
      CASE WHEN i.github IS NOT NULL THEN 'github' WHEN i.wordpress IS NOT NULL THEN 'wordpress' ELSE 'recorded' END AS connector,
      CASE WHEN i.github IS NULL AND i.wordpress IS NULL THEN nullif(i.connector, 'recorded') END AS system,
      CASE WHEN i.github IS NOT NULL OR i.wordpress IS NOT NULL THEN i.status WHEN i.rolled_back_at IS NULL THEN 'deployed' ELSE 'rolled_back' END AS status,
      i.url, i.summary, i.finding, i.github ->> 'repo' AS repo, i.github ->> 'base' AS base,
      CASE WHEN i.github IS NOT NULL THEN 'findable/' || i.id END AS branch,
      CASE WHEN i.github IS NOT NULL THEN (SELECT json_agg(c ->> 'path') FROM json_array_elements(i.github -> 'changes') AS c) END AS paths,
      i.github -> 'pull' AS pull_request, i.github #> '{revert,pull}' AS revert_pull_request,
      i.wordpress ->> 'post_type' AS post_type, (i.wordpress ->> 'post_id')::float8 AS post_id, i.wordpress -> 'fields' AS fields,
      i.error, i.reason, i.verify_run_id AS verifying_run_id, i.verified_by_run_id, iso(i.due_at) AS next_look_at,
      iso(i.created_at) AS created_at, iso(i.merged_at) AS merged_at, iso(i.deployed_at) AS deployed_at, iso(i.rolled_back_at) AS rolled_back_at`)

    const insert = Query.one({
      Request: NewRecord,
      Result: Recorded,
      execute: ({ connector, deployedAt, project, summary, url }) => sql`
        INSERT INTO interventions (project_id, url, connector, summary, deployed_at)
        VALUES (${project}, ${url}, ${connector}, ${summary}, ${deployedAt}::timestamptz) RETURNING ${recorded}`
    })

    const hold = Query.first({
      Request: InterventionId,
      Result: Recorded,
      execute: (id) => sql`SELECT ${recorded} FROM interventions WHERE id = ${id} AND ${byHand} FOR UPDATE`
    })

    const rollBack = Query.one({
      Request: Rollback,
      Result: Recorded,
      execute: ({ id, reason, rolledBackAt }) => sql`
        UPDATE interventions SET rolled_back_at = ${rolledBackAt}::timestamptz, reason = ${reason}, status = 'rolled_back'
        WHERE id = ${id} RETURNING ${recorded}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: InterventionId }),
      Result: Intervention,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM interventions i JOIN projects p ON p.id = i.project_id
        WHERE i.id = ${id} AND p.account_id = ${account}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: Intervention,
      table: "i",
      rows: ({ project }) => sql`SELECT ${columns} FROM interventions i WHERE i.project_id = ${project}`
    })

    /** Those of a project that are not over. */
    const open = Query.one({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ count: Schema.Int }),
      execute: (project) =>
        sql`SELECT count(*)::int AS count FROM interventions WHERE project_id = ${project} AND due_at IS NOT NULL`
    })

    /** Proposes a change, which a worker takes up. */
    const propose = Query.one({
      Request: Proposed,
      Result: Id,
      execute: ({ connector, finding, github, project, summary, url, wordpress }) => sql`
        INSERT INTO interventions (project_id, url, connector, summary, status, finding, github, wordpress, is_asked, due_at)
        VALUES (${project}, ${url}, ${connector}, ${summary}, 'proposed', ${finding}::json, ${github}::json, ${wordpress}::json,
          true, clock_timestamp()) RETURNING id`
    })

    /** What a worker needs to take a change back; none unless it goes through a connector. */
    const stateOf = Query.first({
      Request: OwnedId(InterventionId),
      Result: Schema.Struct({
        github: Schema.NullOr(GitHubState),
        /** Whether a write was sent that may have done something. */
        isSent: Schema.Boolean,
        wordpress: Schema.NullOr(WordPressState)
      }),
      execute: (id) =>
        sql`SELECT github, cardinality(sent) > 0 AS "isSent", wordpress FROM interventions WHERE id = ${id} AND NOT (${byHand})`
    })

    /** Begins a rollback, whose writes may be sent though an earlier one sent its own; none while a worker has the change in its hands, or when its status is another by now. */
    const begin = Query.first({
      Request: Begun,
      Result: Id,
      execute: ({ from, github, id, reason }) => sql`
        UPDATE interventions SET status = 'rolling_back', reason = ${reason}, github = ${github}::json, error = NULL, verify_run_id = NULL,
          is_asked = true, due_at = clock_timestamp(), turns = 0, verifications = 0,
          sent = ARRAY(SELECT name FROM unnest(sent) AS name WHERE NOT starts_with(name, ${rollback}))
        WHERE id = ${id} AND status = ${from} AND lease IS NULL RETURNING id`
    })

    /** Has a worker look at a change at once; none where there is nothing left to look at. */
    const ask = Query.first({
      Request: OwnedId(InterventionId),
      Result: Id,
      execute: (id) => sql`
        UPDATE interventions SET is_asked = true, due_at = clock_timestamp()
        WHERE id = ${id} AND NOT (${byHand}) AND (status IN ('proposed', 'merged', 'not_verified', 'rolling_back')
          OR status = 'conflict' AND cardinality(sent) > 0) RETURNING id`
    })

    /** Whether a request for a worker's turn is still open. */
    const isAsked = Query.first({
      Request: InterventionId,
      Result: Id,
      execute: (id) => sql`SELECT id FROM interventions WHERE id = ${id} AND is_asked`
    })

    return {
      ask,
      begin,
      find,
      hold,
      insert,
      isAsked,
      list,
      open,
      propose,
      rollBack,
      stateOf,
      transaction: Query.transaction(sql)
    }
  })
}) {}
