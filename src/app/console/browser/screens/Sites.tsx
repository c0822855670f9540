import { useSignal } from "@preact/signals"
import type { Health, ListedProject, Project, Run } from "../api/Contract.ts"
import { useAction, useAll, usePoll, useRead } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { ask } from "../api/Session.ts"
import { Spark } from "../chart/Charts.tsx"
import { go } from "../Place.ts"
import { addressOf, plural, points } from "../parts/Formats.ts"
import { Field } from "../parts/Forms.tsx"
import { Change, Empty, Failed, Loaded, Score, Tag, When } from "../parts/Status.tsx"
import { type Column, Details, Page, Rows } from "../parts/Tables.tsx"
import { runHash } from "../SiteRoutes.ts"
import { byNeed, needOf, uncrawled } from "./Needs.ts"
import { RenderChoice } from "./RenderChoice.tsx"

interface Site extends ListedProject {
  readonly health: Health
}

/** Adds a site, or finds the existing one, and starts a crawl. */
const add = async (address: string, render: Run["request"]["render"]): Promise<Outcome<Run>> => {
  const made = await ask<Project>("POST", "/projects", { body: { url: addressOf(address) } })
  return made.failure === null
    ? ask<Run>("POST", `/projects/${made.data.id}/site-health/runs`, { body: { render } })
    : made
}

const sparkLabel = (scores: Health["scores"]) => {
  const values = scores.map(({ score }) => score)
  return `Last ${plural(values.length, "crawl")}: scores from ${Math.min(...values)} to ${Math.max(...values)}, latest ${values[0]}`
}

/** The error of the latest crawl of a site without a completed one; null if it did not fail, and without a site. */
export const useFailedCrawl = (id: string | null): string | null => {
  const path = id === null ? null : `/projects/${id}/site-health/runs?limit=2`
  const [last, ...earlier] = useRead<ReadonlyArray<Run>>(path).data ?? []
  const error = last?.error ?? null
  return error === null ? null : `${earlier.length === 0 ? "First" : "Latest"} crawl failed: ${error.message}`
}

/** The need of a site that has no completed crawl. */
const Uncrawled = ({ id, words }: { readonly id: string; readonly words: string }) => (
  <Tag text={useFailedCrawl(id) ?? words} tone="warn" />
)

/** The columns; one site may say why it has no completed crawl, because the list asks for no more than one reason. */
const columnsFor = (explained: string | null): ReadonlyArray<Column<Site>> => [
  {
    cell: ({ health, host, id, name }) => {
      const { rank, words } = needOf(health)
      return (
        <>
          <a href={`#/sites/${id}`}>{name}</a>
          {name !== host && <small class="quiet">{host}</small>}
          {words !== null && (
            <div>
              {id === explained ? (
                <Uncrawled id={id} words={words} />
              ) : (
                <Tag text={words} tone={rank < 2 ? "bad" : "warn"} />
              )}
            </div>
          )}
        </>
      )
    },
    kind: "address",
    name: "Site"
  },
  {
    cell: ({ health }) => <Score score={health.score} critical={health.findings?.critical ?? 0} />,
    name: "Score"
  },
  { cell: ({ health }) => <Change by={health.delta} format={points} />, name: "vs. previous crawl" },
  {
    cell: ({ health: { scores } }) =>
      scores.length > 1 && <Spark label={sparkLabel(scores)} values={scores.toReversed().map(({ score }) => score)} />,
    name: "Trend"
  },
  { cell: ({ health }) => health.findings?.critical ?? "–", kind: "number", name: "Critical issues" },
  {
    cell: ({ health: { finished_at, running_run_id }, id }) =>
      running_run_id === null ? <When at={finished_at} /> : <a href={runHash(id, running_run_id)}>Crawling now</a>,
    name: "Last crawl"
  },
  {
    cell: ({ health }) =>
      health.next_at === null ? <span class="quiet">not scheduled</span> : <When at={health.next_at} />,
    name: "Next crawl"
  }
]

const summary = (sites: ReadonlyArray<Site>) => {
  const needing = sites.filter(({ health }) => needOf(health).words !== null).length
  return `${needing} of ${plural(sites.length, "site")} ${needing === 1 ? "needs" : "need"} attention.`
}

/** The only site without a completed crawl, such as the first one that somebody adds; null if there are none or several. */
const onlyUncrawled = (sites: ReadonlyArray<Site>) => {
  const [first, second] = sites.filter(
    ({ health }) => needOf(health).rank === uncrawled && needOf(health).words !== null
  )
  return first === undefined || second !== undefined ? null : first.id
}

/** All sites, most urgent first. */
export const Sites = () => {
  const sites = useAll<Site>("/projects?include=health")
  const isAnyRunning = sites.data?.some(({ health }) => health.running_run_id !== null) === true
  usePoll(sites.reload, isAnyRunning ? 5 : null)
  const render = useSignal<Run["request"]["render"]>("auto")
  const adding = useAction(
    async (address: string) => {
      const outcome = await add(address, render.value)
      // The site may exist even if its crawl did not start.
      if (outcome.failure !== null) sites.reload()
      return outcome
    },
    ({ id, project_id }) => go(["sites", project_id, "health", id])
  )
  return (
    <Page title="Sites">
      <Field
        label="Website URL"
        action="Add site"
        inputMode="url"
        isBusy={adding.isBusy}
        onSubmit={adding.run}
        hint="The first crawl starts immediately and covers the whole host."
      />
      <Details summary="Options">
        {() => (
          <div class="actions">
            <RenderChoice render={render} />
          </div>
        )}
      </Details>
      {adding.failure !== null && <Failed failure={adding.failure} />}
      <Loaded read={sites}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Add your first site">
              Enter a URL above. Findable crawls up to 50 pages and lists what to fix first. Takes about a minute.
            </Empty>
          ) : (
            <>
              <p>{summary(all)}</p>
              <Rows
                caption="Sites, those that need attention first"
                columns={columnsFor(onlyUncrawled(all))}
                keyOf={({ id }) => id}
                name="sites"
                size={20}
                rows={byNeed(all)}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
