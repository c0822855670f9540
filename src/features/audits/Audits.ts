import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Aging from "../../foundation/database/Aging.ts"
import * as Query from "../../foundation/database/Query.ts"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import * as Time from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Events } from "../events/Events.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { AuditOrder } from "./Api.ts"
import { type Assessment, assess } from "./Assessment.ts"
import {
  Audit,
  AuditedPage,
  AuditFailure,
  AuditId,
  AuditReport,
  AuditStatus,
  Device,
  FixDirective,
  ListedAudit,
  MetricSources,
  metricSources,
  ScorePoints,
  Source,
  Spread
} from "./Domain.ts"
import { auditCompleted, auditFailed } from "./Events.ts"
import { type LighthouseReport, readMoment } from "./report/LighthouseReport.ts"
import type { PsiReport } from "./report/ReadPsi.ts"
import { AuditRetentionDays } from "./Settings.ts"
import { ScheduleId } from "./schedule/Api.ts"

/** The end of an audit, for its record. */
export interface Outcome {
  readonly url: string
  /** Null if the report does not name it. */
  readonly device: Device | null
  /** The version of Lighthouse; null without a report. */
  readonly version: string | null
  /** When the page was measured; null if no report says it. */
  readonly measured: string | null
  /** Null for a single run. */
  readonly spread: Spread | null
  readonly verdict: Either.Either<Assessment & { readonly sources: MetricSources }, AuditFailure>
}

/** The report's time, formatted for storage. */
const measuredAtOf = ({ fetchTime }: LighthouseReport): string | null =>
  Option.match(readMoment(fetchTime), { onNone: () => null, onSome: Time.format })

/** The outcome of a report, with field data if available. */
export const reportOutcome = ({ field, report }: PsiReport): Outcome => ({
  url: report.url,
  device: report.device,
  version: report.version,
  measured: measuredAtOf(report),
  spread: null,
  verdict: Either.map(assess(report, field), (assessment) => ({
    ...assessment,
    sources: metricSources(report.lab, field)
  }))
})

/** The outcome of an audit without a report. */
export const failureOutcome = (url: string, device: Device, failure: AuditFailure): Outcome => ({
  url,
  device,
  version: null,
  measured: null,
  spread: null,
  verdict: Either.left(failure)
})

/** Publishes the end of an audit in the transaction that records it. */
export class AuditEvents extends Effect.Service<AuditEvents>()("audits/AuditEvents", {
  dependencies: [Events.Default],
  effect: Effect.map(Events, ({ publish }) => ({
    ended: (account: AccountId, id: AuditId, { url, verdict }: Outcome) => {
      const subject = { subject: "audit" as const, id, url }
      const occurrence = { occurrence: `audit/${id}` }
      return Either.match(verdict, {
        onLeft: (error) =>
          publish(account, auditFailed, { ...subject, outcome: { status: "failed", error } }, occurrence),
        onRight: ({ report: { findings_summary, overall_score, scores } }) =>
          publish(
            account,
            auditCompleted,
            { ...subject, outcome: { status: "completed", overall_score, scores, findings_summary } },
            occurrence
          )
      })
    }
  }))
}) {}

/** An audit for the administrator, completed or failed; the API shows completed ones only. */
export const AuditRecord = Schema.Struct({
  id: AuditId,
  status: Schema.Literal("completed", "failed"),
  source: Source,
  url: Schema.String,
  device: Schema.NullOr(Device),
  lighthouse_version: Schema.NullOr(Schema.String),
  overall_score: Schema.NullOr(ScorePoints),
  metric_sources: Schema.NullOr(MetricSources),
  spread: Schema.NullOr(Spread),
  failure: Schema.NullOr(AuditFailure),
  measured_at: Time.Timestamp,
  created_at: Time.Timestamp
})
export type AuditRecord = typeof AuditRecord.Type

const OfAccount = Schema.Struct({ account: AccountId, id: AuditId })
const Fixes = Schema.Array(FixDirective)

/** A row to insert: with report, fixes and sources, or with a failure. */
const NewAudit = Schema.Struct({
  account: AccountId,
  schedule: Schema.NullOr(ScheduleId),
  source: Source,
  url: Schema.String,
  device: Schema.NullOr(Device),
  version: Schema.NullOr(Schema.String),
  measured: Schema.NullOr(Schema.String),
  report: Schema.NullOr(Schema.parseJson(AuditReport)),
  fixes: Schema.NullOr(Schema.parseJson(Fixes)),
  sources: Schema.NullOr(Schema.parseJson(MetricSources)),
  spread: Schema.NullOr(Schema.parseJson(Spread)),
  failure: Schema.NullOr(Schema.parseJson(AuditFailure))
})

