import { useSignal } from "@preact/signals"
import type { Analysis, Experiment, ExperimentDay, Preview } from "../api/Contract.ts"
import { useAll, useRead } from "../api/Read.ts"
import { Interval, Line } from "../chart/Charts.tsx"
import { Download } from "../parts/Acts.tsx"
import { count, dayAt, daysFrom, none, share, timeOf } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Empty, Loaded } from "../parts/Status.tsx"
import { Facts, Table } from "../parts/Tables.tsx"
import {
  indexed,
  methods,
  metrics,
  probability,
  sentenceOf,
  shownBy,
  signedPercent,
  signedPoints
} from "./EffectWords.ts"

/** Counts of test and control pages, as sent. */
const Counts = ({
  counts
}: Extract<Analysis, { readonly method?: "binomial" | "page_clustered" | "page_permutation" }>) =>
  counts === undefined ? null : (
    <Table
      caption="Conversions and impressions of test and control pages"
      keyOf={({ arm }) => arm}
      rows={[
        { arm: "Test pages", of: counts.treatment },
        { arm: "Control pages", of: counts.control }
      ]}
      columns={[
        { cell: ({ arm }) => arm, name: "Group" },
        {
          cell: ({ of }) => `${count(of.preConversions)} of ${count(of.preImpressions)}`,
          kind: "number",
          name: "Before"
        },
        {
          cell: ({ of }) => `${count(of.postConversions)} of ${count(of.postImpressions)}`,
          kind: "number",
          name: "After"
        }
      ]}
    />
  )

/** An effect in a sentence and a chart, with its limitations. */
export const Effect = ({ of: analysis }: { readonly of: Analysis }) => {
  const { didEstimator, liftPercentage, method, pValue, warnings } = analysis
  return (
    <>
      <p class={`verdict ${shownBy(analysis)}`}>
        <strong>{sentenceOf(analysis)}</strong>
      </p>
      {"lift_interval" in analysis ? (
        <Interval
          title="Effect with its interval"
          format={signedPercent}
          low={analysis.lift_interval[0]}
          value={liftPercentage}
          high={analysis.lift_interval[1]}
        />
      ) : (
        <Interval
          title="Effect on the conversion rate with its interval"
          format={signedPoints}
          low={analysis.confidenceInterval[0]}
          value={didEstimator}
          high={analysis.confidenceInterval[1]}
        />
      )}
      <Facts
        of={[
          ["Effect", signedPercent(liftPercentage)],
          ["p-value", probability(pValue)],
          ["Uncertainty from", method === undefined ? none : methods[method]],
          ...("windows" in analysis
            ? ([
                ["Pages", `${count(analysis.pages.treatment)} test, ${count(analysis.pages.control)} control`],
                ["Baseline", daysFrom(...analysis.windows.pre)],
                ["Measurement", daysFrom(...analysis.windows.post)]
              ] as const)
            : [])
        ]}
      />
      {"counts" in analysis && <Counts {...analysis} />}
      {"secondary" in analysis &&
        analysis.secondary.map(({ lift_interval, liftPercentage, metric, pValue }) => (
          <p key={metric}>
            Secondary metric, {metrics[metric]}: {signedPercent(liftPercentage)} (95% interval{" "}
            {lift_interval.map(signedPercent).join(" to ")}), p-value {probability(pValue)}
          </p>
        ))}
      {warnings.length > 0 && (
        <>
          <h2>Limitations ({warnings.length})</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** The interim result of a running experiment. */
export const Interim = ({ id }: { readonly id: string }) => {
  const look = useRead<Preview>(`/experiments/${id}/preview`)
  return (
    <>
      <h2>Interim result</h2>
      {look.failure?.code === "not_over" ? (
        <Empty title="No interim result yet">{look.failure.message}</Empty>
      ) : (
        <Loaded read={look}>{(preview) => <Effect of={preview} />}</Loaded>
      )}
    </>
  )
}

const groups = [
  ["treatment", "Test pages"],
  ["control", "Control pages"]
] as const

type Metric = NonNullable<Experiment["design"]>["metric"]

const valueOf = (group: "control" | "treatment", metric: Metric, day: ExperimentDay) =>
  group === "treatment"
    ? metric === "clicks"
      ? day.treatment_clicks
      : day.treatment_ctr
    : metric === "clicks"
      ? day.control_clicks
      : day.control_ctr

const inWhole = (value: number | null) => count(value === null ? null : Math.round(value))

/** The days of both groups on one scale, with the change marked. */
export const Series = ({ of: { design, id, name } }: { readonly of: Experiment }) => {
  const days = useAll<ExperimentDay>(`/experiments/${id}/series`)
  const scale = useSignal("index")
  if (design === undefined) return null
  const { metric } = design
  const title = metric === "clicks" ? "Clicks by day" : "Click-through rate by day"
  const isIndex = scale.value === "index"
  const format = isIndex ? inWhole : metric === "clicks" ? count : share
  return (
    <>
      <h2>{title}</h2>
      <Loaded read={days}>
        {(all) => {
          const change = all.find(({ period }) => period !== "pre")
          const counted = all.find(({ period }) => period === "post")
          const marks = [
            ...(change === undefined ? [] : [{ at: timeOf(change.date), name: "Change" }]),
            ...(counted === undefined || counted === change
              ? []
              : [{ at: timeOf(counted.date), name: "Measurement starts" }])
          ]
          return all.length === 0 ? (
            <p class="quiet">No day of the periods has data yet.</p>
          ) : (
            <>
              <div class="actions">
                <Choice
                  label="Scale"
                  chosen={scale.value}
                  options={[
                    { text: "Baseline = 100", value: "index" },
                    { text: metric === "clicks" ? "Clicks" : "CTR", value: "values" }
                  ]}
                  choose={(value) => {
                    scale.value = value
                  }}
                />
                <Download action="Download CSV" path={`/experiments/${id}/series`} name={`${name}.csv`} />
              </div>
              <Line
                title={isIndex ? `${title}, average of each group’s baseline = 100` : title}
                when={dayAt}
                format={format}
                marks={marks}
                series={groups.map(([group, title]) => {
                  const values = all.map((day) => valueOf(group, metric, day))
                  const shown = isIndex
                    ? indexed(
                        values,
                        all.map(({ period }) => period === "pre")
                      )
                    : values
                  return {
                    name: title,
                    points: all.map(({ date }, at) => ({ at: timeOf(date), value: shown[at] ?? null }))
                  }
                })}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
