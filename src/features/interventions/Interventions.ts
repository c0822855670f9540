import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Stopping } from "../../foundation/http/Request.ts"
import { Conflict, NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { OwnersRepo, Projects } from "../projects/Projects.ts"
import {
  ChangedField,
  Finding,
  Intervention,
  InterventionId,
  NewRecord,
  PostType,
  PullRequest,
  Recorded,
  Rollback,
  Status
} from "./Domain.ts"
import { interventionDeployed, interventionRolledBack } from "./Events.ts"

// The stored JSON of a change: the request, and the connector's results so far.

/** A file of a change; `expected_sha` is the replaced blob, null for a new file. */
export const FileChange = Schema.Struct({
  path: Schema.String,
  expected_sha: Schema.NullOr(Schema.String),
  content: Schema.String
})
export type FileChange = typeof FileChange.Type

/** A reverting pull request: which revert of the intervention it is (1, 2 …), the status to return to when it is closed, and the commit that it starts from. */
const Revert = Schema.Struct({
  number: Schema.Int,
  from: Status,
  base_sha: Schema.String,
  pull: Schema.NullOr(PullRequest)
})

/** A change through GitHub. */
export const GitHubState = Schema.Struct({
  repo: Schema.String,
  base: Schema.String,
  /** Commit of the base with the expected files. */
  base_sha: Schema.String,
  changes: Schema.Array(FileChange),
  pull: Schema.NullOr(PullRequest),
  /** The written blobs. */
  written: Schema.Array(Schema.Struct({ path: Schema.String, sha: Schema.String })),
  revert: Schema.NullOr(Revert)
})
export type GitHubState = typeof GitHubState.Type

/** A change through WordPress. */
export const WordPressState = Schema.Struct({
  post_type: PostType,
  post_id: Schema.Int,
  /** Public URL of the post. */
  link: Schema.String,
  fields: Schema.Array(ChangedField),
  /** The values that WordPress returned where it stored other values than written. */
  stored: Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })), {
    default: () => []
  })
})
export type WordPressState = typeof WordPressState.Type

/** Prefix of the names of a rollback's writes. */
export const rollback = "rollback "

/** The branch of a change. */
export const branchOf = (id: string): string => `findable/${id}`

/** The branch of a reverting pull request. */
export const revertBranchOf = (id: string, number: number): string =>
  `${branchOf(id)}-revert${number === 1 ? "" : `-${number}`}`

const Id = Schema.Struct({ id: InterventionId })

/** A change for a connector to make. */
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

/** The beginning of a rollback: its starting status, and the connector's task. */
const Begun = Schema.Struct({
  from: Status,
  github: Schema.NullOr(Schema.parseJson(GitHubState)),
  id: OwnedId(InterventionId),
  reason: Schema.NullOr(Schema.String)
})

/** Reads interventions for their owners, and writes recorded ones. */
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

    /** Number of open interventions of a site. */
    const open = Query.one({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ count: Schema.Int }),
      execute: (project) =>
        sql`SELECT count(*)::int AS count FROM interventions WHERE project_id = ${project} AND due_at IS NOT NULL`
    })

    /** Proposes a change for a worker. */
    const propose = Query.one({
      Request: Proposed,
      Result: Id,
      execute: ({ connector, finding, github, project, summary, url, wordpress }) => sql`
        INSERT INTO interventions (project_id, url, connector, summary, status, finding, github, wordpress, is_asked, due_at)
        VALUES (${project}, ${url}, ${connector}, ${summary}, 'proposed', ${finding}::json, ${github}::json, ${wordpress}::json,
          true, clock_timestamp()) RETURNING id`
    })

    /** The state that a worker needs to revert a change; no row for a recorded change. */
    const stateOf = Query.first({
      Request: OwnedId(InterventionId),
      Result: Schema.Struct({
        github: Schema.NullOr(GitHubState),
        /** Whether a write was sent that may have had an effect. */
        isSent: Schema.Boolean,
        wordpress: Schema.NullOr(WordPressState)
      }),
      execute: (id) =>
        sql`SELECT github, cardinality(sent) > 0 AS "isSent", wordpress FROM interventions WHERE id = ${id} AND NOT (${byHand})`
    })

    /** Begins a rollback and allows its writes again after an earlier rollback; no row while a worker holds the change, or when its status has changed. */
    const begin = Query.first({
      Request: Begun,
      Result: Id,
      execute: ({ from, github, id, reason }) => sql`
        UPDATE interventions SET status = 'rolling_back', reason = ${reason}, github = ${github}::json, error = NULL, verify_run_id = NULL,
          is_asked = true, due_at = clock_timestamp(), turns = 0, verifications = 0,
          sent = ARRAY(SELECT name FROM unnest(sent) AS name WHERE NOT starts_with(name, ${rollback}))
        WHERE id = ${id} AND status = ${from} AND lease IS NULL RETURNING id`
    })

    /** Makes a change due immediately; no row when nothing is left to check. */
    const ask = Query.first({
      Request: OwnedId(InterventionId),
      Result: Id,
      execute: (id) => sql`
        UPDATE interventions SET is_asked = true, due_at = clock_timestamp()
        WHERE id = ${id} AND NOT (${byHand}) AND (status IN ('proposed', 'merged', 'not_verified', 'rolling_back')
          OR status = 'conflict' AND cardinality(sent) > 0) RETURNING id`
    })

    /** Whether a request still waits for a worker's turn. */
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

