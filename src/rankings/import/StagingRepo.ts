import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { ProjectId } from "../../projects/Domain.ts"
import * as CopyText from "../decode/CopyText.ts"
import type { RawRow } from "../RawRow.ts"
import { copyIn } from "./CopyIn.ts"

const copy = `COPY ranking_staging (${CopyText.columns.join(", ")}) FROM STDIN`

/** Rows as they arrive, in a table that only the import's transaction sees and that ends with it. */
export class StagingRepo extends Effect.Service<StagingRepo>()("rankings/import/StagingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The key is made while rows arrive, when the server has time: decoding is the slower part. */
    const open = (site: ProjectId) =>
      Effect.orDie(sql`
        CREATE TEMPORARY TABLE ranking_staging (
          part integer, day date, query text, page text, folded text, variant bigint, impressions bigint, clicks bigint, sum_top numeric,
          key uuid GENERATED ALWAYS AS (md5(${sql.literal(`'${site}'`)} || chr(31) || query || chr(31) || page)::uuid) STORED
        ) ON COMMIT DROP`)

    const add = (part: number, rows: ReadonlyArray<RawRow>) =>
      rows.length === 0 ? Effect.void : Effect.orDie(copyIn(copy, CopyText.lines(part, rows)))

    return { add, open }
  })
}) {}
