import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Experiment, ExperimentId, ExperimentPatch, ExperimentStatus, NewExperiment } from "./Domain.ts"
import { Assignment, FrozenPages, StoredDesign } from "./design/Design.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
import { Analysis } from "./statistics/Analysis.ts"
import { DesignedAnalysis } from "./statistics/design/DesignedAnalysis.ts"

/** Optional fields are null in the row and absent in the resource. */
const nullable = { exact: true, nullable: true } as const

/** An experiment's row. */
export const Row = Schema.Struct({
  ...Experiment.fields,
  assignment: Schema.optionalWith(Assignment, nullable),
  design: Schema.optionalWith(StoredDesign, nullable),
  pages: Schema.optionalWith(FrozenPages, nullable),
  warnings: Schema.optionalWith(Schema.Array(Schema.String), nullable)
})

/** An arm in lists: its number of pages in place of up to thousands of paths. */
const counted = (arm: "control" | "treatment") =>
  `CASE WHEN design #> '{${arm},pages}' IS NULL THEN design -> '${arm}'
    ELSE json_build_object('page_count', json_array_length(design #> '{${arm},pages}')) END`

const short = `id, project_id, name, hypothesis, status, iso(created_at) AS created_at, iso(started_at) AS started_at,
  iso(completed_at) AS completed_at, analysis, assignment, warnings`

/** The columns of an experiment. */
export const experimentColumns = `${short}, design, pages`

/** The columns of an experiment in a list: its design without paths. */
const listedColumns = `${short}, CASE WHEN design IS NOT NULL THEN json_strip_nulls(json_build_object('site_id', design -> 'site_id',
  'metric', design -> 'metric', 'treatment', ${counted("treatment")}, 'control', ${counted("control")}, 'change_date', design -> 'change_date',
  'pre_days', design -> 'pre_days', 'settle_days', design -> 'settle_days', 'post_days', design -> 'post_days')) END AS design`

const OfAccount = Schema.Struct({ account: AccountId, id: ExperimentId })

const Listed = Schema.Struct({
  account: AccountId,
  domain: Schema.UndefinedOr(Schema.String),
  project: Schema.UndefinedOr(GrowthProjectId),
  status: Schema.UndefinedOr(ExperimentStatus)
})

export class ExperimentsRepo extends Effect.Service<ExperimentsRepo>()("experiments/ExperimentsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(experimentColumns)

    const list = Query.newestFirst(sql, {
      Request: Listed,
      Result: Row.omit("pages"),
      table: "e",
      rows: ({ account, domain, project, status }) => sql`
          SELECT ${sql.literal(listedColumns)} FROM experiments e
          WHERE account_id = ${account}
            AND ${project === undefined ? sql`true` : sql`project_id = ${project}`}
            AND ${status === undefined ? sql`true` : sql`status = ${status}`}
            AND ${domain === undefined ? sql`true` : sql`project_id IN (SELECT g.id FROM growth_projects g WHERE g.account_id = ${account} AND g.domain = ${domain})`}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: Row,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM experiments WHERE id = ${id} AND account_id = ${account}`
    })

    const owner = Query.first({
      Request: ExperimentId,
      Result: Schema.Struct({ account: AccountId }),
      execute: (id) => sql`SELECT account_id AS account FROM experiments WHERE id = ${id}`
    })

    /** No row when the growth project is not the account's. */
    const insert = Query.first({
      Request: Schema.Struct({ account: AccountId, experiment: Schema.typeSchema(NewExperiment.omit("design")) }),
      Result: Row,
      execute: ({ account, experiment: { hypothesis, name, project_id, status } }) => sql`
        INSERT INTO experiments (account_id, project_id, name, hypothesis, status, created_at, started_at)
        SELECT account_id, id, ${name}, ${hypothesis}, ${status}, at, ${status === "running" ? sql`at` : sql`NULL`}
        FROM growth_projects, (SELECT clock_timestamp() AS at) AS now
        WHERE id = ${project_id} AND account_id = ${account} RETURNING ${columns}`
    })

    /** No row when the experiment is not a draft. */
    const start = Query.first({
      Request: OfAccount,
      Result: Row,
      execute: ({ account, id }) => sql`
        UPDATE experiments SET status = 'running', started_at = clock_timestamp()
        WHERE id = ${id} AND account_id = ${account} AND status = 'draft' RETURNING ${columns}`
    })

    /** The row lock lets one of several concurrent statements see `running`; the others return no row. */
    const complete = Query.first({
      Request: Schema.Struct({
        ...OfAccount.fields,
        analysis: Schema.parseJson(Schema.Union(DesignedAnalysis, Analysis)),
        /** Counts as JSON: encoding them by their schema would take as long as reading them, and the driver copies bytes faster than text. */
        metrics: Schema.Uint8ArrayFromSelf
      }),
      Result: Row,
      execute: ({ account, analysis, id, metrics }) => sql`
        UPDATE experiments SET status = 'completed', completed_at = clock_timestamp(),
          metrics = ${metrics}::json, analysis = ${analysis}::json
        WHERE id = ${id} AND account_id = ${account} AND status = 'running' RETURNING ${columns}`
    })

    /** No row when the experiment is not a draft. */
    const change = Query.first({
      Request: Schema.Struct({ ...OfAccount.fields, patch: ExperimentPatch.omit("design") }),
      Result: Row,
      execute: ({ account, id, patch: { hypothesis, name } }) => sql`
        UPDATE experiments SET name = coalesce(${name ?? null}, name),
          hypothesis = ${hypothesis === undefined ? sql`hypothesis` : sql`${hypothesis}`}
        WHERE id = ${id} AND account_id = ${account} AND status = 'draft' RETURNING ${columns}`
    })

    /** No row when the experiment runs. */
    const remove = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ id: ExperimentId }),
      execute: ({ account, id }) =>
        sql`DELETE FROM experiments WHERE id = ${id} AND account_id = ${account} AND status <> 'running' RETURNING id`
    })

    return { change, complete, find, insert, list, owner, remove, start, transaction: Query.transaction(sql) }
  })
}) {}
