import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Call, defaulting, fittedPage, optional, reading, tool, whole, written } from "../Tool.ts"
import { cursor } from "./Sites.ts"

/** The most experiments of one response, and pages of an arm in it. */
const [page, pages] = [20, 20]

type Experiment = Effect.Effect.Success<ReturnType<Call["client"]["experiments"]["get"]>>["data"]

const shortArm = (arm: unknown) => {
  if (typeof arm !== "object" || arm === null || !("pages" in arm) || !Array.isArray(arm.pages)) return arm
  return arm.pages.length <= pages
    ? arm
    : { pages: arm.pages.slice(0, pages), left_out: `${arm.pages.length - pages} pages` }
}

/** An experiment without the long lists of its pages. */
const entire = (experiment: Experiment) => ({
  ...experiment,
  ...("design" in experiment && {
    design: {
      ...experiment.design,
      control: shortArm(experiment.design?.control),
      treatment: shortArm(experiment.design?.treatment)
    }
  })
})

const row = ({ analysis, completed_at, id, name, started_at, status }: Experiment) => ({
  id,
  name,
  status,
  started_at,
  completed_at,
  result:
    analysis === null
      ? null
      : {
          lift_percent: analysis.liftPercentage,
          p_value: analysis.pValue,
          is_significant: analysis.isSignificant,
          method: analysis.method
        }
})

export const listExperiments = tool(
  {
    annotations: reading,
    description: "Lists experiments with status and result; of one, everything.",
    name: "list_experiments",
    title: "List experiments"
  },
  Schema.Struct({
    cursor,
    experiment: optional(Schema.String, "Id of one"),
    status: optional(Schema.Literal("draft", "running", "completed"))
  }),
  ({ experiment, ...filters }, call) =>
    experiment === undefined
      ? fittedPage(page, (rows) =>
          Effect.map(call.client.experiments.list({ query: { ...filters, limit: rows } }), ({ data, meta }) => ({
            total: null,
            next_cursor: meta.next_cursor ?? null,
            rows: data.map(row)
          }))
        )
      : Effect.flatMap(call.client.experiments.get({ path: { id: experiment } }), ({ data }) => written(entire(data)))
)

const count = whole(0)

const Arm = Schema.Struct({
  preImpressions: count,
  postImpressions: count,
  preConversions: count,
  postConversions: count
}).annotations({ description: "Counts of one arm, before (pre) and after (post)", identifier: "arm" })

export const evaluateExperiment = tool(
  {
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    description:
      "Evaluates a running experiment and completes it, which cannot be undone: by both arms' counts, or from stored data where it was designed (no counts). Needs the scope experiments:write.",
    name: "evaluate_experiment",
    title: "Evaluate an experiment"
  },
  Schema.Struct({
    confirm: defaulting(Schema.Boolean, false, "false checks the counts and changes nothing"),
    control: optional(Arm),
    experiment: Schema.String.annotations({ description: "Id" }),
    treatment: optional(Arm)
  }),
  ({ confirm, control, experiment, treatment }, call) =>
    Effect.flatMap(
      call.client.experiments.evaluate({
        body: {
          ...(control !== undefined && { controlMetrics: control }),
          ...(treatment !== undefined && { treatmentMetrics: treatment })
        },
        path: { id: experiment },
        ...(confirm ? {} : { query: { dry_run: "true" } })
      }),
      ({ data }) =>
        written({
          experiment,
          confirmed: confirm,
          status: data.experiment.status,
          analysis: data.analysis,
          next: confirm ? undefined : "Nothing was changed. Call again with confirm true to complete the experiment."
        })
    )
)
