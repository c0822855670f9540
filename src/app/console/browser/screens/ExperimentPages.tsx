import { useSignal } from "@preact/signals"
import type { Experiment, ExperimentDomain, Project } from "../api/Contract.ts"
import { useAction } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { ask, may } from "../api/Session.ts"
import { go } from "../Place.ts"
import { Area, Input, Lacks } from "../parts/Acts.tsx"
import { Choice, Chosen } from "../parts/Forms.tsx"
import { Empty, Failed } from "../parts/Status.tsx"
import { Details } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { siteTab } from "../SiteRoutes.ts"
import { domainOf } from "./EffectWords.ts"
import { armOf, Picker, Problem, Rest, usePageTotals, usePicked } from "./PagePicker.tsx"
import { ImportLink, pagesNeed } from "./SearchNeeds.tsx"

export const write = "experiments:write"

/** The id of the site’s domain for experiments, which is made when the first experiment needs it. */
const domainFor = async ({ host, url }: Project): Promise<Outcome<string>> => {
  const listed = await ask<ReadonlyArray<ExperimentDomain>>("GET", "/growth-projects?limit=100")
  if (listed.failure !== null) return listed
  const known = listed.data.find(({ domain }) => domain === domainOf(host))
  if (known !== undefined) return { ...listed, data: known.id }
  const made = await ask<ExperimentDomain>("POST", "/growth-projects", { body: { domain: url } })
  return made.failure === null ? { ...made, data: made.data.id } : made
}

const ways = {
  assigned: "Randomly assign pages (most reliable)",
  chosen: "I choose the test pages"
}

const controls = {
  auto: "Let Findable choose control pages",
  own: "I choose the control pages"
}

const metricNames = { clicks: "Clicks", ctr: "Click-through rate (CTR)" }

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** The pages of both groups as they stand. */
const both = (design: Experiment["design"]) => [
  ...(design?.treatment?.pages ?? []),
  ...(design?.control === "auto" ? [] : (design?.control?.pages ?? []))
]

const fields = ["name", "hypothesis", "design.treatment", "design.control", "design.exclude", "pages", "pattern"]

