import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import * as Slots from "../../../../foundation/database/Slots.ts"
import { Timestamp } from "../../../../foundation/schema/Timestamp.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { BacklinkId, Rel, State } from "../Domain.ts"

const Held = LeaseQueue.Held(ProjectId)

/** A site whose pages are due. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  failures: Schema.Int,
  host: Schema.String,
  url: Schema.String
})
export type Claim = typeof Claim.Type

const Due = Schema.Struct({
  host: Schema.String,
  id: BacklinkId,
  target: Schema.NullOr(Schema.String),
  url: Schema.String
})
const Millis = Schema.NullOr(Schema.Number)

/** A link as earlier looks left it. */
const Stored = Schema.Struct({
  domain: Schema.String,
  goneSince: Millis,
  id: BacklinkId,
  isHigh: Schema.Boolean,
  lastLiveAt: Millis,
  lostAt: Millis,
  rel: Schema.Array(Rel)
})

const LostDomain = Schema.Struct({
  authority: Schema.NullOr(Schema.Struct({ scale: Schema.String, source: Schema.String, value: Schema.Number })),
  domain: Schema.String,
  isHigh: Schema.Boolean,
  lastSeenAt: Timestamp,
  links: Schema.Array(Schema.Struct({ confirmed_at: Schema.DateTimeUtc, source_url: Schema.String, state: State })),
  missingSince: Timestamp
})

