import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../crawl/report/CrawlResult.ts"
import { held } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { AccountId } from "../accounts/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"
import { RunId } from "../sitehealth/Domain.ts"
import { Runs } from "../sitehealth/Runs.ts"
import { Results } from "../sitehealth/results/Results.ts"
import { Start, Verify } from "../sitehealth/Start.ts"
import { Finding, InterventionId, Status } from "./Domain.ts"
import { GitHubState, rollback, WordPressState } from "./Interventions.ts"

const Held = LeaseQueue.Held(InterventionId)

/** A change that a worker holds. */
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
  /** Names of the sent writes. */
  sent: Schema.Array(Schema.String),
  status: Status,
  summary: Schema.String,
  /** Turns since the proposal, or since the beginning of its rollback, including this one. */
  turns: Schema.Int,
  url: Schema.String,
  verifications: Schema.Int,
  verifiedBy: Schema.NullOr(RunId),
  verifyRun: Schema.NullOr(RunId),
  wordpress: Schema.NullOr(WordPressState)
})
export type Claim = typeof Claim.Type

const Named = Schema.Struct({ ...Held.fields, name: Schema.String })

/** The result of a turn for storage. */
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
type Left = typeof Left.Type

/** Changes as a queue: claims due ones, and stores the result of a turn. */
export class QueueRepo extends Effect.Service<QueueRepo>()("interventions/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const account = sql`(SELECT account_id FROM projects WHERE projects.id = project_id)`

    const queue = LeaseQueue.make(sql, {
      account,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
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

    /** Stores a turn; a request that came during the turn makes the change due again. */
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
        UPDATE interventions SET ${LeaseQueue.over(sql)}, status = ${status}, error = ${error}, github = ${github}::json, wordpress = ${wordpress}::json,
          merged_at = ${mergedAt}::timestamptz, verifications = ${verifications}, verified_by_run_id = ${verifiedBy}::uuid, verify_run_id = ${verifyRun}::uuid,
          is_asked = is_asked AND NOT ${asked}::boolean,
          due_at = CASE WHEN is_asked AND NOT ${asked}::boolean THEN clock_timestamp() ELSE ${due}::timestamptz END,
          deployed_at = CASE WHEN ${status} = 'deployed' THEN coalesce(deployed_at, clock_timestamp()) ELSE deployed_at END,
          reason = CASE WHEN ${status} IN ('rolling_back', 'rolled_back', 'conflict') THEN reason END,
          rolled_back_at = CASE WHEN ${status} = 'rolled_back' THEN greatest(deployed_at, clock_timestamp()) END
        WHERE id = ${id} AND lease = ${lease} RETURNING iso(deployed_at) AS "deployedAt", iso(rolled_back_at) AS "rolledBackAt"`
    })

    /** Notes the name of a write before sending it. */
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
      /** Removes the name of a write that the other side certainly refused. */
      forget: ({ id, lease }: Claim, name: string) => held(forget({ id, lease, name })),
      /** Removes all names, because no sent write has a result any more. */
      forgetAll: ({ id, lease }: Claim) => held(forgetAll({ id, lease })),
      queue,
      save: (left: Left) => held(save(left)),
      /** Whether a write may be sent now: once per name, which is stored before. */
      sending: ({ id, lease }: Claim, name: string) =>
        Effect.map(held(note({ id, lease, name })), ({ wasSent }) => !wasSent)
    }
  })
}) {}

/** The result of a turn; `starts`: starts a crawl in the same transaction. */
export interface Turn extends Omit<Left, "asked" | "id" | "lease"> {
  readonly starts: boolean
}

/** The unchanged change, with nothing left to do. */
const kept = ({ github, mergedAt, status, verifications, verifiedBy, verifyRun, wordpress }: Claim): Turn => ({
  due: null,
  error: null,
  github,
  mergedAt,
  starts: false,
  status,
  verifications,
  verifiedBy,
  verifyRun,
  wordpress
})

/** The change after this turn. */
export const made = (claim: Claim, changes: Partial<Turn>): Turn => ({ ...kept(claim), ...changes })

/** The change after this turn, due again after a wait. */
export const again = (claim: Claim, wait: Duration.DurationInput, changes: Partial<Turn> = {}): Effect.Effect<Turn> =>
  Effect.map(DateTime.now, (now) => made(claim, { due: DateTime.addDuration(now, wait), ...changes }))

/** Minutes after a merge at which the site is checked for the change. */
const looks = [5, 30, 120, 1440] as const

/** A change just after its merge or its write. */
export const merged = (claim: Claim, at: DateTime.Utc, changes: Partial<Turn> = {}): Turn =>
  made(claim, {
    due: DateTime.add(at, { minutes: looks[0] }),
    mergedAt: at,
    status: "merged",
    verifications: 0,
    ...changes
  })

/**
 * A change after a write without a clear response or result. Its status is conflict, and it is checked at the usual times, because the write may take effect
 * late; it is not sent again.
 */
export const doubtful = (claim: Claim, error: string): Effect.Effect<Turn> => {
  const minutes = looks[claim.verifications]
  const changes = { error, status: "conflict", verifications: claim.verifications + 1 } as const
  return minutes === undefined
    ? Effect.succeed(made(claim, { ...changes, verifications: claim.verifications }))
    : again(claim, Duration.minutes(minutes), changes)
}

/** Whether a change is being rolled back, or in doubt because of a rollback. */
export const isTakenBack = ({ sent, status }: Claim): boolean =>
  status === "rolling_back" || (status === "conflict" && sent.some((name) => name.startsWith(rollback)))

/** How many of the check times have passed. */
export const looksOver = (claim: Claim, now: DateTime.Utc): number => {
  const { mergedAt } = claim
  return mergedAt === null
    ? 0
    : looks.filter((minutes) => DateTime.lessThanOrEqualTo(DateTime.add(mergedAt, { minutes }), now)).length
}

/** A change that a check did not find on the site: it is due at the next check time, and not verified after the last one. */
export const unseen = (claim: Claim, error: string, changes: Partial<Turn> = {}): Turn => {
  const minutes = looks[changes.verifications ?? claim.verifications]
  const { mergedAt } = claim
  return minutes === undefined || mergedAt === null || claim.status === "not_verified"
    ? made(claim, { error, status: "not_verified", verifyRun: null, ...changes })
    : made(claim, { due: DateTime.add(mergedAt, { minutes }), error, verifyRun: null, ...changes })
}

/** Wait between two polls of a running crawl. */
const pause = "2 seconds"

/** Wait for a crawl that the account's quotas did not allow; it does not count as a check. */
const patience = "5 minutes"

/** Checks whether a merged change is on the site: by rechecking its issue, else by crawling the changed page. */
export class Verification extends Effect.Service<Verification>()("interventions/Verification", {
  dependencies: [Results.Default, Runs.Default, Start.Default, Verify.Default],
  effect: Effect.gen(function* () {
    const results = yield* Results
    const runs = yield* Runs
    const starts = yield* Start
    const { verify } = yield* Verify

    /** Why a crawl does not show the change on the site; undefined when it does. */
    const lacks = Effect.fnUntraced(function* ({ account, finding, url }: Claim, id: RunId) {
      const { result } = yield* results.get(account, id)
      if (finding === null) {
        const { pages }: CrawlResult = result
        const isRead = pages.some((page) => page.fetch_state === "fetched" && page.http_status === 200)
        return isRead ? undefined : `The crawl did not reach ${url}`
      }
      const found = result.verification?.find(({ rule, url }) => rule === finding.rule && url === finding.url)
      if (found === undefined) return "The recheck has no result for this issue"
      const detail = found.detail === "" ? "" : `: ${found.detail}`
      return found.verdict === "fixed" ? undefined : `The recheck says ${found.verdict}${detail}`
    })

    const judged = (claim: Claim, run: RunId) =>
      lacks(claim, run).pipe(
        Effect.map((error) =>
          error === undefined
            ? made(claim, { status: "deployed", verifiedBy: run, verifyRun: null })
            : unseen(claim, error)
        ),
        // A crawl without a result, or a deleted one, shows nothing.
        Effect.catchAll(({ message }) => Effect.succeed(unseen(claim, `The recheck failed: ${message}`)))
      )

    /** One turn of a merged change: starts a crawl, or waits for it. */
    const turn = Effect.fnUntraced(function* (claim: Claim) {
      const { account, verifyRun } = claim
      if (verifyRun === null) return made(claim, { error: claim.error, starts: true })
      const run = yield* Effect.option(runs.get(account, verifyRun))
      return run._tag === "Some" && run.value.finished_at === null
        ? yield* again(claim, pause, { error: claim.error })
        : yield* judged(claim, verifyRun)
    })

    const begun = ({ account, finding, project, url }: Claim) =>
      finding === null
        ? starts.start(account, project, { check_dead_links: false, max_pages: 1, url }, undefined)
        : verify(account, finding.run, { rules: [finding.rule] }, undefined)

    /** Starts the crawl, in the transaction of the caller; it counts against the account's quotas. */
    const start = (claim: Claim): Effect.Effect<Turn> =>
      Effect.matchEffect(begun(claim), {
        onFailure: (refusal) =>
          refusal._tag === "ApiError" && refusal.code === "quota_exceeded"
            ? again(claim, patience, { error: refusal.message })
            : Effect.succeed(made(claim, { error: refusal.message, status: "not_verified" })),
        onSuccess: ({ run }) =>
          Effect.flatMap(DateTime.now, (now) =>
            again(claim, pause, { error: claim.error, verifications: looksOver(claim, now), verifyRun: run.id })
          )
      })

    return { start, turn }
  })
}) {}
