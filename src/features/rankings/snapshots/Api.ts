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

/** A table without dates: sums over a range of days by query, page, country or device. */
export const Snapshot = Schema.Struct({
  id: SnapshotId.annotations({ description: "UUID of the snapshot" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  range: Schema.NullOr(Range).annotations({
    description: "Days that the rows cover; null when neither the export nor the request named them"
  }),
  kind: field(SnapshotKind, "What the rows list: queries, pages, countries or devices"),
  rows: Schema.NonNegativeInt.annotations({ description: "Number of rows" }),
  created_at: field(Timestamp, "When it was imported")
}).annotations({
  identifier: "RankingSnapshot",
  description: "A table without dates: totals for a range of days. Daily numbers never include it"
})
export type Snapshot = typeof Snapshot.Type

/** The sums of a snapshot for one query, page, country or device. */
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
  data: Schema.Array(SnapshotRow).annotations({ description: "Rows of this page, in list order" }),
  meta: field(
    Schema.Struct({
      ...PageMeta.fields,
      snapshot: field(Snapshot, "The snapshot that the rows belong to")
    }).annotations({
      identifier: "RankingSnapshotPageMeta",
      description: "Position of this page in the list, and the snapshot of the rows"
    }),
    "Position of this page in the list, and the snapshot of the rows"
  ),
  links: field(PageLinks, "URLs of this page and the next one")
})

/** Snapshots of search data. */
export class RankingSnapshotsApi extends HttpApiGroup.make("ranking-snapshots")
  .annotateContext(
    about(
      "Tables without dates, such as Queries.csv and Pages.csv of a Search Console export. A snapshot shows totals for its days; rankings, daily totals and events never include it."
    )
  )
  .add(
    list("list", all, {
      summary: "List snapshots",
      description: "Imported tables without dates, latest first.",
      of: Snapshot,
      scope: KeywordsRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    exportableList("rows", `${all}/:snapshot_id`, {
      summary: "Get a snapshot",
      description:
        "The rows of a snapshot, sorted by clicks, highest first, then impressions and `key`. `meta.snapshot` describes the snapshot.",
      page: RowsPage,
      scope: KeywordsRead
    }).setPath(OfSnapshot)
  )
  .add(
    remove("remove", `${all}/:snapshot_id`, {
      summary: "Delete a snapshot",
      description:
        "Deletes a snapshot with its rows. Daily data stay. Returns 409 while an import of the site is in progress.",
      ids: OfSnapshot,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
