import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { answerList } from "../../accounts/Exports.ts"
import { type Batch, byCreation, forCaller, listPage, whole } from "../../accounts/Handlers.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { SnapshotId } from "../Domain.ts"
import { ImportsRepo } from "../import/Log.ts"
import { noneDropped } from "../RawRow.ts"
import { SitesRepo } from "../Site.ts"
import { RankingSnapshotsApi, Snapshot, SnapshotRow } from "./Api.ts"

/** A row with its place in the list. */
const Placed = Schema.Struct({ ...SnapshotRow.fields, place: Schema.Int })

/** Stored snapshots. */
export class SnapshotsRepo extends Effect.Service<SnapshotsRepo>()("rankings/snapshots/SnapshotsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`id, project_id, CASE WHEN first_day IS NOT NULL THEN json_build_object('start', first_day, 'end', last_day) END AS range,
      kind, rows, iso(created_at) AS created_at`
    const Of = { id: SnapshotId, project: OwnedId(ProjectId) }

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: Snapshot,
      table: "s",
      rows: ({ project }) => sql`SELECT ${columns} FROM ranking_range_snapshots s WHERE project_id = ${project}`
    })

    const find = Query.first({
      Request: Schema.Struct(Of),
      Result: Snapshot,
      execute: ({ id, project }) =>
        sql`SELECT ${columns} FROM ranking_range_snapshots WHERE project_id = ${project} AND id = ${id}`
    })

    /** `count` rows after a place, in their order. */
    const rows = Query.all({
      Request: Schema.Struct({ ...Of, after: Schema.Int, count: Schema.Int }),
      Result: Placed,
      execute: ({ after, count, id, project }) =>
        Query.limit(
          sql,
          count,
          sql`SELECT r.place, r.key, r.impressions::float8 AS impressions, r.clicks::float8 AS clicks,
              r.clicks::float8 / r.impressions::float8 AS ctr, ranking_ratio(r.sum_top, r.impressions) AS position
            FROM ranking_range_snapshots s JOIN ranking_range_rows r ON r.snapshot_id = s.id
            WHERE s.project_id = ${project} AND s.id = ${id} AND r.place > ${after} ORDER BY r.place`
        )
    })

    const remove = Query.first({
      Request: Schema.Struct(Of),
      Result: Schema.Struct({ rows: Schema.Int }),
      execute: ({ id, project }) =>
        sql`DELETE FROM ranking_range_snapshots WHERE project_id = ${project} AND id = ${id} RETURNING rows`
    })

    return { find, list, remove, rows }
  })
}) {}

const missing = NotFound.of("snapshot")
const busy = new Conflict({
  message: "An import of the site is in progress. Try again when it is finished"
})

/** Snapshots of an account's projects. */
export class Snapshots extends Effect.Service<Snapshots>()("rankings/snapshots/Snapshots", {
  dependencies: [ImportsRepo.Default, Projects.Default, SitesRepo.Default, SnapshotsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const projects = yield* Projects
    const repo = yield* SnapshotsRepo
    const sites = yield* SitesRepo

    const list = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, id) })
    })

    const rows = Traced.fn("Snapshots.rows")(function* (
      account: AccountId,
      projectId: ProjectId,
      id: SnapshotId,
      { after, count }: Batch
    ) {
      const project = yield* projects.own(account, projectId)
      const snapshot = yield* Effect.mapError(Effect.flatten(repo.find({ id, project })), () => missing)
      return { rows: yield* repo.rows({ after: Number(after?.[0] ?? 0), count, id, project }), snapshot }
    })

    /** The log records the removal, so the same file can be imported again. */
    const remove = Traced.fn("Snapshots.remove")(function* (account: AccountId, projectId: ProjectId, id: SnapshotId) {
      const project = yield* projects.own(account, projectId)
      yield* Effect.mapError(Effect.flatten(repo.find({ id, project })), () => missing)
      yield* Effect.gen(function* () {
        yield* Effect.mapError(Effect.flatten(sites.tryLock({ site: projectId })), () => busy)
        const gone = Option.getOrUndefined(yield* repo.remove({ id, project }))
        if (gone === undefined) return yield* missing
        yield* imports.record({
          changed: gone.rows,
          dropped: noneDropped,
          first_day: null,
          hash: null,
          incomplete_days: [],
          last_day: null,
          rows: 0,
          site: projectId,
          source: "drop-snapshot"
        })
      }).pipe(Query.transaction(sql))
    })

    return { list, remove, rows }
  })
}) {}

export const layer = HttpApiBuilder.group(apiRoot.add(RankingSnapshotsApi), "ranking-snapshots", (handlers) =>
  Effect.gen(function* () {
    const snapshots = yield* Snapshots
    return handlers
      .handle("list", ({ path: { project_id }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["ranking-snapshots", project_id] },
          (account, batch) => snapshots.list(account, project_id, batch),
          byCreation
        )
      )
      .handle("rows", ({ path: { project_id, snapshot_id }, urlParams: { cursor, limit } }) =>
        Effect.gen(function* () {
          const beside = yield* Ref.make(Option.none<Snapshot>())
          return yield* answerList(
            {
              read: (account, batch) =>
                Effect.flatMap(snapshots.rows(account, project_id, snapshot_id, batch), ({ rows, snapshot }) =>
                  Effect.as(Ref.set(beside, Option.some(snapshot)), rows)
                ),
              columns: Object.keys(SnapshotRow.fields),
              json: ({ place: _, ...row }) => JSON.stringify(row),
              position: ({ place }) => [String(place)],
              query: { cursor, limit, of: ["ranking-snapshot", project_id, snapshot_id] }
            },
            ({ data, links, meta }) =>
              Effect.map(Ref.get(beside), (snapshot) => ({
                data: data.map(({ place: _, ...row }) => row),
                links,
                meta: { ...meta, snapshot: Option.getOrThrow(snapshot) }
              }))
          )
        })
      )
      .handle(
        "remove",
        ({ path: { project_id, snapshot_id } }) =>
          forCaller((account) => snapshots.remove(account, project_id, snapshot_id)),
        whole
      )
  })
).pipe(Layer.provide(Snapshots.Default))
