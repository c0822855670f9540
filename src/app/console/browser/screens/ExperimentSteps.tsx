import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { Experiment, Power, Project } from "../api/Contract.ts"
import { useAction, useRead } from "../api/Read.ts"
import { ask, may } from "../api/Session.ts"
import { go, route } from "../Place.ts"
import { Act, Input, Lacks } from "../parts/Acts.tsx"
import { count, dayOf, none, plural, rounded } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Loaded } from "../parts/Status.tsx"
import { Details, Facts, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { methods, metrics } from "./EffectWords.ts"
import { PagesStep, write } from "./ExperimentPages.tsx"
import { Problem, Refused, Rest } from "./PagePicker.tsx"

/** The steps of an experiment before its start, in their order. */
const steps = [
  ["pages", "Pages"],
  ["power", "Power"],
  ["assignment", "Assignment and date"],
  ["start", "Start"]
] as const

type Step = (typeof steps)[number][0]

/** The step of the URL; a draft with pages begins at its power. */
export const stepOf = (name: string | null, hasPages: boolean): Step =>
  steps.find(([step]) => step === name)?.[0] ?? (hasPages ? "power" : "pages")

const hrefOf = (step: Step) => hashOf(route.value.segments, { step })

/** The steps as links; a new experiment needs its draft first. */
export const StepsNav = ({ current, isDrafted }: { readonly current: Step; readonly isDrafted: boolean }) => (
  <nav aria-label="Steps">
    <ol class="steps">
      {steps.map(([step, name]) => (
        <li key={step}>
          {isDrafted ? (
            <a href={hrefOf(step)} aria-current={step === current ? "step" : undefined}>
              {name}
            </a>
          ) : (
            <span aria-current={step === current ? "step" : undefined}>{name}</span>
          )}
        </li>
      ))}
    </ol>
  </nav>
)

const Next = ({ to }: { readonly to: Step }) => (
  <div class="actions">
    <a class="button main" href={hrefOf(to)}>
      Continue
    </a>
  </div>
)

const percentOf = (value: number) => `${rounded(value)}%`

const days = (...values: ReadonlyArray<number>) =>
  Object.fromEntries(values.map((value) => [String(value), plural(value, "day")]))

type Design = NonNullable<Experiment["design"]>

interface StepProperties {
  readonly of: Experiment & { readonly design: Design }
  readonly changed: () => void
}

const periods = [
  ["pre_days", "Baseline before the change", days(14, 28, 42, 56, 84)],
  ["settle_days", "Settling after it", days(0, 7, 14, 21, 28)],
  ["post_days", "Measurement", days(14, 28, 42, 56, 84)]
] as const

const Periods = ({ changed, of: { design, id } }: StepProperties) => {
  const changing = useAction(
    (name: string, value: number) =>
      ask<Experiment>("PATCH", `/experiments/${id}`, { body: { design: { [name]: value } } }),
    changed
  )
  return (
    <>
      <div class="fields">
        {periods.map(([name, label, options]) => (
          <div key={name} class="field">
            <Select
              label={label}
              options={options}
              value={String(design[name])}
              choose={(value) => changing.run(name, Number(value))}
            />
            <Problem failure={changing.failure} of={`design.${name}`} />
          </div>
        ))}
      </div>
      <Lacks scope={write} />
      <Rest failure={changing.failure} shown={periods.map(([name]) => `design.${name}`)} />
    </>
  )
}

/** The smallest effects that the design finds, by the length of the measurement. */
const PowerStep = ({ changed, of }: StepProperties) => {
  const { id } = of
  const { post_days, pre_days, settle_days } = of.design
  const power = useRead<Power>(`/experiments/${id}/power`)
  const reload = () => {
    power.reload()
    changed()
  }
  return (
    <>
      <h2>Statistical power</h2>
      <p>
        Four of five experiments with this design find an effect of this size. If you expect less, choose more pages or
        a longer measurement.
      </p>
      <Periods key={`${pre_days} ${settle_days} ${post_days}`} of={of} changed={reload} />
      <Loaded read={power}>
        {({ baseline, effects, sentence }) => (
          <>
            <p>
              <strong>{sentence}</strong>
            </p>
            <Table
              caption="Minimum detectable effect (80% power)"
              keyOf={({ post_days }) => String(post_days)}
              rows={effects}
              columns={[
                {
                  cell: ({ post_days: length }) =>
                    length === post_days ? (
                      <b class="chosen">{plural(length, "day")} (chosen)</b>
                    ) : (
                      plural(length, "day")
                    ),
                  name: "Measurement"
                },
                {
                  cell: (effect) =>
                    "needed_days" in effect
                      ? `needs ${plural(effect.needed_days, "day")} of history`
                      : `+${percentOf(effect.increase_percent)}`,
                  name: "Minimum detectable increase"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : `−${percentOf(effect.decrease_percent)}`),
                  name: "Minimum detectable decrease"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : methods[effect.method]),
                  name: "Uncertainty from"
                }
              ]}
            />
            <p class="quiet">
              Baseline of the test pages:{" "}
              {baseline.unit === "ctr"
                ? `${percentOf(100 * baseline.value)} CTR`
                : `${count(Math.round(baseline.value))} clicks per day`}
            </p>
          </>
        )}
      </Loaded>
      <Next to="assignment" />
    </>
  )
}

const listed = 10

const PathList = ({ name, pages }: { readonly name: string; readonly pages: ReadonlyArray<string> }) => (
  <Details summary={`${name} (${pages.length})`}>
    {() => (
      <ul>
        {pages.slice(0, listed).map((path) => (
          <li key={path}>{path}</li>
        ))}
        {pages.length > listed && <li>{plural(pages.length - listed, "more page")}</li>}
      </ul>
    )}
  </Details>
)