/** The queue of sites whose pages are due, and what rounds find. */
export class RoundsRepo extends Effect.Service<RoundsRepo>()("backlinks/RoundsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: Slots.attemptsAtMost,
      claim: Claim,
      columns: sql`account_id AS account, failures, (SELECT host FROM projects p WHERE p.id = backlink_sites.id) AS host,
        (SELECT url FROM projects p WHERE p.id = backlink_sites.id) AS url`,
      due: sql`next_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "backlinks",
      oldest: "next_at",
      table: "backlink_sites"
    })

    /** Pages that are due, some of each host; the order of hosts differs after a round that was thrown away, so that dead ones do not come together again. */
    const due = Query.all({
      Request: Schema.Struct({
        failures: Schema.Int,
        hosts: Schema.Int,
        ofHost: Schema.Int,
        pages: Schema.Int,
        project: ProjectId
      }),
      Result: Due,
      execute: ({ failures, hosts, ofHost, pages, project }) => sql`
        WITH waiting AS MATERIALIZED (
          SELECT id, source_url, source_host, target_url, due_at, row_number() OVER (PARTITION BY source_host ORDER BY due_at, id) AS place
          FROM backlinks WHERE project_id = ${project} AND due_at <= clock_timestamp()
        ),
        chosen AS (
          SELECT source_host FROM waiting WHERE place = 1
          ORDER BY CASE WHEN ${failures} = 0 THEN due_at END, md5(source_host || ${String(failures)}) LIMIT ${hosts}
        )
        SELECT id, source_url AS url, source_host AS host, target_url AS target FROM waiting JOIN chosen USING (source_host)
        WHERE place <= ${ofHost} ORDER BY due_at, id LIMIT ${pages}`
    })

    const hold = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ProjectId }),
      execute: ({ id, lease }) => sql`SELECT id FROM backlink_sites WHERE id = ${id} AND lease = ${lease} FOR UPDATE`
    })

    const stored = Query.all({
      Request: Schema.Struct({ ids: Schema.Array(BacklinkId), project: ProjectId }),
      Result: Stored,
      execute: ({ ids, project }) => sql`
        SELECT id, source_domain AS domain, rel, (extract(epoch FROM last_live_at) * 1000)::float8 AS "lastLiveAt",
          (extract(epoch FROM gone_since) * 1000)::float8 AS "goneSince", (extract(epoch FROM lost_at) * 1000)::float8 AS "lostAt",
          is_high_backlink_authority(backlink_authority(project_id, source_domain, root_domain)) AS "isHigh"
        FROM backlinks WHERE project_id = ${project} AND id = ANY (${ids}::uuid[]) ORDER BY id FOR UPDATE`
    })

    /** Writes what looks found, and the changes. Rows are JSON; times are epoch milliseconds. */
    const write = Query.none({
      Request: Schema.Struct({ project: ProjectId, rows: Schema.String }),
      execute: ({ project, rows }) => sql`
        WITH given AS MATERIALIZED (
          SELECT * FROM json_to_recordset(${rows}::json) AS row (id uuid, state text, reason text, http_status int, target text, anchor text,
            previous_rel text[], rel text[], at float8, last_live_at float8, gone_since float8, lost_at float8, next_in float8, change text)
        ),
        written AS (
          UPDATE backlinks b SET state = g.state, reason = g.reason, http_status = g.http_status, checked_at = to_timestamp(g.at / 1000),
            target_url = coalesce(g.target, b.target_url), anchor_text = coalesce(g.anchor, b.anchor_text), rel = g.rel,
            last_live_at = to_timestamp(g.last_live_at / 1000), gone_since = to_timestamp(g.gone_since / 1000), lost_at = to_timestamp(g.lost_at / 1000),
            due_at = to_timestamp((g.at + g.next_in) / 1000)
          FROM given g WHERE b.id = g.id AND b.project_id = ${project} RETURNING b.id
        )
        INSERT INTO backlink_changes (project_id, backlink_id, kind, previous_rel, rel)
        SELECT ${project}, g.id, g.change, CASE WHEN g.change = 'rel_changed' THEN g.previous_rel END, CASE WHEN g.change = 'rel_changed' THEN g.rel END
        FROM given g JOIN written USING (id) WHERE g.change IS NOT NULL`
    })

    /** Those of the domains of which every link is lost that we had seen. */
    const lostDomains = Query.all({
      Request: Schema.Struct({ domains: Schema.Array(Schema.String), project: ProjectId }),
      Result: LostDomain,
      execute: ({ domains, project }) => sql`
        SELECT domain, iso(last_seen) AS "lastSeenAt", iso(gone) AS "missingSince", links, authority, is_high_backlink_authority(authority) AS "isHigh"
        FROM (
          SELECT source_domain AS domain, min(root_domain) AS root, max(last_live_at) AS last_seen, max(gone_since) AS gone,
            to_json((array_agg(json_build_object('source_url', source_url, 'state', state, 'confirmed_at', iso(lost_at)) ORDER BY lost_at DESC, id))[1:100]) AS links
          FROM backlinks WHERE project_id = ${project} AND source_domain = ANY (${domains}::text[]) AND last_live_at IS NOT NULL
          GROUP BY source_domain HAVING bool_and(lost_at IS NOT NULL)
        ) AS lost CROSS JOIN LATERAL backlink_authority(${project}, domain, root) AS authority ORDER BY domain`
    })

    /** Frees the site; the next round comes when its first page is due. In a statement of its own, which sees pages that were imported meanwhile. */
    const free = Query.none({
      Request: Schema.Struct({ ...Held.fields, failures: Schema.Int, wait: Schema.NullOr(Schema.Number) }),
      execute: ({ failures, id, lease, wait }) => sql`
        UPDATE backlink_sites SET ${Slots.over(sql)}, failures = ${failures}, next_at = CASE WHEN ${wait}::float8 IS NOT NULL
          THEN clock_timestamp() + ${wait}::float8 * interval '1 second'
          ELSE coalesce((SELECT min(due_at) FROM backlinks WHERE project_id = ${id}), clock_timestamp() + interval '30 days') END
        WHERE id = ${id} AND lease = ${lease}`
    })

    return {
      due,
      free,
      hold: (of: typeof Held.Type) => Effect.asVoid(held(hold(of))),
      lostDomains,
      queue,
      stored,
      write
    }
  })
}) {}
