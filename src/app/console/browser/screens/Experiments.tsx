import type { Experiment } from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { go, now, refine, route } from "../Place.ts"
import { Act, Confirm, Download } from "../parts/Acts.tsx"
import { Choice } from "../parts/Forms.tsx"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Column, Details, Facts, Missing, Page, Pages, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { type SiteProperties, siteTab } from "../SiteRoutes.ts"
import { metrics, resultDay, resultFrom, shownBy, signedPercent } from "./EffectWords.ts"
import { PagesStep, write } from "./ExperimentPages.tsx"
import { Effect, Interim, Series } from "./ExperimentResult.tsx"
import { Draft, designFacts, StepsNav } from "./ExperimentSteps.tsx"

const tones = { completed: "good", draft: "quiet", running: "warn" } as const

/** The state of an experiment. */
const State = ({ of: { status } }: { readonly of: Experiment }) => <Tag text={status} tone={tones[status]} />

const shownWords = { decrease: "Decrease", increase: "Increase", no_effect_shown: "No effect shown" } as const

/** The result in a few words, or what comes next. */
const resultOf = (experiment: Experiment) => {
  const { analysis, id, status } = experiment
  if (analysis !== null) {
    const shown = shownBy(analysis)
    const tone = shown === "increase" ? "good" : shown === "decrease" ? "bad" : "quiet"
    return (
      <span class={tone}>
        {shownWords[shown]}, {signedPercent(analysis.liftPercentage)}
      </span>
    )
  }
  if (status === "draft") return <a href={hashOf([...route.value.segments, id])}>Continue setup</a>
  const day = resultDay(experiment)
  return day === null ? "Waiting for counts" : `Due ${day}`
}

const columns: ReadonlyArray<Column<Experiment>> = [
  {
    cell: ({ hypothesis, id, name }) => (
      <>
        <a href={hashOf([...route.value.segments, id])}>{name}</a>
        {hypothesis !== null && <small>{hypothesis}</small>}
      </>
    ),
    kind: "address",
    name: "Experiment"
  },
  { cell: (experiment) => <State of={experiment} />, name: "Status" },
  { cell: ({ design }) => (design === undefined ? "counts sent via API" : metrics[design.metric]), name: "Metric" },
  { cell: resultOf, name: "Result" },
  { cell: ({ created_at }) => <When at={created_at} />, name: "Created" }
]

const Create = () => (
  <a class="button main" href={hashOf([...route.value.segments, "new"])}>
    New experiment
  </a>
)

