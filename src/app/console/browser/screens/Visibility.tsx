import type { PastRun, Prompt, Visible } from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { Interval, Line } from "../chart/Charts.tsx"
import { refine, route } from "../Place.ts"
import { absolute, count, share } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { lazy } from "../parts/Lazy.tsx"
import { Empty, Loaded, When } from "../parts/Status.tsx"
import { Missing, Page, Table, Tabs } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import type { SiteProperties } from "../SiteRoutes.ts"
import { comparedOf, engines, everyEngine, rateOf } from "./VisibilityWords.ts"

const Answers = lazy(async () => (await import("./VisibilityAnswers.tsx")).Answers)
const Domains = lazy(async () => (await import("./VisibilityAnswers.tsx")).Domains)
const Prompts = lazy(async () => (await import("./VisibilityPrompts.tsx")).Prompts)
const Runs = lazy(async () => (await import("./VisibilityRuns.tsx")).Runs)
const OneRun = lazy(async () => (await import("./VisibilityRuns.tsx")).OneRun)

const parts = [
  ["", "Rates"],
  ["prompts", "Prompts"],
  ["runs", "Runs"],
  ["answers", "Answers"],
  ["domains", "Cited domains"]
] as const

const hashOfPart = (id: string, part: string) => hashOf(["sites", id, "ai", ...(part === "" ? [] : [part])])

/** The next step of a site without a finished run: prompts, then a run. */
const Nothing = ({ id }: { readonly id: string }) => {
  const prompts = useRead<ReadonlyArray<Prompt>>(`/projects/${id}/geo/prompts?limit=1`)
  return (
    <Loaded read={prompts}>
      {(some) => {
        const [part, action] =
          some.length === 0 ? (["prompts", "Add prompts"] as const) : (["runs", "Start the first run"] as const)
        return (
          <Empty title="No answers yet">
            <p>See how often AI assistants cite and name your site when your customers ask them.</p>
            <p>
              <a class="button main" href={hashOfPart(id, part)}>
                {action}
              </a>
            </p>
          </Empty>
        )
      }}
    </Loaded>
  )
}

/** Rates of past runs, a line for each engine. One line alone has its interval; several would hide each other. */
const Trend = ({ past }: { readonly past: ReadonlyArray<PastRun> }) => {
  const lines = everyEngine.flatMap((engine) => {
    const points = past.toReversed().flatMap(({ engines, finished_at }) => {
      const cited = engines.find((one) => one.engine === engine)?.cited
      return cited ? [{ at: Date.parse(finished_at), interval: cited.interval, value: cited.rate }] : []
    })
    return points.length === 0 ? [] : [{ name: engines[engine], points }]
  })
  const series = lines.map(({ name, points }) => ({
    name,
    points: points.map(({ at, interval: [low, high], value }) =>
      lines.length === 1 ? { at, high, low, value } : { at, value }
    )
  }))
  return <Line title="Citation rate by run" format={share} series={series} span={[0, 1]} />
}

/** The citation rate of an engine with its interval, and its change against another run. */
const EngineCard = ({ cited, comparison, engine }: Visible) => (
  <section class="card">
    {cited === null ? (
      <p>{engines[engine]}: no answers with a web search.</p>
    ) : (
      <Interval
        title={`Cited by ${engines[engine]}`}
        format={share}
        low={cited.interval[0]}
        value={cited.rate}
        high={cited.interval[1]}
      />
    )}
    {comparison !== null && <p>{comparedOf(comparison)}</p>}
  </section>
)

const Rates = ({ id }: { readonly id: string }) => {
  const compare = route.value.query.get("compare")
  const rates = useRead<ReadonlyArray<Visible>>(`/projects/${id}/geo/visibility${queryOf({ compare })}`)
  const past = usePages<PastRun>(`/projects/${id}/geo/history`)
  const [newest, ...earlier] = past.data ?? []
  return (
    <Loaded read={rates}>
      {(rows) =>
        rows.length === 0 ? (
          <Nothing id={id} />
        ) : (
          <>
            <div class="actions">
              {newest !== undefined && (
                <span>
                  Latest run <When at={newest.finished_at} />
                </span>
              )}
              {earlier.length > 0 && (
                <Select
                  label="Compare with"
                  options={{
                    "": "no other run",
                    ...Object.fromEntries(
                      earlier.map(({ finished_at, run_id }) => [run_id, absolute(Date.parse(finished_at))])
                    )
                  }}
                  value={compare ?? ""}
                  choose={(compare) => refine({ compare })}
                />
              )}
            </div>
            <div class="cards">
              {rows.map((row) => (
                <EngineCard key={row.engine} {...row} />
              ))}
            </div>
            <Table
              caption="Rates of the latest run, by engine"
              keyOf={({ engine }) => engine}
              rows={rows}
              columns={[
                {
                  cell: ({ engine, model }) => (
                    <>
                      {engines[engine]}
                      <small>{model}</small>
                    </>
                  ),
                  kind: "address",
                  name: "Engine"
                },
                { cell: ({ cited }) => rateOf(cited), name: "Citation rate" },
                { cell: ({ mentioned }) => rateOf(mentioned), name: "Mention rate" },
                { cell: ({ searched_rate }) => share(searched_rate), kind: "number", name: "Web search" },
                { cell: ({ answers }) => count(answers), kind: "number", name: "Answers" },
                { cell: ({ errors }) => count(errors), kind: "number", name: "Errors" }
              ]}
            />
            {earlier.length > 0 && <Trend past={past.data ?? []} />}
            <p class="quiet">
              Rates are shares of the answers with a web search, with their 95% intervals. Findable asks the engines’
              interfaces, not their apps. Compare these rates over time; do not expect a person to see the same answers.
            </p>
          </>
        )
      }
    </Loaded>
  )
}

/** How AI assistants cite and name a site: rates, prompts, runs, answers. */
export const Visibility = ({ rest, site: { id, name } }: SiteProperties) => {
  const [part = "", run, ...more] = rest
  const title = parts.find(([segment]) => segment === part)?.[1]
  if (title === undefined || more.length > 0 || (run !== undefined && part !== "runs")) return <Missing />
  if (run !== undefined) return <OneRun id={id} run={run} back={[hashOfPart(id, "runs"), "Runs"]} />
  return (
    <Page title={part === "" ? `AI visibility of ${name}` : title}>
      <Tabs
        label="AI visibility"
        of={parts.map(([segment, name]) => ({ href: hashOfPart(id, segment), isCurrent: segment === part, name }))}
      />
      {part === "" && <Rates id={id} />}
      {part === "prompts" && <Prompts id={id} />}
      {part === "runs" && <Runs id={id} />}
      {part === "answers" && <Answers id={id} run={null} />}
      {part === "domains" && <Domains id={id} />}
    </Page>
  )
}
