import { useSignal } from "@preact/signals"
import type { Health, ListedProject, Project, Run } from "../api/Contract.ts"
import { useAction, useAll, usePoll } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { ask } from "../api/Session.ts"
import { Spark } from "../chart/Charts.tsx"
import { go } from "../Place.ts"
import { addressOf, none, plural, points } from "../parts/Formats.ts"
import { Field } from "../parts/Forms.tsx"
import { Change, Empty, Failed, Loaded, Score, Tag, When } from "../parts/Status.tsx"
import { type Column, Details, Page, Rows } from "../parts/Tables.tsx"
import { runHash } from "../SiteRoutes.ts"
import { byNeed, needOf } from "./Needs.ts"
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

/** The columns of the list. */
const columns: ReadonlyArray<Column<Site>> = [
  {
    cell: ({ health, host, id, name }) => {
      const { rank, words } = needOf(health)
      return (
        <>
          <a href={`#/sites/${id}`}>{name}</a>
          {name !== host && <small class="quiet">{host}</small>}
          {words !== null && (
            <div>
              <Tag text={words} tone={rank < 2 ? "bad" : "warn"} />
              {health.failed !== null && health.running_run_id === null && <small>{health.failed.message}</small>}
            </div>
          )}
        </>
      )
    },
    kind: "address",
    name: "Site"
  },
  {
    cell: ({ health: { findings, score, status } }) => (
      <Score score={score} critical={findings?.critical ?? 0} isPartial={status === "partial"} />
    ),
    name: "Score"
  },
  { cell: ({ health }) => <Change by={health.delta} format={points} />, name: "vs. previous crawl" },
  {
    cell: ({ health: { scores } }) =>
      scores.length > 1 ? (
        <Spark label={sparkLabel(scores)} values={scores.toReversed().map(({ score }) => score)} />
      ) : (
        none
      ),
    name: "Trend"
  },
  { cell: ({ health }) => health.findings?.critical ?? none, kind: "number", name: "Critical issues" },
  {
    cell: ({ health: { failed, finished_at, running_run_id }, id }) =>
      running_run_id !== null ? (
        <a href={runHash(id, running_run_id)}>Crawling now</a>
      ) : failed !== null ? (
        <>
          <a class="bad" href={runHash(id, failed.run_id)}>
            failed
          </a>
          , <When at={failed.finished_at} />
        </>
      ) : (
        <When at={finished_at} />
      ),
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
            <RenderChoice
              render={render.value}
              choose={(chosen) => {
                render.value = chosen
              }}
            />
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
                columns={columns}
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
