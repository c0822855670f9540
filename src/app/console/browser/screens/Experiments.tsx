import type {
  Analysis,
  Experiment as ExperimentRecord,
  Preview as Look,
  Power as Powers,
  Experiment as Record
} from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { Interval } from "../chart/Charts.tsx"
import { docs, route } from "../Place.ts"
import { count, dayOf, none, plural, rounded, words } from "../parts/Formats.ts"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Column, Facts, Missing, Page, Pages, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { metrics, probability, sentenceOf, shownBy, signedPercent, signedPoints } from "./EffectWords.ts"
import type { SiteProperties } from "./SiteScreens.tsx"

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
const Effect = ({ of: analysis }: { readonly of: Analysis }) => {
  const { didEstimator, liftPercentage, method, pValue, warnings } = analysis
  return (
    <>
      <p>
        <strong>{sentenceOf(analysis)}</strong>
      </p>
      {"lift_interval" in analysis ? (
        <Interval
          title="Effect in percent"
          format={signedPercent}
          low={analysis.lift_interval[0]}
          value={liftPercentage}
          high={analysis.lift_interval[1]}
        />
      ) : (
        <Interval
          title="Effect on the conversion rate, in percentage points"
          format={signedPoints}
          low={analysis.confidenceInterval[0]}
          value={didEstimator}
          high={analysis.confidenceInterval[1]}
        />
      )}
      {warnings.length > 0 && (
        <>
          <h3>Limitations ({warnings.length})</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} class="warn">
                {warning}
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts
        of={[
          ["Effect", signedPercent(liftPercentage)],
          ["p-value", probability(pValue)],
          ["Method", words(method ?? none)],
          ...("windows" in analysis
            ? ([
                ["Pages", `${count(analysis.pages.treatment)} test, ${count(analysis.pages.control)} control`],
                ["Before", analysis.windows.pre.map(dayOf).join(" – ")],
                ["After", analysis.windows.post.map(dayOf).join(" – ")]
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
    </>
  )
}

const tones = { completed: "good", draft: "quiet", running: "warn" } as const

/** The state of an experiment. */
const State = ({ of: { status } }: { readonly of: ExperimentRecord }) => <Tag text={status} tone={tones[status]} />

const columns: ReadonlyArray<Column<ExperimentRecord>> = [
  {
    cell: ({ id, name }) => <a href={hashOf([...route.value.segments, id])}>{name}</a>,
    kind: "address",
    name: "Experiment"
  },
  { cell: (experiment) => <State of={experiment} />, name: "Status" },
  { cell: ({ design }) => (design === undefined ? "counts sent via API" : metrics[design.metric]), name: "Metric" },
  {
    cell: ({ analysis }) =>
      analysis === null ? none : `${words(shownBy(analysis))}, ${signedPercent(analysis.liftPercentage)}`,
    name: "Result"
  },
  { cell: ({ created_at }) => <When at={created_at} />, name: "Created" }
]

/** All experiments with their results. */
const All = () => {
  const experiments = usePages<ExperimentRecord>("/experiments")
  return (
    <Page title="Experiments">
      <Loaded read={experiments}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              title="No experiments yet"
              api={
                <>
                  POST to <code>/api/v1/experiments</code>
                </>
              }
            >
              Change some pages, keep others as control pages, and measure the effect on clicks.{" "}
              <a href={`${docs}/guides/first-experiment`} target="_blank" rel="noopener">
                Set up the first experiment
              </a>
            </Empty>
          ) : (
            <>
              <Table caption="Experiments, the latest first" keyOf={({ id }) => id} rows={rows} columns={columns} />
              <Pages name="experiments" pager={experiments.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const percentOf = (value: number) => `${rounded(value)}%`

/** The statistical power of a design, before it starts. */
const Power = ({ id }: { readonly id: string }) => {
  const power = useRead<Powers>(`/experiments/${id}/power`)
  return (
    <>
      <h2>Statistical power</h2>
      <Loaded read={power}>
        {({ baseline, effects, sentence }) => (
          <>
            <p>
              <strong>{sentence}</strong>
            </p>
            <p>
              Baseline of the test pages:{" "}
              {baseline.unit === "ctr"
                ? `${percentOf(100 * baseline.value)} CTR`
                : `${rounded(baseline.value)} clicks per day`}
            </p>
            <Table
              caption="Minimum detectable effect (80% power)"
              keyOf={({ post_days }) => String(post_days)}
              rows={effects}
              columns={[
                { cell: ({ post_days }) => plural(post_days, "day"), name: "Measurement" },
                {
                  cell: (effect) =>
                    "needed_days" in effect
                      ? `needs ${plural(effect.needed_days, "day")} of history`
                      : percentOf(effect.increase_percent),
                  name: "Increase"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : percentOf(effect.decrease_percent)),
                  name: "Decrease"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : words(effect.method)),
                  name: "Method"
                }
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

/** The interim result of a running experiment. */
const Preview = ({ id }: { readonly id: string }) => {
  const look = useRead<Look>(`/experiments/${id}/preview`)
  return (
    <>
      <h2>Interim result</h2>
      {look.failure?.code === "not_over" ? (
        <Empty title="No interim result yet">{look.failure.message}</Empty>
      ) : (
        <Loaded read={look}>
          {(preview) => (
            <>
              <p>
                Week {preview.weeks} of {preview.planned_weeks}. Use it to stop a harmful change, not to declare a
                winner.
              </p>
              <Effect of={preview} />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

const Outcome = ({ of: { analysis, design, id, status } }: { readonly of: Record }) => {
  if (analysis !== null)
    return (
      <>
        <h2>Result</h2>
        <Effect of={analysis} />
      </>
    )
  if (design !== undefined) return status === "draft" ? <Power id={id} /> : <Preview id={id} />
  return (
    <Empty
      title="Waiting for results data"
      api={
        <>
          POST to <code>/api/v1/experiments/{id}/evaluate</code>
        </>
      }
    >
      This experiment has no design. Send the clicks and impressions of test and control pages to see its result.
    </Empty>
  )
}

const armOf = (arm: NonNullable<Record["design"]>["control"]) =>
  arm === undefined
    ? "not chosen yet"
    : arm === "auto"
      ? "chosen by Findable"
      : (arm.pattern ?? plural(arm.pages?.length ?? 0, "page"))

/** One experiment: its power while it is a draft, its interim result, its result. */
const One = ({ id }: { readonly id: string }) => {
  const experiment = useRead<Record>(`/experiments/${id}`)
  const { data } = experiment
  return (
    <Page title={data?.name ?? "Experiment"} about={data !== null && <State of={data} />}>
      <Loaded read={experiment}>
        {(one) => (
          <>
            {one.hypothesis !== null && <p>{one.hypothesis}</p>}
            <Outcome of={one} />
            <h2>Design</h2>
            <Facts
              of={[
                ["Created", <When at={one.created_at} />],
                ["Started", <When at={one.started_at} />],
                ["Completed", <When at={one.completed_at} />],
                ...(one.design === undefined
                  ? []
                  : ([
                      ["Test pages", armOf(one.design.treatment)],
                      ["Control pages", armOf(one.design.control)],
                      [
                        "Change date",
                        one.design.change_date === undefined ? "when it starts" : dayOf(one.design.change_date)
                      ],
                      [
                        "Periods",
                        `Baseline ${plural(one.design.pre_days, "day")} · settling ${plural(one.design.settle_days, "day")} · measurement ${plural(one.design.post_days, "day")}`
                      ],
                      [
                        "Randomly assigned",
                        one.assignment === undefined
                          ? "no"
                          : one.assignment.draws === 1
                            ? "yes"
                            : `yes, reassigned ${plural(one.assignment.draws - 1, "time")}`
                      ]
                    ] as const))
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The experiments, or one of them. */
export const Experiments = ({ rest: [id, ...more] }: SiteProperties) =>
  more.length > 0 ? <Missing /> : id === undefined ? <All /> : <One id={id} />