/** The site’s experiments with their results. */
const All = ({ site }: Pick<SiteProperties, "site">) => {
  const status = route.value.query.get("status") ?? ""
  const experiments = usePages<Experiment>(`/experiments${queryOf({ site_id: site.id, status })}`)
  const isBare = status === "" && experiments.data?.length === 0
  return (
    <Page title="Experiments" about={!isBare && <Create />}>
      <Loaded read={experiments}>
        {(rows) =>
          isBare ? (
            <Empty
              title="No experiments yet"
              api={
                <>
                  POST to <code>/api/v1/experiments</code>
                </>
              }
            >
              <p>Change some pages, keep others as control pages, and measure the effect on clicks.</p>
              <Create />
            </Empty>
          ) : (
            <>
              <Choice
                label="Status"
                chosen={status}
                choose={(value) => refine({ status: value })}
                options={[
                  { text: "All", value: "" },
                  { text: "Drafts", value: "draft" },
                  { text: "Running", value: "running" },
                  { text: "Completed", value: "completed" }
                ]}
              />
              {rows.length === 0 ? (
                <p>No experiment has this status.</p>
              ) : (
                <Table caption="Experiments, the latest first" keyOf={({ id }) => id} rows={rows} columns={columns} />
              )}
              <Pages name="experiments" pager={experiments.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

interface Shown {
  readonly of: Experiment
  readonly changed: () => void
}

/** Completes a running experiment, once all days have final numbers. */
const Finish = ({ changed, of }: Shown) => {
  const [from, day] = [resultFrom(of), resultDay(of)]
  const isDue = from !== null && from <= now.value
  return (
    <>
      <div class="actions">
        <Act
          action="Finish and get the result"
          kind="main"
          scope={write}
          blocked={
            isDue
              ? null
              : day === null
                ? "The result has no date yet"
                : `The result is due ${day}, when all days are final`
          }
          work={() => ask("POST", `/experiments/${of.id}/evaluate`, { body: {} })}
          done={changed}
        />
      </div>
      {isDue && <p>All days of the measurement should be final. The result completes the experiment.</p>}
    </>
  )
}

const Delete = ({ changed, of: { id, name, status } }: Shown) => (
  <Details kind="control" summary={status === "draft" ? "Delete draft" : "Delete experiment"}>
    {() => (
      <Confirm
        action={status === "draft" ? "Delete draft" : "Delete experiment"}
        name={name}
        scope={write}
        work={() => ask("DELETE", `/experiments/${id}`)}
        done={changed}
      >
        Its design{status === "completed" && ", result and report"} will be gone. Search data stay.
      </Confirm>
    )}
  </Details>
)

/** An experiment without a design: its counts are sent. */
const Undesigned = ({ changed, of: { id, status } }: Shown) => (
  <Empty
    title="Waiting for results data"
    api={
      <>
        POST to <code>/api/v1/experiments/{id}/evaluate</code>
      </>
    }
  >
    <p>
      This experiment has no design. Send the counts of test and control pages to see its result
      {status === "draft" && ", or choose pages to let Findable compare their search data"}.
    </p>
    {status === "draft" && (
      <div class="actions">
        <a class="button main" href={hashOf(route.value.segments, { step: "pages" })}>
          Choose pages
        </a>
        <Act
          action="Start experiment"
          scope={write}
          work={() => ask("POST", `/experiments/${id}/start`, { body: {} })}
          done={changed}
        />
      </div>
    )}
  </Empty>
)

const Outcome = ({ changed, of, site }: Shown & Pick<SiteProperties, "site">) => {
  const { analysis, design, id, name, status, warnings = [] } = of
  if (analysis !== null)
    return (
      <>
        <Effect of={analysis} />
        <Series of={of} />
        <div class="actions">
          <Download
            action="Download report"
            accept="text/html"
            path={`/experiments/${id}/report`}
            name={`${name}.html`}
          />
        </div>
      </>
    )
  if (status === "draft" && (design !== undefined || route.value.query.has("step")))
    return <Draft of={of} site={site} changed={changed} />
  if (design === undefined) return <Undesigned of={of} changed={changed} />
  return (
    <>
      <Finish of={of} changed={changed} />
      <Interim id={id} />
      <Series of={of} />
      {warnings.length > 0 && (
        <>
          <h2>Warnings from the start</h2>
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

/** One experiment: the steps of a draft, the interim result of a running one, or the result. */
const One = ({ id, site }: Pick<SiteProperties, "site"> & { readonly id: string }) => {
  const experiment = useRead<Experiment>(`/experiments/${id}`)
  const { data } = experiment
  return (
    <Page title={data?.name ?? "Experiment"} about={data !== null && <State of={data} />}>
      <Loaded read={experiment}>
        {(one) => (
          <>
            {one.hypothesis !== null && <p>{one.hypothesis}</p>}
            <Outcome of={one} site={site} changed={experiment.reload} />
            {one.status !== "draft" && (
              <>
                <h2>Design</h2>
                <Facts
                  of={[
                    ["Created", <When at={one.created_at} />],
                    ["Started", <When at={one.started_at} />],
                    ["Completed", <When at={one.completed_at} />],
                    ...(one.design === undefined ? [] : designFacts(one.design, one.assignment))
                  ]}
                />
              </>
            )}
            {one.status !== "running" && <Delete of={one} changed={() => go(siteTab(site.id, "experiments"))} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const New = ({ site }: Pick<SiteProperties, "site">) => (
  <Page title="New experiment">
    <StepsNav current="pages" isDrafted={false} />
    <div class="step">
      <PagesStep site={site} of={null} saved={() => {}} />
    </div>
  </Page>
)

/** The site’s experiments, one of them, or a new one. */
export const Experiments = ({ rest: [id, ...more], site }: SiteProperties) =>
  more.length > 0 ? (
    <Missing />
  ) : id === undefined ? (
    <All site={site} />
  ) : id === "new" ? (
    <New site={site} />
  ) : (
    <One id={id} site={site} />
  )
