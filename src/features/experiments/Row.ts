import * as Schema from "effect/Schema"
import { Experiment } from "./Domain.ts"
import { Assignment, FrozenPages, StoredDesign } from "./design/Design.ts"

/** What an experiment may lack is null in its row and absent in the resource. */
const nullable = { exact: true, nullable: true } as const

/** An experiment as its row has it. */
export const Row = Schema.Struct({
  ...Experiment.fields,
  assignment: Schema.optionalWith(Assignment, nullable),
  design: Schema.optionalWith(StoredDesign, nullable),
  pages: Schema.optionalWith(FrozenPages, nullable)
})

/** An arm in lists: how many pages it names in place of them, since there may be thousands. */
const counted = (arm: "control" | "treatment") =>
  `CASE WHEN design #> '{${arm},pages}' IS NULL THEN design -> '${arm}'
    ELSE json_build_object('page_count', json_array_length(design #> '{${arm},pages}')) END`

const short = `id, project_id, name, hypothesis, status, iso(created_at) AS created_at, iso(started_at) AS started_at,
  iso(completed_at) AS completed_at, analysis, assignment`

/** The columns of an experiment. */
export const columns = `${short}, design, pages`

/** Those of an experiment in a list: its design without paths. */
export const listedColumns = `${short}, CASE WHEN design IS NOT NULL THEN json_strip_nulls(json_build_object('site_id', design -> 'site_id',
  'metric', design -> 'metric', 'treatment', ${counted("treatment")}, 'control', ${counted("control")}, 'change_date', design -> 'change_date',
  'pre_days', design -> 'pre_days', 'settle_days', design -> 'settle_days', 'post_days', design -> 'post_days')) END AS design`
