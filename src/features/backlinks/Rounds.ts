import * as SqlClient from "@effect/sql/SqlClient"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as FetcherOf from "../../crawl/fetch/Fetcher.ts"
import { type CrawlTiming, defaultTiming } from "../../crawl/fetch/Fetcher.ts"
import { CrawlerUrl, userAgent } from "../../crawl/fetch/Headers.ts"
import { held, worker } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { BacklinkId, Rel, State } from "./Domain.ts"
import * as Reader from "./Look.ts"
import { after, isOutage, type Look, look, PageReader, pace, robotsOf } from "./Look.ts"
import { publishLosses } from "./Losses.ts"
import * as Pace from "./Pace.ts"
import { LossAfter } from "./Settings.ts"

/** A due linking page. */
interface Due {
  readonly id: BacklinkId
  readonly host: string
  readonly target: string | null
  readonly url: string
}

/** The result of a check, with its time. */
interface Seen {
  readonly at: number
  readonly id: BacklinkId
  readonly look: Look
}

/**
 * The end of a round: the results of its checks, or an outage when most hosts did not answer, so that no result counts; `isOver`: the account's daily
 * allowance is used up.
 */
type End =
  | {
      readonly _tag: "Looked"
      readonly hosts: number
      readonly answered: number
      readonly isCut: boolean
      readonly isOver: boolean
      readonly seen: ReadonlyArray<Seen>
    }
  | { readonly _tag: "Outage" }

/** Concurrent hosts; each gets one request at a time. */
const hostsAtOnce = 8

/** Milliseconds after which a round sends no more requests; the other pages stay due. */
const longest = 15 * 60_000

/** Checks due pages of a site, host by host. */
export const run = Effect.fnUntraced(function* (
  site: { readonly account: AccountId; readonly host: string; readonly url: string },
  due: ReadonlyArray<Due>,
  timing: CrawlTiming = defaultTiming
) {
  const pace = yield* Pace.PaceRepo
  const reader = yield* PageReader
  const deadlineAt = (yield* Clock.currentTimeMillis) + longest
  const inner = yield* FetcherOf.make({
    deadlineAt,
    gap: pace.pause,
    perHost: 1,
    site: { headers: {}, start: new URL(site.url) },
    timing,
    userAgent: userAgent(yield* CrawlerUrl)
  })

  const { answered, isOver, pagesOf } = yield* Pace.make(site.account, inner, deadlineAt)

  /** Checks the pages of one host one by one. */
  const ofHost = ([host, pages]: readonly [string, ReadonlyArray<Due>]) =>
    Effect.gen(function* () {
      const { begin, fetcher } = pagesOf(host)
      const looking = {
        confirmAfter: timing.confirmAfter,
        fetcher,
        pageDeadline: timing.pageDeadline,
        read: reader.read,
        robots: robotsOf(fetcher, timing, reader),
        site: site.host
      }
      const seen = yield* Effect.forEach(pages, ({ id, target, url }) =>
        begin.pipe(
          Effect.zipRight(look(looking, url, target)),
          Effect.flatMap((look) =>
            Effect.map(Clock.currentTimeMillis, (at): ReadonlyArray<Seen> => [{ at, id, look }])
          ),
          Effect.orElseSucceed((): ReadonlyArray<Seen> => [])
        )
      )
      return seen.flat()
    })

  const hosts = Record.toEntries(Array.groupBy(due, ({ host }) => host))
  const seen = yield* Effect.forEach(hosts, ofHost, { concurrency: hostsAtOnce })
  yield* pace.sweep
  const asked = hosts.filter((_, at) => (seen[at] ?? []).length > 0).map(([host]) => host)
  const failed = asked.filter((host) => !answered.has(host)).length
  if (isOutage(asked.length, failed)) return { _tag: "Outage" } satisfies End
  return {
    _tag: "Looked",
    answered: asked.length - failed,
    hosts: asked.length,
    isCut: seen.flat().length < due.length,
    isOver: yield* isOver,
    seen: seen.flat()
  } satisfies End
})

const Held = LeaseQueue.Held(ProjectId)

/** A site with due pages. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  failures: Schema.Int,
  host: Schema.String,
  url: Schema.String
})
type Claim = typeof Claim.Type

const DueLinks = Schema.Struct({
  host: Schema.String,
  id: BacklinkId,
  target: Schema.NullOr(Schema.String),
  url: Schema.String
})
const Millis = Schema.NullOr(Schema.Number)

/** A link with the results of earlier checks. */
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