/** Inserts audits, and reads the completed ones. */
export class AuditsRepo extends Effect.Service<AuditsRepo>()("audits/AuditsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const recorded = sql.literal(`id, status, source, url, device, lighthouse_version,
      report->'overall_score' AS overall_score, metric_sources, spread, failure,
      iso(measured_at) AS measured_at, iso(created_at) AS created_at`)

    /** No row when the account does not exist. */
    const insert = Query.first({
      Request: NewAudit,
      Result: AuditRecord,
      execute: ({
        account,
        device,
        failure,
        fixes,
        measured,
        report,
        schedule,
        source,
        sources,
        spread,
        url,
        version
      }) => sql`
        INSERT INTO audits (account_id, status, source, url, device, lighthouse_version, report, fixes, metric_sources,
          spread, failure, schedule_id, measured_at, created_at)
        SELECT id, ${failure === null ? "completed" : "failed"}, ${source}, ${url}, ${device}, ${version},
          ${report}::json, ${fixes}::json, ${sources}::json, ${spread}::json, ${failure}::json, ${schedule}::uuid,
          least(${measured}::timestamptz, at), at
        FROM accounts, (SELECT clock_timestamp() AS at) AS now WHERE id = ${account} RETURNING ${recorded}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: Audit,
      execute: ({ account, id }) => sql`
        SELECT id, status, url, report->'overall_score' AS overall_score, report->'scores' AS scores,
          json_build_object('status', report#>'{core_web_vitals,status}', 'metrics', report#>'{core_web_vitals,metrics}',
            'diagnostics', report#>'{core_web_vitals,diagnostics}', 'sources', metric_sources) AS core_web_vitals,
          report->'findings_summary' AS findings_summary,
          spread, iso(measured_at) AS measured_at, iso(created_at) AS created_at
        FROM audits WHERE id = ${id} AND account_id = ${account} AND status = 'completed'`
    })

    const fixes = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ fixes: Fixes }),
      execute: ({ account, id }) => sql`
        SELECT fixes FROM audits WHERE id = ${id} AND account_id = ${account} AND status = 'completed'`
    })

    const list = Query.all({
      Request: Schema.Struct({ account: AccountId, count: Schema.Int }),
      Result: AuditRecord,
      execute: ({ account, count }) =>
        Query.limit(
          sql,
          count,
          sql`
        SELECT ${recorded} FROM audits WHERE account_id = ${account}
        ORDER BY audits.created_at DESC, id DESC`
        )
    })

    /** Columns of a listed audit, without the diagnostics of Core Web Vitals. */
    const listed =
      sql.literal(`id, status, url, device, source, report->'overall_score' AS overall_score, report->'scores' AS scores,
      CASE WHEN report IS NOT NULL THEN json_build_object('status', report#>'{core_web_vitals,status}',
        'metrics', report#>'{core_web_vitals,metrics}', 'sources', metric_sources) END AS core_web_vitals,
      report->'findings_summary' AS findings_summary, failure AS error, iso(measured_at) AS measured_at,
      iso(created_at) AS created_at`)

    const onSite = (site: string | undefined) =>
      site === undefined
        ? sql`true`
        : sql`md5(site_of_address(url)) = md5(${site}::text) AND site_of_address(url) = ${site}`

    /** The pages of an account after a URL and a device. Only the returned pages' reports are read. */
    const pages = Query.all({
      Request: Schema.Struct({
        account: AccountId,
        device: Schema.UndefinedOr(Device),
        site: Schema.UndefinedOr(Schema.String),
        ...Query.Batch
      }),
      Result: AuditedPage,
      execute: ({ account, after, count, device, site }) => sql`
        SELECT p.url, p.device, p.audits, latest.audit AS latest
        FROM (
          SELECT url, device, count(*)::int AS audits FROM audits
          WHERE account_id = ${account} AND ${onSite(site)} AND ${device === undefined ? sql`true` : sql`device = ${device}`}
          GROUP BY url, device
          HAVING ${after === undefined ? sql`true` : sql`(url COLLATE "C", coalesce(device, '')) > (${after[0]} COLLATE "C", ${after[1]})`}
          ORDER BY url COLLATE "C", coalesce(device, '') LIMIT ${count}
        ) AS p, LATERAL (
          SELECT row_to_json(one) AS audit FROM (
            SELECT ${listed} FROM audits a
            WHERE account_id = ${account} AND md5(url) = md5(p.url) AND url = p.url AND device IS NOT DISTINCT FROM p.device
            ORDER BY a.measured_at DESC, a.created_at DESC, id DESC LIMIT 1
          ) AS one
        ) AS latest
        ORDER BY p.url COLLATE "C", coalesce(p.device, '')`
    })

    const pageBy = (first?: "measured_at") =>
      Query.newestFirst(sql, {
        ...(first !== undefined && { first }),
        Request: Schema.Struct({
          account: AccountId,
          device: Schema.UndefinedOr(Device),
          site: Schema.UndefinedOr(Schema.String),
          status: Schema.UndefinedOr(AuditStatus),
          url: Schema.UndefinedOr(Schema.String)
        }),
        Result: ListedAudit,
        table: "a",
        rows: ({ account, device, site, status, url }) => sql`
        SELECT ${listed} FROM audits a
        WHERE account_id = ${account} AND ${onSite(site)}
          AND ${url === undefined ? sql`true` : sql`md5(url) = md5(${url}::text) AND url = ${url}`}
          AND ${device === undefined ? sql`true` : sql`device = ${device}`}
          AND ${status === undefined ? sql`true` : sql`status = ${status}`}`
      })

    const page = { created_at: pageBy(), measured_at: pageBy("measured_at") }

    return { find, fixes, insert, list, page, pages, transaction: Query.transaction(sql) }
  })
}) {}

