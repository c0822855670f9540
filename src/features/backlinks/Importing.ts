import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Query from "../../foundation/database/Query.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import * as Time from "../../foundation/schema/Time.ts"

import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import { importing, QueueRepo } from "../files/Worker.ts"
import { ProjectId } from "../projects/Domain.ts"
import { OwnersRepo } from "../projects/Projects.ts"
import { type Rows, reader } from "./BacklinkFile.ts"
import { Format, type ImportError, lostAtMost, type Outcome, type Source } from "./Domain.ts"
import { publishLosses } from "./Losses.ts"
import { LossAfter } from "./Settings.ts"
import { NotUnpacked, unpacked } from "./Unpack.ts"

/** Maximum lost domains per statement. */
const lostAtOnce = 1000

const Part = Schema.Struct({
  project: ProjectId,
  rows: Schema.String,
  source: Schema.String,
  takenAt: Schema.DateTimeUtc
})
const List = Schema.Struct({ project: ProjectId, source: Schema.String, takenAt: Schema.DateTimeUtc })

/** Writes the parts of a file in the transaction of an import. */
export class RowsRepo extends Effect.Service<RowsRepo>()("backlinks/RowsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Adds the linking pages of a part: new ones are due immediately; known ones keep the results of our checks. */
    const addLinks = Query.one({
      Request: Part,
      Result: Schema.Struct({ made: Schema.Int }),
      execute: ({ project, rows, source, takenAt }) => sql`
        WITH given AS MATERIALIZED (
          SELECT DISTINCT ON (source_url) * FROM json_to_recordset(${rows}::json) AS row (source_url text, source_host text, source_domain text,
            root_domain text, target_url text, anchor_text text, rel text[]) ORDER BY source_url
        ),
        made AS (
          INSERT INTO backlinks (project_id, source_url, source_host, source_domain, root_domain, first_seen_at)
          SELECT ${project}, source_url, source_host, source_domain, root_domain, ${takenAt}::timestamptz FROM given
          ON CONFLICT (project_id, source_url) DO NOTHING RETURNING id, source_url
        ),
        changed AS (
          INSERT INTO backlink_changes (project_id, backlink_id, kind) SELECT ${project}, id, 'new' FROM made
        ),
        reported AS (
          INSERT INTO backlink_reports AS r (backlink_id, source, target_url, anchor_text, rel, first_reported_at, last_reported_at)
          SELECT coalesce(made.id, known.id), ${source}, given.target_url, nullif(given.anchor_text, ''), given.rel, ${takenAt}::timestamptz, ${takenAt}::timestamptz
          FROM given LEFT JOIN made USING (source_url) LEFT JOIN backlinks known ON known.project_id = ${project} AND known.source_url = given.source_url
          ON CONFLICT (backlink_id, source) DO UPDATE SET rel = excluded.rel,
            target_url = coalesce(excluded.target_url, r.target_url), anchor_text = coalesce(excluded.anchor_text, r.anchor_text),
            first_reported_at = least(r.first_reported_at, excluded.first_reported_at), last_reported_at = greatest(r.last_reported_at, excluded.last_reported_at)
        )
        SELECT count(*)::int AS made FROM made`
    })

    /** Adds the domains of a part. The highest of an import's numbers counts; a later import replaces earlier numbers. */
    const addDomains = Query.none({
      Request: Part,
      execute: ({ project, rows, source, takenAt }) => sql`
        INSERT INTO backlink_domains AS d (project_id, domain, source, root_domain, authority, authority_at, reported_links, first_listed_at, last_listed_at)
        SELECT ${project}, domain, ${source}, root_domain, authority, CASE WHEN authority IS NOT NULL THEN ${takenAt}::timestamptz END, reported_links,
          CASE WHEN is_listed THEN ${takenAt}::timestamptz END, CASE WHEN is_listed THEN ${takenAt}::timestamptz END
        FROM json_to_recordset(${rows}::json) AS row (domain text, root_domain text, authority float8, reported_links bigint, is_listed boolean)
        ON CONFLICT (project_id, domain, source) DO UPDATE SET
          authority = CASE WHEN d.authority_at = excluded.authority_at THEN greatest(d.authority, excluded.authority)
            WHEN d.authority_at > excluded.authority_at THEN d.authority ELSE coalesce(excluded.authority, d.authority) END,
          authority_at = greatest(d.authority_at, excluded.authority_at),
          reported_links = coalesce(excluded.reported_links, d.reported_links),
          first_listed_at = coalesce(d.first_listed_at, excluded.first_listed_at),
          last_listed_at = greatest(d.last_listed_at, excluded.last_listed_at),
          missing_since = CASE WHEN excluded.last_listed_at IS NULL THEN d.missing_since END,
          lost_at = CASE WHEN excluded.last_listed_at IS NULL THEN d.lost_at END`
    })

    const newestList = Query.first({
      Request: Schema.Struct({ project: ProjectId, source: Schema.String }),
      Result: Schema.Struct({ takenAt: Schema.DateTimeUtc }),
      execute: ({ project, source }) => sql`
        SELECT iso(taken_at) AS "takenAt" FROM backlink_lists WHERE project_id = ${project} AND source = ${source} ORDER BY taken_at DESC LIMIT 1`
    })

    /** A list proves absences unless it has less than half the domains of the previous list. */
    const addList = Query.none({
      Request: List,
      execute: ({ project, source, takenAt }) => sql`
        INSERT INTO backlink_lists (project_id, source, taken_at, domains, is_partial)
        SELECT ${project}, ${source}, ${takenAt}::timestamptz, now.domains, coalesce(2 * now.domains < before.domains, false)
        FROM (SELECT count(*)::int AS domains FROM backlink_domains
              WHERE project_id = ${project} AND source = ${source} AND last_listed_at = ${takenAt}::timestamptz) AS now
        LEFT JOIN LATERAL (SELECT domains FROM backlink_lists WHERE project_id = ${project} AND source = ${source} ORDER BY taken_at DESC LIMIT 1) AS before ON true`
    })

    /**
     * Marks domains as lost that are missing from two complete lists of one source, taken far enough apart; not domains with linking pages, which we check
     * ourselves, or in a later list of another source.
     */
    const loseDomains = Query.none({
      Request: Schema.Struct({ ...List.fields, apart: Schema.Number }),
      execute: ({ apart, project, source, takenAt }) => sql`
        UPDATE backlink_domains d SET lost_at = ${takenAt}::timestamptz, missing_since = absent.since
        FROM backlink_domains found CROSS JOIN LATERAL (
          SELECT min(taken_at) AS since, max(taken_at) AS until FROM backlink_lists l
          WHERE l.project_id = ${project} AND l.source = ${source} AND NOT l.is_partial AND l.taken_at > found.last_listed_at
        ) AS absent
        WHERE d.project_id = ${project} AND d.source = ${source} AND d.lost_at IS NULL AND d.last_listed_at < ${takenAt}::timestamptz
          AND found.project_id = d.project_id AND found.source = d.source AND found.domain = d.domain
          AND extract(epoch FROM absent.until - absent.since) >= ${apart}
          AND NOT EXISTS (SELECT FROM backlinks b WHERE b.project_id = ${project} AND b.source_domain = d.domain)
          AND NOT EXISTS (SELECT FROM backlinks b WHERE b.project_id = ${project} AND b.root_domain = d.domain)
          AND NOT EXISTS (SELECT FROM backlink_domains other WHERE other.project_id = ${project} AND other.domain = d.domain
            AND other.source <> ${source} AND other.last_listed_at >= absent.since)`
    })

    /** The next lost domains by name: a list may prove a million domains lost. */
    const lostDomains = Query.all({
      Request: Schema.Struct({ ...List.fields, after: Schema.String }),
      Result: Schema.Struct({
        authority: Schema.NullOr(Schema.Struct({ scale: Schema.String, source: Schema.String, value: Schema.Number })),
        domain: Schema.String,
        isHigh: Schema.Boolean,
        lastSeenAt: Time.Timestamp,
        missingSince: Time.Timestamp
      }),
      execute: ({ after, project, source, takenAt }) => sql`
        WITH lost AS MATERIALIZED (
          SELECT domain, root_domain, last_listed_at, missing_since FROM backlink_domains
          WHERE project_id = ${project} AND source = ${source} AND lost_at = ${takenAt}::timestamptz AND domain > ${after}
          ORDER BY domain LIMIT ${lostAtOnce}
        )
        SELECT domain, iso(last_listed_at) AS "lastSeenAt", iso(missing_since) AS "missingSince", authority, is_high_backlink_authority(authority) AS "isHigh"
        FROM lost CROSS JOIN LATERAL backlink_authority(${project}, domain, root_domain) AS authority ORDER BY domain`
    })

    /** Wakes a worker for the site's pages. */
    const wake = Query.none({
      Request: Schema.Struct({ account: AccountId, project: ProjectId }),
      execute: ({ account, project }) => sql`
        INSERT INTO backlink_sites AS s (id, account_id, next_at) VALUES (${project}, ${account}, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET next_at = least(s.next_at, excluded.next_at)`
    })

    const site = Query.one({
      Request: ProjectId,
      Result: Schema.Struct({ host: Schema.String }),
      execute: (project) => sql`SELECT host FROM projects WHERE id = ${project}`
    })

    return {
      addDomains,
      addLinks,
      addList,
      loseDomains,
      lostDomains,
      newestList,
      site,
      transaction: Query.transaction(sql),
      wake
    }
  })
}) {}

