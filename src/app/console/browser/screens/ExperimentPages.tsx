import { type Signal, useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { Experiment, ExperimentDomain, NewDesign, PerformanceRow, Project } from "../api/Contract.ts"
import { useAction, useWindow } from "../api/Read.ts"
import type { Failure, Outcome } from "../api/Send.ts"
import { ask, may, readLines } from "../api/Session.ts"
import { go, wait } from "../Place.ts"
import { Area, Input, Lacks } from "../parts/Acts.tsx"
import { count, plural } from "../parts/Formats.ts"
import { Choice, Chosen } from "../parts/Forms.tsx"
import { Empty, Failed } from "../parts/Status.tsx"
import { Details, Pages } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { domainOf, matcherOf } from "./EffectWords.ts"
import { siteTab } from "./SiteScreens.tsx"

export const write = "experiments:write"

type Arm = NonNullable<NewDesign["treatment"]>

/** The pages that a step has chosen. */
interface Picked {
  readonly way: Signal<"pattern" | "pages">
  readonly pattern: Signal<string>
  readonly pages: Signal<ReadonlySet<string>>
}

const usePicked = (arm: Arm | undefined): Picked => ({
  pages: useSignal<ReadonlySet<string>>(new Set(arm?.pages)),
  pattern: useSignal(arm?.pattern ?? ""),
  way: useSignal<"pattern" | "pages">(arm?.pages === undefined ? "pattern" : "pages")
})

const armOf = ({ pages, pattern, way }: Picked): Arm =>
  way.value === "pattern" ? { pattern: pattern.value.trim() } : { pages: [...pages.value] }

/** Most pages that the list shows; a pattern reaches the others. */
const most = 5000

/** The site’s pages with their latest 28 days, most impressions first. */
const usePageTotals = (site: string) => {
  const rows = useSignal<ReadonlyArray<PerformanceRow> | null>(null)
  const failure = useSignal<Failure | null>(null)
  useLayoutEffect(() => {
    const controller = new AbortController()
    const close = wait()
    const found: Array<PerformanceRow> = []
    const keep = (ended: Failure | null) => {
      close()
      if (controller.signal.aborted && found.length < most) return
      failure.value = ended
      rows.value = found
    }
    void readLines<PerformanceRow>(`/projects/${site}/performance?by=page`, controller.signal, (row) => {
      found.push(row)
      if (found.length === most) controller.abort()
    }).then(keep)
    return () => {
      controller.abort()
      close()
    }
  }, [site])
  return { failure: failure.value, rows: rows.value }
}

const clicksOf = (rows: ReadonlyArray<PerformanceRow>) => rows.reduce((sum, { clicks }) => sum + clicks, 0)

/** Chooses pages by a pattern, or one by one from the site’s pages. */
const Picker = ({
  failure,
  label,
  of: { pages, pattern, way },
  paths,
  rows
}: {
  readonly label: string
  readonly of: Picked
  readonly rows: ReadonlyArray<PerformanceRow>
  readonly failure: Failure | null
  /** The fields of the request. */
  readonly paths: ReadonlyArray<string>
}) => {
  const search = useSignal("")
  const fits = matcherOf(pattern.value.trim())
  const matched = rows.filter(({ key }) => fits.test(key))
  const text = search.value.trim().toLowerCase()
  const found = text === "" ? rows : rows.filter(({ key }) => key.toLowerCase().includes(text))
  const { pager, shown } = useWindow(found, 10)
  const turn = (keys: ReadonlyArray<string>, isOn: boolean) => {
    const next = new Set(pages.value)
    for (const key of keys) {
      if (isOn) next.add(key)
      else next.delete(key)
    }
    pages.value = next
  }
  return (
    <fieldset>
      <legend>{label}</legend>
      <Choice
        label={`${label}: how to choose`}
        chosen={way.value}
        options={[
          { text: "By pattern", value: "pattern" },
          { text: "From the list", value: "pages" }
        ]}
        choose={(value) => {
          way.value = value
        }}
      />
      {way.value === "pattern" ? (
        <Input
          label={`Pattern of ${label.toLowerCase()}`}
          value={pattern}
          isRequired={false}
          hint={
            pattern.value.trim() === ""
              ? "Such as /blog/*: the star stands for any text"
              : `Matches ${count(matched.length)} of ${plural(rows.length, "page")}, ${plural(clicksOf(matched), "click")} in 28 days`
          }
        />
      ) : (
        <>
          <Input label={`Search ${label.toLowerCase()}`} value={search} isRequired={false} />
          <div class="actions">
            <span>{plural(pages.value.size, "page")} selected</span>
            <button
              type="button"
              onClick={() =>
                turn(
                  found.map(({ key }) => key),
                  true
                )
              }
            >
              Select {text === "" ? "all" : "found"} ({count(found.length)})
            </button>
            <button type="button" disabled={pages.value.size === 0} onClick={() => turn([...pages.value], false)}>
              Clear
            </button>
          </div>
          <ul class="picks">
            {shown.map(({ clicks, key }) => (
              <li key={key}>
                <label>
                  <input
                    type="checkbox"
                    checked={pages.value.has(key)}
                    onChange={({ currentTarget }) => turn([key], currentTarget.checked)}
                  />
                  <span>{key}</span>
                  <small>{plural(clicks, "click")}</small>
                </label>
              </li>
            ))}
          </ul>
          <Pages name={label.toLowerCase()} pager={pager} />
        </>
      )}
      {paths.map((path) => (
        <Problem key={path} failure={failure} of={path} />
      ))}
    </fieldset>
  )
}

/** The API’s names of groups, periods and options in the words of the screen. */
const inWords = (message: string) =>
  message
    .replaceAll("in treatment", "in the test pages")
    .replaceAll("in control", "in the control pages")
    .replaceAll("pre_days", "baseline")
    .replace(/; or send \{"force": true\}.*$/, ", or start the experiment anyway")

/** The messages of the API about a field, where the field stands. */
export const Problem = ({ failure, of }: { readonly failure: Failure | null; readonly of: string }) => {
  const own = failure?.details.filter(({ path }) => isUnder(path, of)) ?? []
  return own.length === 0 ? null : (
    <div class="bad" role="alert">
      {own.map(({ message, path }) => (
        <p key={path}>
          {`${path.slice(of.length + 1).replaceAll(".", " ")} ${inWords(message)}`
            .trim()
            .replace(/^./, (first) => first.toUpperCase())}
        </p>
      ))}
    </div>
  )
}

/** A failure in the words of the screen. */
export const Refused = ({ failure }: { readonly failure: Failure }) => (
  <Failed failure={{ ...failure, message: inWords(failure.message) }} />
)

const isUnder = (path: string, of: string) => path === of || path.startsWith(`${of}.`)

/** A failure that belongs to none of the fields of a step. */
export const Rest = ({
  failure,
  shown
}: {
  readonly failure: Failure | null
  readonly shown: ReadonlyArray<string>
}) =>
  failure === null || failure.details.some(({ path }) => shown.some((of) => isUnder(path, of))) ? null : (
    <Refused failure={failure} />
  )

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
        An experiment compares clicks of pages by day. Import a Search Console table by date and page, or connect Search
        Console. <a href={hashOf(siteTab(site.id, "search"))}>Import search data</a>
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
