import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Audit, AuditReport } from "./Audit.ts"
import { AuditFailure, AuditId, Device, ScorePoints, Source, Spread } from "./Domain.ts"
import { FixDirective } from "./FixDirective.ts"
import { AuditedPage, AuditStatus, ListedAudit } from "./ListedAudit.ts"
import { MetricSources } from "./MetricSources.ts"
import { ScheduleId } from "./schedule/AuditSchedule.ts"

/** An audit as the operator sees it, completed or failed; the API shows completed ones only. */
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
  created_at: Timestamp
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
  report: Schema.NullOr(Schema.parseJson(AuditReport)),
  fixes: Schema.NullOr(Schema.parseJson(Fixes)),
  sources: Schema.NullOr(Schema.parseJson(MetricSources)),
  spread: Schema.NullOr(Schema.parseJson(Spread)),
  failure: Schema.NullOr(Schema.parseJson(AuditFailure))
})

/** Writing audits, once, and reading the completed ones. */
export class AuditsRepo extends Effect.Service<AuditsRepo>()("audits/AuditsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const recorded = sql.literal(`id, status, source, url, device, lighthouse_version,
      report->'overall_score' AS overall_score, metric_sources, spread, failure, iso(created_at) AS created_at`)

    /** None when the account does not exist. */
    const insert = Query.first({
      Request: NewAudit,
      Result: AuditRecord,
      execute: ({ account, device, failure, fixes, report, schedule, source, sources, spread, url, version }) => sql`
        INSERT INTO audits (account_id, status, source, url, device, lighthouse_version, report, fixes, metric_sources,
          spread, failure, schedule_id)
        SELECT id, ${failure === null ? "completed" : "failed"}, ${source}, ${url}, ${device}, ${version},
          ${report}::json, ${fixes}::json, ${sources}::json, ${spread}::json, ${failure}::json, ${schedule}::uuid
        FROM accounts WHERE id = ${account} RETURNING ${recorded}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: Audit,
      execute: ({ account, id }) => sql`
        SELECT id, status, url, report->'overall_score' AS overall_score, report->'scores' AS scores,
          json_build_object('status', report#>'{core_web_vitals,status}', 'metrics', report#>'{core_web_vitals,metrics}',
            'diagnostics', report#>'{core_web_vitals,diagnostics}', 'sources', metric_sources) AS core_web_vitals,
          report->'findings_summary' AS findings_summary,
          spread, iso(created_at) AS created_at
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

    /** Without the diagnostics of Core Web Vitals. */
    const listed =
      sql.literal(`id, status, url, device, source, report->'overall_score' AS overall_score, report->'scores' AS scores,
      CASE WHEN report IS NOT NULL THEN json_build_object('status', report#>'{core_web_vitals,status}',
        'metrics', report#>'{core_web_vitals,metrics}', 'sources', metric_sources) END AS core_web_vitals,
      report->'findings_summary' AS findings_summary, failure AS error, iso(created_at) AS created_at`)

    /** The pages of an account behind an address and a device. Reports are read of those that are answered alone. */
    const pages = Query.all({
      Request: Schema.Struct({ account: AccountId, ...Query.Batch }),
      Result: AuditedPage,
      execute: ({ account, after, count }) => sql`
        SELECT p.url, p.device, p.audits, latest.audit AS latest
        FROM (
          SELECT url, device, count(*)::int AS audits FROM audits WHERE account_id = ${account}
          GROUP BY url, device
          HAVING ${after === undefined ? sql`true` : sql`(url COLLATE "C", coalesce(device, '')) > (${after[0]} COLLATE "C", ${after[1]})`}
          ORDER BY url COLLATE "C", coalesce(device, '') LIMIT ${count}
        ) AS p, LATERAL (
          SELECT row_to_json(one) AS audit FROM (
            SELECT ${listed} FROM audits a
            WHERE account_id = ${account} AND md5(url) = md5(p.url) AND url = p.url AND device IS NOT DISTINCT FROM p.device
            ORDER BY a.created_at DESC, id DESC LIMIT 1
          ) AS one
        ) AS latest
        ORDER BY p.url COLLATE "C", coalesce(p.device, '')`
    })

    const page = Query.newestFirst(sql, {
      Request: Schema.Struct({
        account: AccountId,
        device: Schema.UndefinedOr(Device),
        status: Schema.UndefinedOr(AuditStatus),
        url: Schema.UndefinedOr(Schema.String)
      }),
      Result: ListedAudit,
      table: "a",
      rows: ({ account, device, status, url }) => sql`
        SELECT ${listed} FROM audits a
        WHERE account_id = ${account}
          AND ${url === undefined ? sql`true` : sql`md5(url) = md5(${url}::text) AND url = ${url}`}
          AND ${device === undefined ? sql`true` : sql`device = ${device}`}
          AND ${status === undefined ? sql`true` : sql`status = ${status}`}`
    })

    const account = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ id: AccountId }),
      execute: (id) => sql`SELECT id FROM accounts WHERE id = ${id}`
    })

    return { account, find, fixes, insert, list, page, pages, transaction: Query.transaction(sql) }
  })
}) {}
