import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { copyIn } from "../../../foundation/database/Copy.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import * as CopyText from "../decode/CopyText.ts"
import type { Load } from "./Loads.ts"

const copyRows = `COPY ranking_staging (${CopyText.columns.join(", ")}) FROM STDIN`
const copyVariants = "COPY ranking_staged_variants (number, address, country, device, appearance) FROM STDIN"

/** Rows as they arrive, in tables that only the import's transaction sees and that end with it. */
export class StagingRepo extends Effect.Service<StagingRepo>()("rankings/import/StagingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The key of a pair is made while rows arrive, when the server has time: decoding is the slower part. */
    const open = (site: ProjectId) =>
      Effect.orDie(
        Effect.zipRight(
          sql`CREATE TEMPORARY TABLE ranking_staging (
            part integer, line integer, day date, query text, page text, folded text, variant integer, impressions bigint, clicks bigint, sum_top numeric,
            key uuid GENERATED ALWAYS AS (md5(${sql.literal(`'${site}'`)} || chr(31) || query || chr(31) || page)::uuid) STORED
          ) ON COMMIT DROP`,
          sql`CREATE TEMPORARY TABLE ranking_staged_variants (
            number integer, address text, country text, device text, appearance text,
            key uuid GENERATED ALWAYS AS (md5(address || chr(31) || coalesce(country, chr(30)) || chr(31) || coalesce(device, chr(30)) ||
              chr(31) || coalesce(appearance, chr(30)))::uuid) STORED
          ) ON COMMIT DROP`
        )
      )

    const copied = (statement: string, lines: string | Uint8Array) =>
      lines.length === 0 ? Effect.void : Effect.orDie(copyIn(statement, lines))

    const add = ({ rows, variants }: Load) => Effect.zipRight(copied(copyVariants, variants), copied(copyRows, rows))

    return { add, open }
  })
}) {}