const subject = ({ connector, deployedAt, id, project, summary, url }: Recorded) => ({
  id,
  project_id: project,
  url,
  connector,
  summary,
  deployed_at: deployedAt
})

const missing = NotFound.of("change")

/** Changes of sites: records each change from elsewhere with its event in one transaction, and reads all changes. */
export class Interventions extends Effect.Service<Interventions>()("interventions/Interventions", {
  dependencies: [Events.Default, InterventionsRepo.Default, OwnersRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const projects = yield* Projects
    const repo = yield* InterventionsRepo
    const mine = Owned.by(repo.find, "change")

    /** Records that a change was deployed: `intervention.deployed`. */
    const deploy = Traced.fn("Interventions.deploy")(function* (made: NewRecord) {
      const account = yield* owners.hold(made.project)
      const intervention = yield* repo.insert(made)
      yield* events.publish(account, interventionDeployed, subject(intervention), { occurrence: intervention.id })
      return intervention
    }, owners.transaction)

    /** Records that a recorded change was rolled back, once and not before its deployment: `intervention.rolled_back`. */
    const rollBack = Traced.fn("Interventions.rollBack")(function* (rollback: Rollback) {
      const current = yield* Effect.mapError(
        Effect.flatten(repo.hold(rollback.id)),
        () => new Refused({ message: `No recorded change has the id ${rollback.id}` })
      )
      if (current.rolledBackAt !== null)
        return yield* new Refused({ message: "The change has already been rolled back" })
      if (DateTime.lessThan(rollback.rolledBackAt, current.deployedAt)) {
        return yield* new Refused({ message: "A change cannot be rolled back before its deployment" })
      }
      const account = yield* owners.hold(current.project)
      const intervention = yield* repo.rollBack(rollback)
      const { reason, rolledBackAt } = rollback
      yield* events.publish(
        account,
        interventionRolledBack,
        { ...subject(intervention), reason, rolled_back_at: rolledBackAt },
        { occurrence: intervention.id }
      )
      return intervention
    }, owners.transaction)

    /** The intervention, if it belongs to the site of the path. */
    const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      const intervention = yield* mine(account, id)
      return intervention.value.project_id === project ? intervention : yield* missing
    })

    const get = (account: AccountId, project: ProjectId, id: InterventionId) =>
      Effect.map(own(account, project, id), ({ value }) => value)

    const list = Traced.fn("Interventions.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    return { deploy, get, list, own, rollBack }
  })
}) {}

/** Only workers send requests that change something at the other side. A caller waits this long for a worker's turn, and then gets the current state. */
const longest = "25 seconds"

const looks = Schedule.spaced("100 millis")

/** Waits of requests for workers' turns. */
export class Watching extends Effect.Service<Watching>()("interventions/Watching", {
  dependencies: [Interventions.Default, InterventionsRepo.Default],
  effect: Effect.gen(function* () {
    const interventions = yield* Interventions
    const repo = yield* InterventionsRepo
    const stopping = yield* Stopping

    /** The intervention after the awaited turn, after the longest wait, or when this server stops. */
    const settled = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      yield* Effect.repeat(repo.isAsked(id), { schedule: looks, until: Option.isNone }).pipe(
        Effect.raceFirst(stopping.begun),
        Effect.timeoutOption(longest),
        Effect.interruptible
      )
      return yield* interventions.get(account, project, id)
    })

    /** A new intervention after its first turn; refused if no write was sent that may have had an effect. */
    const begun = Traced.fn("Watching.begun")(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      const intervention = yield* settled(account, project, id)
      if (intervention.status !== "conflict") return intervention
      const { isSent } = Option.getOrThrow(yield* repo.stateOf(yield* interventions.own(account, project, id)))
      return isSent ? intervention : yield* new Conflict({ message: intervention.error ?? "A change failed" })
    })

    /** Checks a change now. */
    const refresh = Traced.fn("Watching.refresh")(function* (
      account: AccountId,
      project: ProjectId,
      id: InterventionId
    ) {
      const intervention = yield* interventions.own(account, project, id)
      return Option.isNone(yield* repo.ask(intervention)) ? intervention.value : yield* settled(account, project, id)
    })

    return { begun, refresh, settled }
  })
}) {}
