import type {
  Analysis,
  Experiment as ExperimentRecord,
  Preview as Look,
  Power as Powers,
  Experiment as Record
} from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { Interval } from "../chart/Charts.tsx"
import { count, dayOf, none, plural, rounded, words } from "../parts/Formats.ts"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Column, Facts, Page, Pages, Table } from "../parts/Tables.tsx"
import { metrics, probability, sentenceOf, shownBy, signedPercent, signedPoints } from "./EffectWords.ts"

/** Counts of both arms, as they were sent. */
const Counts = ({
  counts
}: Extract<Analysis, { readonly method?: "binomial" | "page_clustered" | "page_permutation" }>) =>
  counts === undefined ? null : (
    <Table
      caption="Conversions and impressions of both arms"
      keyOf={({ arm }) => arm}
      rows={[
        { arm: "Changed", of: counts.treatment },
        { arm: "Unchanged", of: counts.control }
      ]}
      columns={[
        { cell: ({ arm }) => arm, name: "Pages" },
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

/** An effect as a dot in its interval beside zero, in a sentence, and with all that weakens it. */
const Effect = ({ of: analysis }: { readonly of: Analysis }) => {
  const { didEstimator, liftPercentage, method, pValue, warnings } = analysis
  return (
    <>
      <p>
        <strong>{sentenceOf(analysis)}</strong>
      </p>
      {"lift_interval" in analysis ? (
        <Interval
          title="Effect in per cent"
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
          <h3>{plural(warnings.length, "thing weakens", "things weaken")} this verdict</h3>
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
                ["Pages", `${count(analysis.pages.treatment)} changed, ${count(analysis.pages.control)} unchanged`],
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
            Beside it, {metrics[metric]}: {signedPercent(liftPercentage)},{" "}
            {lift_interval.map(signedPercent).join(" to ")}, p-value {probability(pValue)}.
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
    cell: ({ id, name }) => <a href={`#/experiments/${id}`}>{name}</a>,
    kind: "address",
    name: "Experiment"
  },
  { cell: (experiment) => <State of={experiment} />, name: "State" },
  { cell: ({ design }) => (design === undefined ? "counts that are sent" : metrics[design.metric]), name: "Compares" },
  {
    cell: ({ analysis }) =>
      analysis === null ? none : `${words(shownBy(analysis))}, ${signedPercent(analysis.liftPercentage)}`,
    name: "Result"
  },
  { cell: ({ created_at }) => <When at={created_at} />, name: "Made" }
]

/** What was tried, and what came out. */
export const Experiments = () => {
  const experiments = usePages<ExperimentRecord>("/experiments")
  return (
    <Page title="Experiments">
      <Loaded read={experiments}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No experiment yet">
              An experiment changes some pages of a site, leaves others as they are, and compares their clicks before
              and after. A POST to <code>/api/v1/experiments</code> makes one.
            </Empty>
          ) : (
            <>
              <Table caption="Experiments, the newest first" keyOf={({ id }) => id} rows={rows} columns={columns} />
              <Pages name="experiments" pager={experiments.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const percentOf = (value: number) => `${rounded(value)} %`

/** What a design can show, before it begins. */
const Power = ({ id }: { readonly id: string }) => {
  const power = useRead<Powers>(`/experiments/${id}/power`)
  return (
    <>
      <h2>What it can show</h2>
      <Loaded read={power}>
        {({ baseline, effects, sentence }) => (
          <>
            <p>
              <strong>{sentence}</strong>
            </p>
            <p>
              The changed pages have{" "}
              {baseline.unit === "ctr" ? percentOf(100 * baseline.value) : rounded(baseline.value)}{" "}
              {baseline.unit === "ctr" ? "of clicks by impression" : "clicks a day"} now.
            </p>
            <Table
              caption="The smallest effects that are found in four of five experiments"
              keyOf={({ post_days }) => String(post_days)}
              rows={effects}
              columns={[
                { cell: ({ post_days }) => plural(post_days, "day"), name: "After the change" },
                {
                  cell: (effect) =>
                    "needed_days" in effect
                      ? `not known: it takes ${plural(effect.needed_days, "day")} of history`
                      : percentOf(effect.increase_percent),
                  name: "Increase"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : percentOf(effect.decrease_percent)),
                  name: "Decrease"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : words(effect.method)),
                  name: "Whose error decides"
                }
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

/** How a running experiment stands. */
const Preview = ({ id }: { readonly id: string }) => {
  const look = useRead<Look>(`/experiments/${id}/preview`)
  return (
    <>
      <h2>So far</h2>
      {look.failure?.code === "not_over" ? (
        <Empty title="Nothing to see yet">{look.failure.message}</Empty>
      ) : (
        <Loaded read={look}>
          {(preview) => (
            <>
              <p>
                Week {preview.weeks} of {preview.planned_weeks}. A look serves to stop harm, never to declare victory.
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
    <Empty title="It waits for its counts">
      It has no design, so the clicks and impressions of both arms are sent with its evaluation, to{" "}
      <code>/api/v1/experiments/{id}/evaluate</code>.
    </Empty>
  )
}

const armOf = (arm: NonNullable<Record["design"]>["control"]) =>
  arm === undefined
    ? "not chosen yet"
    : arm === "auto"
      ? "chosen by the service"
      : (arm.pattern ?? plural(arm.pages?.length ?? 0, "page"))

/** One experiment: what it can show before it begins, how it stands, what came out. */
export const Experiment = ({ id }: { readonly id: string }) => {
  const experiment = useRead<Record>(`/experiments/${id}`)
  const { data } = experiment
  return (
    <Page
      title={data?.name ?? "Experiment"}
      back={["#/experiments", "Experiments"]}
      about={data !== null && <State of={data} />}
    >
      <Loaded read={experiment}>
        {(one) => (
          <>
            {one.hypothesis !== null && <p>{one.hypothesis}</p>}
            <Outcome of={one} />
            <h2>Design</h2>
            <Facts
              of={[
                ["Made", <When at={one.created_at} />],
                ["Started", <When at={one.started_at} />],
                ["Completed", <When at={one.completed_at} />],
                ...(one.design === undefined
                  ? []
                  : ([
                      ["Changed pages", armOf(one.design.treatment)],
                      ["Unchanged pages", armOf(one.design.control)],
                      ["Change", one.design.change_date === undefined ? "at its start" : dayOf(one.design.change_date)],
                      [
                        "Days before, settling, after",
                        `${one.design.pre_days}, ${one.design.settle_days}, ${one.design.post_days}`
                      ],
                      [
                        "Assigned by the service",
                        one.assignment === undefined ? "no" : plural(one.assignment.draws, "draw")
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