/** The first step: name, metric and pages of a new experiment or of a draft. */
export const PagesStep = ({
  of,
  saved,
  site
}: {
  readonly site: Project
  /** The draft; null for a new experiment. */
  readonly of: Experiment | null
  readonly saved: () => void
}) => {
  const design = of?.design
  const totals = usePageTotals(site.id)
  const name = useSignal(of?.name ?? "")
  const hypothesis = useSignal(of?.hypothesis ?? "")
  const metric = useSignal<string>(design?.metric ?? "clicks")
  const way = useSignal<keyof typeof ways>(design?.treatment === undefined || of?.assignment ? "assigned" : "chosen")
  const control = useSignal<keyof typeof controls>(
    design?.control === undefined || design.control === "auto" ? "auto" : "own"
  )
  const exclude = useSignal(design?.exclude?.join("\n") ?? "")
  const candidates = usePicked(of?.assignment === undefined ? undefined : { pages: both(design) })
  const test = usePicked(of?.assignment === undefined ? design?.treatment : undefined)
  const others = usePicked(of?.assignment !== undefined || design?.control === "auto" ? undefined : design?.control)
  const isRandom = way.value === "assigned"
  const before = both(design)
  /** Whether the groups are as they were: a change of the name does not assign the pages again. */
  const isAssigned =
    isRandom &&
    of?.assignment !== undefined &&
    candidates.way.value === "pages" &&
    candidates.pages.value.size === before.length &&
    before.every((path) => candidates.pages.value.has(path)) &&
    exclude.value === (design?.exclude?.join("\n") ?? "")
  const drafted = async (): Promise<Outcome<Experiment>> => {
    const arms = isRandom
      ? { control: null, treatment: null }
      : { control: control.value === "auto" ? "auto" : armOf(others), treatment: armOf(test) }
    const left = linesOf(exclude.value)
    const named = {
      hypothesis: hypothesis.value.trim() === "" ? null : hypothesis.value.trim(),
      name: name.value.trim()
    }
    if (of !== null && isAssigned)
      return ask<Experiment>("PATCH", `/experiments/${of.id}`, { body: { ...named, design: { metric: metric.value } } })
    const body = {
      ...named,
      design: { ...arms, exclude: left.length === 0 ? null : left, metric: metric.value, site_id: site.id }
    }
    if (of !== null) return ask<Experiment>("PATCH", `/experiments/${of.id}`, { body })
    const domain = await domainFor(site)
    if (domain.failure !== null) return domain
    const given = Object.fromEntries(Object.entries(body.design).filter(([, value]) => value !== null))
    return ask<Experiment>("POST", "/experiments", { body: { ...body, design: given, project_id: domain.data } })
  }
  const saving = useAction(
    async (): Promise<Outcome<Experiment>> => {
      const draft = await drafted()
      if (draft.failure !== null || !isRandom || isAssigned) return draft
      const assigned = await ask<Experiment>("POST", `/experiments/${draft.data.id}/assign`, {
        body: armOf(candidates)
      })
      // A new draft without its pages would be left behind by each attempt.
      if (assigned.failure !== null && of === null) await ask<null>("DELETE", `/experiments/${draft.data.id}`)
      return assigned
    },
    ({ id }) => {
      saved()
      go([...siteTab(site.id, "experiments"), id], { step: "power" })
    }
  )
  const { failure } = saving
  const { rows } = totals
  if (totals.failure !== null && rows?.length === 0) return <Failed failure={totals.failure} />
  if (rows === null) return <p class="quiet">Loading the site’s pages…</p>
  if (rows.length === 0)
    return (
      <Empty title="No page data yet">
        <p>An experiment compares clicks of pages by day. {pagesNeed}</p>
        <p>
          <ImportLink site={site.id} /> or{" "}
          <a href={hashOf([...siteTab(site.id, "settings"), "search"])}>connect Search Console</a>
        </p>
      </Empty>
    )
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        saving.run()
      }}
    >
      <Input label="Name" value={name} hint="The change, such as “Shorter titles”" />
      <Problem failure={failure} of="name" />
      <Input
        label="Hypothesis"
        value={hypothesis}
        isRequired={false}
        hint="Optional: the effect that you expect, and why"
      />
      <Problem failure={failure} of="hypothesis" />
      <Chosen label="Metric" options={metricNames} of={metric} />
      <fieldset>
        <legend>Groups</legend>
        <Choice
          label="Groups"
          chosen={way.value}
          options={[
            { text: ways.assigned, value: "assigned" },
            { text: ways.chosen, value: "chosen" }
          ]}
          choose={(value) => {
            way.value = value
          }}
        />
        <small class="quiet">
          {isRandom
            ? "Choose pages of one kind. Findable puts half of them into each group; change the test pages only."
            : "Choose the pages that you change. The control pages stay as they are."}
        </small>
      </fieldset>
      {isRandom ? (
        <Picker label="Pages" of={candidates} rows={rows} failure={failure} paths={["pages", "pattern"]} />
      ) : (
        <>
          <Picker label="Test pages" of={test} rows={rows} failure={failure} paths={["design.treatment"]} />
          <fieldset>
            <legend>Control pages</legend>
            <Choice
              label="Control pages"
              chosen={control.value}
              options={[
                { text: controls.auto, value: "auto" },
                { text: controls.own, value: "own" }
              ]}
              choose={(value) => {
                control.value = value
              }}
            />
          </fieldset>
          {control.value === "auto" ? (
            <>
              <p class="quiet">
                The site’s most clicked pages, without test pages, pages that share a query with one, and pages of other
                running experiments.
              </p>
              <Problem failure={failure} of="design.control" />
            </>
          ) : (
            <Picker label="Own control pages" of={others} rows={rows} failure={failure} paths={["design.control"]} />
          )}
        </>
      )}
      <Details summary="Exclude pages" isOpen={exclude.value !== ""}>
        {() => (
          <div>
            <Area
              label="Excluded paths"
              value={exclude}
              isRequired={false}
              hint="One path a line: pages that change for other reasons"
            />
          </div>
        )}
      </Details>
      <Problem failure={failure} of="design.exclude" />
      <Rest failure={failure} shown={fields} />
      <div class="actions">
        <button type="submit" class="main" disabled={saving.isBusy || !may(write)}>
          {of === null ? "Save draft and continue" : "Save and continue"}
        </button>
        <Lacks scope={write} />
      </div>
    </form>
  )
}