/** The file is invalid; nothing is stored. */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly line: number | null
  readonly reason: string
}> {
  override get message() {
    return this.line === null ? this.reason : `Line ${this.line}: ${this.reason}`
  }
}

const empty = new FileRefused({ line: null, reason: "the file has a header but no rows" })

/** A file to import, and the date of its content. */
interface Reading<E> {
  readonly bytes: Stream.Stream<Uint8Array, E>
  readonly format: Format
  readonly project: ProjectId
  readonly takenAt: DateTime.Utc
}

const dropped = ({ own_host, reported_lost, too_long }: Rows) => ({ own_host, reported_lost, too_long })

/** Imports backlink files, each completely or not at all. */
export class Importing extends Effect.Service<Importing>()("backlinks/Importing", {
  dependencies: [Events.Default, OwnersRepo.Default, RowsRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const repo = yield* RowsRepo
    const apart = Duration.toSeconds(yield* LossAfter)

    /** The parts of a file, one per slice of its bytes: the database works between slices, so the server stays responsive. */
    const parts = <E>({ bytes, format }: Reading<E>, host: string) =>
      Stream.suspend(() => {
        const file = reader(format, host)
        const read = (piece: Uint8Array, last: boolean) =>
          Effect.suspend(() => {
            const problem = file.push(piece, last)
            if (problem === undefined) return Effect.succeed(file.take())
            return new FileRefused({ line: problem.line === 0 ? null : problem.line, reason: problem.reason })
          })
        return unpacked(bytes).pipe(
          Stream.mapEffect((piece) => Effect.zipRight(Effect.sleep(0), read(piece, false))),
          Stream.concat(Stream.fromEffect(Effect.suspend(() => read(new Uint8Array(0), true)))),
          Stream.filterMap(Option.fromNullable)
        )
      }).pipe(
        Stream.mapError((error) =>
          error instanceof NotUnpacked ? new FileRefused({ line: null, reason: error.reason }) : error
        )
      )

    const newer = Effect.fnUntraced(function* (project: ProjectId, source: Source, takenAt: DateTime.Utc) {
      const newest = yield* repo.newestList({ project, source })
      if (Option.isNone(newest) || newest.value.takenAt.epochMillis < takenAt.epochMillis) return
      return yield* new Refused({
        message: `The latest list of ${source} is from ${Time.format(newest.value.takenAt)}. Import a list with a later date`
      })
    })

    /** Marks the domains that a list proves lost, and publishes them in batches; returns the first names. */
    const lose = Effect.fnUntraced(function* (
      account: AccountId,
      list: { readonly project: ProjectId; readonly source: Source; readonly takenAt: DateTime.Utc }
    ) {
      yield* repo.loseDomains({ ...list, apart })
      const first: Array<string> = []
      for (let after = "", isMore = true; isMore; ) {
        const lost = yield* repo.lostDomains({ ...list, after })
        const losses = lost.map((loss) => ({ ...loss, links: [] }))
        yield* Effect.provideService(publishLosses(account, list.project, losses), Events, events)
        if (first.length < lostAtMost) first.push(...lost.map(({ domain }) => domain))
        after = lost.at(-1)?.domain ?? ""
        isMore = lost.length === lostAtOnce
      }
      return first.slice(0, lostAtMost)
    })

    /** Imports a file and publishes the losses that it proves; `done` runs in the same transaction. */
    const run = Traced.fn("Importing.run")(function* <E, E2 = never>(
      reading: Reading<E>,
      done: (outcome: Outcome) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const { project, takenAt } = reading
      const account = yield* owners.hold(project)
      const { host } = yield* repo.site(project)
      let outcome: Outcome | undefined
      let isList = false
      yield* Stream.runForEach(parts(reading, host), (rows) =>
        Effect.gen(function* () {
          const { domains, links, of, read, source } = rows
          if (outcome === undefined && of === "domains") yield* newer(project, source, takenAt)
          isList = of === "domains"
          const part = { project, source, takenAt }
          const { made } =
            links.length === 0 ? { made: 0 } : yield* repo.addLinks({ ...part, rows: JSON.stringify(links) })
          if (domains.length > 0) yield* repo.addDomains({ ...part, rows: JSON.stringify(domains) })
          const { own_host, reported_lost, too_long } = dropped(rows)
          outcome = {
            source,
            rows: (outcome?.rows ?? 0) + read,
            links: (outcome?.links ?? 0) + links.length,
            domains: (outcome?.domains ?? 0) + (isList ? domains.length : 0),
            new: (outcome?.new ?? 0) + made,
            dropped: {
              own_host: (outcome?.dropped.own_host ?? 0) + own_host,
              reported_lost: (outcome?.dropped.reported_lost ?? 0) + reported_lost,
              too_long: (outcome?.dropped.too_long ?? 0) + too_long
            },
            lost: []
          }
        })
      )
      const brought: Outcome | undefined = outcome
      if (brought === undefined || brought.rows === 0) return yield* empty
      if (brought.dropped.own_host === brought.rows)
        return yield* new FileRefused({
          line: null,
          reason: `all ${brought.rows} rows are on the site's own host: these are internal links. Export the external links`
        })
      const list = { project, source: brought.source, takenAt }
      if (isList) yield* repo.addList(list)
      const whole = { ...brought, lost: isList ? yield* lose(account, list) : [] }
      yield* done(whole)
      if (brought.links > 0) yield* repo.wake({ account, project })
      return whole
    }, repo.transaction)

    return { run }
  })
}) {}

const failed = (code: ImportError["code"], message: string, line: number | null = null): ImportError => ({
  code,
  line,
  message
})

const working = Effect.gen(function* () {
  const { run } = yield* Importing

  yield* importing({
    failed,
    kind: "backlinks",
    name: "backlink import",
    run: ({ bytes, project, receivedAt, terms: { format } }, record) =>
      run({ bytes, format, project, takenAt: receivedAt }, record).pipe(
        Effect.map(Either.right),
        Effect.catchTags({
          FileRefused: ({ line, message }) => Effect.succeed(Either.left(failed("invalid_file", message, line))),
          Refused: ({ message }) => Effect.succeed(Either.left(failed("refused", message)))
        })
      ),
    Terms: Schema.Struct({ format: Format })
  })
})

/** Imports callers' backlink files until its scope ends. */
export const layer = Layer.scopedDiscard(working).pipe(Layer.provide([Importing.Default, QueueRepo.Default]))