/** The queue of sites with due pages, and the results of rounds. */
export class RoundsRepo extends Effect.Service<RoundsRepo>()("backlinks/RoundsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`account_id AS account, failures, (SELECT host FROM projects p WHERE p.id = backlink_sites.id) AS host,
        (SELECT url FROM projects p WHERE p.id = backlink_sites.id) AS url`,
      due: sql`next_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "backlinks",
      oldest: "next_at",
      table: "backlink_sites"
    })

    /** Due pages, some of each host; a discarded round changes the order of hosts, so dead ones do not come together again. */
    const due = Query.all({
      Request: Schema.Struct({
        failures: Schema.Int,
        hosts: Schema.Int,
        ofHost: Schema.Int,
        pages: Schema.Int,
        project: ProjectId
      }),
      Result: DueLinks,
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

    /** Writes results of checks, and the changes. Rows are JSON; times are epoch milliseconds. */
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

    /** The domains that we had seen linking, with all links lost. */
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

    /** Unlocks the site; the next round starts when its first page is due. A separate statement, so it sees pages imported meanwhile. */
    const free = Query.none({
      Request: Schema.Struct({ ...Held.fields, failures: Schema.Int, wait: Schema.NullOr(Schema.Number) }),
      execute: ({ failures, id, lease, wait }) => sql`
        UPDATE backlink_sites SET ${LeaseQueue.over(sql)}, failures = ${failures}, next_at = CASE WHEN ${wait}::float8 IS NOT NULL
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

/** Concurrent rounds of a process, because rounds mostly wait. */
const atOnce = 4

/** Pages of a round: 20 pages of one host take three minutes. */
const most = { hosts: 50, ofHost: 20, pages: 200 }

/** Discarded rounds in a row after which rounds have too few hosts to detect an outage, so that dead hosts cannot block the others forever. */
const patience = 3
const few = { ...most, hosts: 4 }

/** Seconds until the retry of a discarded round. */
const later = 3600

/** Seconds until a round for pages without time in the last one. */
const soon = 60

type RoundEnd = End | { readonly _tag: "Broken" }

/** The worker with given request timing. */
export const layerWith = (timing: CrawlTiming) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const events = yield* Events
      const services = yield* Effect.context<Pace.AllowanceRepo | Pace.PaceRepo | Reader.PageReader>()
      const { allowance } = yield* Pace.AllowanceRepo
      const { due, free, hold, lostDomains, queue, stored, write } = yield* RoundsRepo
      const lossAfter = Duration.toMillis(yield* LossAfter)

      const work = Effect.fnUntraced(
        function* ({ account, failures, host, id, url }: Claim) {
          const pages = yield* due({ ...(failures >= patience ? few : most), failures, project: id })
          return yield* run({ account, host, url }, pages, timing)
        },
        Effect.provide(services),
        Effect.orDie
      )

      const keep = Effect.fnUntraced(function* ({ account, id: project }: Claim, seen: ReadonlyArray<Seen>) {
        const byId = new Map(seen.map((one) => [one.id, one]))
        const links = yield* stored({ ids: [...byId.keys()], project })
        const changed = links.flatMap((link) => {
          const found = byId.get(link.id)
          if (found === undefined) return []
          const { at, look } = found
          const { change, standing } = after(link, look, at, lossAfter)
          const row = {
            anchor: look.link?.anchor ?? null,
            at,
            change,
            gone_since: standing.goneSince,
            http_status: look.httpStatus,
            id: link.id,
            last_live_at: standing.lastLiveAt,
            lost_at: standing.lostAt,
            next_in: pace(standing, link.isHigh, at, lossAfter),
            previous_rel: link.rel,
            reason: look.reason,
            rel: standing.rel,
            state: look.state,
            target: look.link?.target ?? null
          }
          return [{ domain: link.domain, row }]
        })
        if (changed.length > 0) yield* write({ project, rows: JSON.stringify(changed.map(({ row }) => row)) })
        const domains = [...new Set(changed.flatMap(({ domain, row }) => (row.change === "lost" ? [domain] : [])))]
        if (domains.length === 0) return
        yield* Effect.provideService(
          publishLosses(account, project, yield* lostDomains({ domains, project })),
          Events,
          events
        )
      })

      const store = Effect.fnUntraced(function* (claim: Claim, end: RoundEnd) {
        const { failures, id, lease } = claim
        yield* hold({ id, lease })
        if (end._tag === "Broken") return yield* free({ failures, id, lease, wait: later })
        if (end._tag === "Outage") return yield* free({ failures: failures + 1, id, lease, wait: later })
        yield* keep(claim, end.seen)
        const isUp = end.answered === end.hosts || (failures < patience && end.hosts > 0)
        // If none of a few hosts answers, our own network may be down.
        const isDoubtful = end.answered === 0 && end.hosts > 0 && failures >= patience
        const tomorrow = end.isOver ? (yield* allowance(claim.account)).untilTomorrow : null
        const wait = tomorrow ?? (isDoubtful ? later : end.isCut ? soon : null)
        yield* free({ failures: isUp ? 0 : failures, id, lease, wait })
      })

      yield* worker({
        atOnce,
        broken: (): RoundEnd => ({ _tag: "Broken" }),
        lost: (): RoundEnd => ({ _tag: "Broken" }),
        called: "check of backlinks",
        name: "round of backlinks",
        outcome: ({ _tag }) => _tag,
        queue,
        store,
        work
      })
    })
  ).pipe(
    Layer.provide([Pace.AllowanceRepo.Default, Events.Default, Pace.PaceRepo.Default, Reader.layer, RoundsRepo.Default])
  )

/** Checks due linking pages until its scope ends. */
export const layer = layerWith(defaultTiming)
