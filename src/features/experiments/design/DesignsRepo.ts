import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { ExperimentId, ExperimentStatus } from "../Domain.ts"
import { columns, Row } from "../Row.ts"
import { Assignment, FrozenPages, StoredDesign } from "./Design.ts"

const OfAccount = { account: AccountId, id: ExperimentId }

/** An experiment's design, with the texts by which a write finds that nothing has changed since. */
export const DesignRow = Schema.Struct({
  id: ExperimentId,
  status: ExperimentStatus,
  domain: Schema.String,
  design: Schema.NullOr(StoredDesign),
  assignment: Schema.NullOr(Assignment),
  pages: Schema.NullOr(FrozenPages),
  design_text: Schema.NullOr(Schema.String),
  assignment_text: Schema.NullOr(Schema.String)
})
export type DesignRow = typeof DesignRow.Type

/** The texts that a write expects. */
const Before = { assignment_text: Schema.NullOr(Schema.String), design_text: Schema.NullOr(Schema.String) }

const Json = Schema.parseJson(StoredDesign)

/** The designs of experiments. Of concurrent writes one finds what it expects; the others return none. */
export class DesignsRepo extends Effect.Service<DesignsRepo>()("experiments/design/DesignsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const of = sql.literal(columns)

    const find = Query.first({
      Request: Schema.Struct(OfAccount),
      Result: DesignRow,
      execute: ({ account, id }) => sql`
        SELECT e.id, e.status, g.domain, e.design, e.assignment, e.pages, e.design::text AS design_text, e.assignment::text AS assignment_text
        FROM experiments e JOIN growth_projects g ON g.id = e.project_id WHERE e.id = ${id} AND e.account_id = ${account}`
    })

    /** Whether an experiment has a design; none when it is not the account's. */
    const isDesigned = Query.first({
      Request: Schema.Struct(OfAccount),
      Result: Schema.Struct({ designed: Schema.Boolean }),
      execute: ({ account, id }) =>
        sql`SELECT design IS NOT NULL AS designed FROM experiments WHERE id = ${id} AND account_id = ${account}`
    })

    const unchanged = ({ assignment_text, design_text }: Schema.Struct.Encoded<typeof Before>) => sql`
      status = 'draft' AND design::text IS NOT DISTINCT FROM ${design_text}::text
        AND assignment::text IS NOT DISTINCT FROM ${assignment_text}::text`

    /** Gives a draft another design, or none. An assignment stays only where `keeps` says so. */
    const write = Query.first({
      Request: Schema.Struct({ ...OfAccount, ...Before, design: Schema.NullOr(Json), keeps: Schema.Boolean }),
      Result: Row,
      execute: ({ account, design, id, keeps, ...before }) => sql`
        UPDATE experiments SET design = ${design}::json, assignment = ${keeps ? sql`assignment` : sql`NULL`}
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Gives a draft the arms that the service made. */
    const assign = Query.first({
      Request: Schema.Struct({ ...OfAccount, ...Before, design: Json, draws: Schema.Int, seed: Schema.String }),
      Result: Row,
      execute: ({ account, design, draws, id, seed, ...before }) => sql`
        UPDATE experiments SET design = ${design}::json,
          assignment = json_build_object('seed', ${seed}::text, 'draws', ${draws}::integer, 'assigned_at', iso(clock_timestamp()))
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Starts a draft with the pages of its arms. */
    const freeze = Query.first({
      Request: Schema.Struct({ ...OfAccount, ...Before, design: Json, pages: Schema.parseJson(FrozenPages) }),
      Result: Row,
      execute: ({ account, design, id, pages, ...before }) => sql`
        UPDATE experiments SET status = 'running', started_at = clock_timestamp(), design = ${design}::json, pages = ${pages}::json
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Treated pages of other started experiments of the site whose days, from the first before the change to the last after it, meet these. */
    const treatedElsewhere = Query.all({
      Request: Schema.Struct({ ...OfAccount, first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ account, first, id, last, site }) => sql`
        SELECT json_array_elements_text(pages -> 'treatment') AS path FROM experiments
        WHERE site_id = ${site} AND account_id = ${account} AND id <> ${id} AND status <> 'draft'
          AND (design ->> 'change_date')::date - (design ->> 'pre_days')::integer <= ${last}::date
          AND (design ->> 'change_date')::date + (design ->> 'settle_days')::integer + (design ->> 'post_days')::integer > ${first}::date`
    })

    return { assign, find, freeze, isDesigned, treatedElsewhere, write }
  })
}) {}