/** Filters of a list of audits; an audit must match all. */
interface AuditFilters {
  readonly device: Device | undefined
  /** Only audits of pages of this project's host. */
  readonly project: ProjectId | undefined
  readonly status: AuditStatus | undefined
  /** A normalized URL. */
  readonly url: string | undefined
}

/** The account of an audit, and its source. */
interface Origin {
  readonly account: AccountId
  readonly source: Source
  readonly schedule: ScheduleId | null
}

const missing = NotFound.of("audit")
const noAccount = NotFound.of("account")

const row = ({ device, measured, spread, url, verdict, version }: Outcome) => ({
  device,
  measured,
  spread,
  url,
  version,
  ...Either.match(verdict, {
    onLeft: (failure) => ({ failure, fixes: null, report: null, sources: null }),
    onRight: ({ fixes, report, sources }) => ({ failure: null, fixes, report, sources })
  })
})

/** The audits of an account. */
export class Audits extends Effect.Service<Audits>()("audits/Audits", {
  dependencies: [AuditEvents.Default, AuditsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const events = yield* AuditEvents
    const projects = yield* Projects
    const repo = yield* AuditsRepo

    /** The account's completed audit; a missing, failed or foreign audit gives one error. */
    const get = Traced.fn("Audits.get")(function* (account: AccountId, id: AuditId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The fix directives of a completed audit, most urgent first. */
    const fixes = Traced.fn("Audits.fixes")(function* (account: AccountId, id: AuditId) {
      const found = yield* Effect.mapError(Effect.flatten(repo.fixes({ account, id })), () => missing)
      return found.fixes
    })

    /** The account's audits that pass all filters, latest first, failed ones too; fails when the site is missing or another account's. */
    const page = Effect.fnUntraced(function* (
      account: AccountId,
      { project, ...filters }: AuditFilters,
      by: AuditOrder,
      batch: Batch
    ) {
      const site = yield* projects.hostOf(account, project)
      return yield* repo.page[by]({ account, site, ...filters, ...batch })
    })

    /** The account's audited pages, on the host of a site or on all, once per device. */
    const pages = Effect.fnUntraced(function* (
      account: AccountId,
      { device, project }: Pick<AuditFilters, "device" | "project">,
      batch: Batch
    ) {
      return yield* repo.pages({ account, device, site: yield* projects.hostOf(account, project), ...batch })
    })

    /** The account's latest audits, failed ones too, for the administrator. */
    const list = Traced.fn("Audits.list")(function* (account: AccountId, count: number) {
      return yield* repo.list({ account, count })
    })

    /** Records the end of an audit and publishes its event, in one transaction. */
    const record = Traced.fn("Audits.record")(function* ({ account, schedule, source }: Origin, outcome: Outcome) {
      const inserted = yield* repo.insert({ account, schedule, source, ...row(outcome) })
      const audit = yield* Effect.mapError(inserted, () => noAccount)
      yield* events.ended(account, audit.id, outcome)
      return audit
    }, repo.transaction)

    /** Records a report from the account, and returns its audit. */
    const imported = Traced.fn("Audits.imported")(function* (account: AccountId, outcome: Outcome) {
      const { id } = yield* record({ account, schedule: null, source: "import" }, outcome)
      return yield* get(account, id)
    })

    return { fixes, get, imported, list, page, pages, record }
  })
}) {}

/** Removes audits by their age; no other row refers to one. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("audits/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one(Aging.removal(sql, "audits", "created_at"))
  }))
}) {}

/** Removes audits older than FINDABLE_AUDIT_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([AuditRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("audits", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