/** The pages of a group in words. */
export const groupOf = (arm: Design["control"]) =>
  arm === undefined
    ? "not chosen yet"
    : arm === "auto"
      ? "chosen by Findable at the start"
      : (arm.pattern ?? plural(arm.pages?.length ?? 0, "page"))

const pagesOf = (arm: Design["control"]) => (arm === undefined || arm === "auto" ? [] : (arm.pages ?? []))

const AssignmentStep = ({ changed, of: { assignment, design, id } }: StepProperties) => {
  const date = useSignal(design.change_date ?? "")
  const saving = useAction(
    () =>
      ask<Experiment>("PATCH", `/experiments/${id}`, {
        body: { design: { change_date: date.value === "" ? null : date.value } }
      }),
    () => {
      changed()
      go(route.value.segments, { step: "start" })
    }
  )
  const groups = [pagesOf(design.treatment), pagesOf(design.control)] as const
  return (
    <>
      <h2>Assignment</h2>
      {assignment === undefined ? (
        <>
          <Facts
            of={[
              ["Test pages", groupOf(design.treatment)],
              ["Control pages", groupOf(design.control)]
            ]}
          />
          <p>
            You chose the groups. Findable checks the result against earlier dates without a change, so it needs a
            longer history. <a href={hrefOf("pages")}>Assign pages randomly instead</a>
          </p>
        </>
      ) : (
        <>
          <p>
            Findable assigned {plural(groups[0].length + groups[1].length, "page")} randomly, in pairs with similar
            clicks{assignment.draws > 1 && `; this is assignment ${assignment.draws}`}. Change the test pages only.
          </p>
          <Act
            action="Assign again"
            scope={write}
            work={() => ask<Experiment>("POST", `/experiments/${id}/assign`, { body: { pages: groups.flat() } })}
            done={changed}
          />
        </>
      )}
      {groups[0].length > 0 && <PathList name="Test pages" pages={groups[0]} />}
      {groups[1].length > 0 && <PathList name="Control pages" pages={groups[1]} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          saving.run()
        }}
      >
        <h2>Change date</h2>
        <Input
          label="First day with the change"
          type="date"
          value={date}
          isRequired={false}
          hint="Empty: the day of the start. A past day is fine if you changed the pages already (Pacific time, as in Search Console)."
        />
        <Problem failure={saving.failure} of="design.change_date" />
        <Rest failure={saving.failure} shown={["design.change_date"]} />
        <div class="actions">
          <button type="submit" class="main" disabled={saving.isBusy || !may(write)}>
            Save and continue
          </button>
          <Lacks scope={write} />
        </div>
      </form>
    </>
  )
}

/** Refusals that `force` overrides. */
const forced = ["history_too_short", "missing_data", "too_few_pages"]

const StartStep = ({ changed, of: { assignment, design, id } }: StepProperties) => {
  const starting = useAction(
    (force: boolean) => ask<Experiment>("POST", `/experiments/${id}/start`, { body: force ? { force } : {} }),
    () => {
      changed()
      go(route.value.segments)
    }
  )
  const { failure } = starting
  const canForce = failure !== null && forced.includes(failure.code)
  const step = (failure?.details ?? []).some(({ path }) => path === "design.change_date") ? "assignment" : "pages"
  return (
    <>
      <h2>Start</h2>
      <Facts of={designFacts(design, assignment)} />
      <p>
        The start fixes the pages of both groups. Change the test pages on the change date, and leave the control pages
        as they are.
      </p>
      {failure !== null && (
        <>
          <Refused failure={failure} />
          <p>
            <a href={hrefOf(step)}>{step === "pages" ? "Change the pages" : "Change the date"}</a>
          </p>
        </>
      )}
      <div class="actions">
        <button
          type="button"
          class="main"
          disabled={starting.isBusy || !may(write)}
          onClick={() => starting.run(false)}
        >
          Start experiment
        </button>
        {canForce && (
          <button type="button" disabled={starting.isBusy || !may(write)} onClick={() => starting.run(true)}>
            Start anyway
          </button>
        )}
        <Lacks scope={write} />
      </div>
    </>
  )
}

/** The design by name and value. */
export const designFacts = (design: Design, assignment: Experiment["assignment"]) => [
  ["Metric", metrics[design.metric]] as const,
  ["Test pages", groupOf(design.treatment)] as const,
  ["Control pages", groupOf(design.control)] as const,
  ["Change date", design.change_date === undefined ? "the day of the start" : dayOf(design.change_date)] as const,
  [
    "Periods",
    `Baseline ${plural(design.pre_days, "day")} · settling ${plural(design.settle_days, "day")} · measurement ${plural(design.post_days, "day")}`
  ] as const,
  [
    "Randomly assigned",
    assignment === undefined ? "no" : assignment.draws === 1 ? "yes" : `yes, ${plural(assignment.draws, "assignment")}`
  ] as const
]

const stages = { assignment: AssignmentStep, power: PowerStep, start: StartStep }

/** The step of a draft. */
export const Draft = ({
  changed,
  of,
  site
}: {
  readonly of: Experiment
  readonly site: Project
  readonly changed: () => void
}): ComponentChildren => {
  const { design } = of
  const current = design === undefined ? "pages" : stepOf(route.value.query.get("step"), design.treatment !== undefined)
  if (design === undefined || current === "pages")
    return (
      <>
        <StepsNav current="pages" isDrafted={design !== undefined} />
        <div class="step">
          <PagesStep key={of.id} site={site} of={of} saved={changed} />
        </div>
      </>
    )
  const Stage = stages[current]
  return (
    <>
      <StepsNav current={current} isDrafted />
      <div class="step">
        <Stage key={`${current} ${of.id}`} of={{ ...of, design }} changed={changed} />
      </div>
    </>
  )
}
