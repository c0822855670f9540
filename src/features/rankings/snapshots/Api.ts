import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, exportableList, inPath, list, PageLinks, PageMeta, remove } from "../../../foundation/http/Contract.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { KeywordsRead, RankingsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Range, SnapshotId } from "../Domain.ts"
import { measured } from "../performance/Api.ts"
import { SnapshotKind } from "../RawRow.ts"

/** A table without dates: what a range of days adds up to by query, page, country or device. */
export const Snapshot = Schema.Struct({
  id: SnapshotId.annotations({ description: "UUID of the snapshot" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  range: Schema.NullOr(Range).annotations({
    description: "Days that the rows add up; null where neither the export nor the request named them"
  }),
  kind: field(SnapshotKind, "What the rows are about"),
  rows: Schema.NonNegativeInt.annotations({ description: "How many rows it has" }),
  created_at: field(Timestamp, "When it was imported")
}).annotations({
  identifier: "RankingSnapshot",
  description: "A table without dates: what a range of days adds up to. It is no part of the numbers by day"
})
export type Snapshot = typeof Snapshot.Type

/** What the days of a snapshot add up to for one query, page, country or device. */
export const SnapshotRow = Schema.Struct({
  key: Schema.String.annotations({ description: "The query, page path, country or device, as `kind` says" }),
  ...measured
}).annotations({
  identifier: "RankingSnapshotRow",
  description: "Search performance of one query, page, country or device over the days of a snapshot"
})
export type SnapshotRow = typeof SnapshotRow.Type

const all = "/projects/:project_id/rankings/snapshots" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSnapshot = Schema.Struct({ ...OfProject.fields, snapshot_id: inPath(SnapshotId) })

const RowsPage = Schema.Struct({
  data: Schema.Array(SnapshotRow).annotations({ description: "Rows of this page, in the order of the list" }),
  meta: field(
    Schema.Struct({ ...PageMeta.fields, snapshot: field(Snapshot, "What the rows are of") }).annotations({
      identifier: "RankingSnapshotPageMeta",
      description: "Where the page stands in its list, and what the rows are of"
    }),
    "Where the page stands in its list, and what the rows are of"
  ),
  links: field(PageLinks, "URLs of this page and the next")
})

/** Snapshots of search data. */
export class RankingSnapshotsApi extends HttpApiGroup.make("ranking-snapshots")
  .annotateContext(
    about(
      "Tables without dates, such as the queries and pages of an export of Search Console. A snapshot shows what its days add up to; rankings, totals by day and events never have a part of it."
    )
  )
  .add(
    list("list", all, {
      summary: "List snapshots",
      description: "The tables without dates that were imported, the newest first.",
      of: Snapshot,
      scope: KeywordsRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    exportableList("rows", `${all}/:snapshot_id`, {
      summary: "Read a snapshot",
      description:
        "The rows of a snapshot, those with the most clicks first, then by impressions and `key`. `meta.snapshot` says what they are of.",
      page: RowsPage,
      scope: KeywordsRead
    }).setPath(OfSnapshot)
  )
  .add(
    remove("remove", `${all}/:snapshot_id`, {
      summary: "Delete a snapshot",
      description:
        "Deletes a snapshot with its rows; data by day stay. While an import of the project is in progress, the answer is 409.",
      ids: OfSnapshot,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
