import { useSignal } from "@preact/signals"
import type { AuditedPage, AuditFix, ListedAudit } from "../api/Contract.ts"
import { useAction, usePages, useRead, useWindow } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { Line } from "../chart/Charts.tsx"
import { spanOf } from "../chart/Geometry.ts"
import { route } from "../Place.ts"
import { addressOf, count, none, words } from "../parts/Formats.ts"
import { Field } from "../parts/Forms.tsx"
import { Empty, Failed, Loaded, Outside, Score, Severity, When } from "../parts/Status.tsx"
import { type Column, Details, Missing, Page, Pages, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { Prompt } from "./Repair.tsx"
import type { SiteProperties } from "./SiteScreens.tsx"
import { sources, type Vital, valueOf, verdictOn, vitals } from "./Vitals.ts"

type Categories = ReadonlyArray<readonly [name: keyof NonNullable<ListedAudit["scores"]>, title: string]>

/** Completed audits; others have no values. */
const completed = (audits: ReadonlyArray<ListedAudit>) => audits.filter(({ status }) => status === "completed")

const Charts = ({
  audits,
  categories
}: {
  readonly audits: ReadonlyArray<ListedAudit>
  readonly categories: Categories
}) => {
  const rising = completed(audits).toReversed()
  const pointsOf = (value: (audit: ListedAudit) => number | null | undefined) =>
    rising.map((audit) => ({ at: Date.parse(audit.measured_at), value: value(audit) ?? null }))
  const seriesOf = ({ name, title }: Vital) => ({
    name: title,
    points: pointsOf(({ core_web_vitals }) => core_web_vitals?.metrics[name])
  })
  const times = vitals
    .filter(({ name }) => name !== "cls")
    .map(seriesOf)
    .filter(({ points }) => points.some(({ value }) => value !== null))
  const shifts = vitals.filter(({ name }) => name === "cls").map(seriesOf)
  const [, most] = spanOf(shifts.flatMap(({ points }) => points.flatMap(({ value }) => value ?? [])))
  return (
    <>
      <Line
        title="Scores by audit"
        span={[0, 100]}
        format={count}
        series={categories.map(([category, name]) => ({ name, points: pointsOf(({ scores }) => scores?.[category]) }))}
      />
      <Line
        title="Loading times in milliseconds"
        format={(value) => count(value === null ? null : Math.round(value))}
        series={times}
      />
      <Line
        title="Cumulative Layout Shift by audit"
        format={(value) => (value === null ? none : valueOf("cls", value))}
        span={[0, Math.max(0.3, most)]}
        series={shifts}
      />
    </>
  )
}

/** The latest values, each with its rating and its source. */
const Latest = ({ core_web_vitals }: ListedAudit) => (
  <Table
    caption="Latest values and their sources"
    keyOf={({ name }) => name}
    rows={vitals}
    columns={[
      { cell: ({ title }) => title, name: "Metric" },
      {
        cell: ({ name }) => {
          const value = core_web_vitals?.metrics[name] ?? null
          return value === null ? "not measured" : valueOf(name, value)
        },
        kind: "number",
        name: "Value"
      },
      {
        cell: (vital) => {
          const value = core_web_vitals?.metrics[vital.name] ?? null
          const verdict = value === null ? null : verdictOn(vital, value)
          return verdict === null ? none : <span class={`score ${verdict}`}>{words(verdict)}</span>
        },
        name: "Rating"
      },
      {
        cell: ({ name }) => {
          const source = core_web_vitals?.sources[name] ?? null
          return source === null ? none : sources[source]
        },
        name: "Source"
      }
    ]}
  />
)

const Fixes = ({ id }: { readonly id: string }) => {
  const fixes = useRead<ReadonlyArray<AuditFix>>(`/audits/${id}/fixes`)
  const { pager, shown } = useWindow(fixes.data ?? [])
  return (
    <>
      <h2>{fixes.data === null ? "Issues" : `Issues (${fixes.data.length})`}</h2>
      <Loaded read={fixes}>
        {(all) =>
          all.length === 0 ? (
            <p>No issues: all checks passed.</p>
          ) : (
            <>
              <p>The most severe first.</p>
              {shown.map(({ agent_prompt, category, human_summary, id, severity, why_it_matters }) => (
                <Details
                  key={id}
                  kind={`finding ${severity}`}
                  summary={
                    <>
                      <Severity severity={severity} /> {human_summary} <small>{words(category)}</small>
                    </>
                  }
                >
                  {() => (
                    <div>
                      <p>{why_it_matters}</p>
                      <Prompt text={agent_prompt} />
                    </div>
                  )}
                </Details>
              ))}
              <Pages name="issues" pager={pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The audits of one page on one device: latest values, history and issues. */
const PageAudits = ({
  categories,
  device,
  url
}: {
  readonly categories: Categories
  readonly url: string
  /** Null for audits without a device. */
  readonly device: string | null
}) => {
  const audits = useRead<ReadonlyArray<ListedAudit>>(
    `/audits${queryOf({ device, limit: "100", sort: "measured_at", url })}`
  )
  return (
    <Page title="Page audits" back={[hashOf(route.value.segments), "Audits"]}>
      <p>
        <Outside href={url} />, {device === null ? "unknown device" : device}
      </p>
      <Loaded read={audits}>
        {(all) => {
          // Without a device the list has the audits of all devices.
          const own = all.filter((audit) => audit.device === device)
          const [newest] = completed(own)
          const failed = own[0]?.error ?? null
          return (
            <>
              {failed !== null && (
                <p class="bad">
                  Latest audit failed: {failed.message} (<code>{failed.code}</code>)
                </p>
              )}
              {newest === undefined ? (
                <Empty
                  title="No completed audit yet"
                  api={
                    <>
                      POST a Lighthouse report to <code>/api/v1/audits/imports</code>
                    </>
                  }
                >
                  Scores and issues appear after the next scheduled audit of this page.
                </Empty>
              ) : (
                <>
                  <p class="big">
                    <Score score={newest.overall_score} />
                  </p>
                  <p>
                    Core Web Vitals: {words(newest.core_web_vitals?.status ?? "unknown")}. Latest audit{" "}
                    <When at={newest.measured_at} />
                  </p>
                  <Latest {...newest} />
                  <Charts audits={own} categories={categories} />
                  <Fixes id={newest.id} />
                </>
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

const categories = [
  ["performance", "Performance"],
  ["accessibility", "Accessibility"],
  ["best_practices", "Best practices"],
  ["seo", "SEO"]
] as const

const stateOf = ({ core_web_vitals, error }: ListedAudit) =>
  error === null ? words(core_web_vitals?.status ?? none) : <span class="bad">failed: {error.message}</span>

const columns: ReadonlyArray<Column<AuditedPage>> = [
  {
    cell: ({ device, url }) => (
      <>
        <a href={hashOf(route.value.segments, { device, url })}>{url}</a>
        <small>{device ?? "unknown device"}</small>
      </>
    ),
    kind: "address",
    name: "Page"
  },
  { cell: ({ latest }) => <Score score={latest.overall_score} />, name: "Score" },
  ...categories.map(([category, name]) => ({
    cell: ({ latest }: AuditedPage) => count(latest.scores?.[category]),
    kind: "number" as const,
    name
  })),
  { cell: ({ latest }) => stateOf(latest), name: "Core Web Vitals" },
  { cell: ({ audits }) => count(audits), kind: "number", name: "Audits" },
  { cell: ({ latest }) => <When at={latest.measured_at} />, name: "Latest audit" }
]

/** Schedules daily audits of a page. */
const Schedule = () => {
  const isDone = useSignal(false)
  const scheduling = useAction(
    (url: string) => ask("POST", "/audit-schedules", { body: { every: "1d", url: addressOf(url) } }),
    () => {
      isDone.value = true
    }
  )
  return (
    <>
      <Field
        label="Page URL"
        action="Schedule audit"
        inputMode="url"
        isBusy={scheduling.isBusy}
        onSubmit={scheduling.run}
        hint="Lighthouse audits the page every day, starting now."
      />
      {scheduling.failure !== null && <Failed failure={scheduling.failure} />}
      <p class="good" role="status">
        {isDone.value && "Audit scheduled. Its result appears here in a minute or two."}
      </p>
    </>
  )
}

const AllPages = () => {
  const pages = usePages<AuditedPage>("/audited-pages")
  return (
    <Page title="Audits">
      <Loaded read={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              title="No audits yet"
              api={
                <>
                  POST a page’s URL to <code>/api/v1/audit-schedules</code>, or a Lighthouse report to{" "}
                  <code>/api/v1/audits/imports</code>
                </>
              }
            >
              <p>Schedule Lighthouse audits to track a page’s speed, accessibility and Core Web Vitals.</p>
              <Schedule />
            </Empty>
          ) : (
            <>
              <Table
                caption="Audited pages with their latest scores"
                keyOf={({ device, url }) => `${device} ${url}`}
                rows={rows}
                columns={columns}
              />
              <Pages name="audited pages" pager={pages.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** All audited pages, or the audits of one page. */
export const Audits = ({ rest }: SiteProperties) => {
  const { query } = route.value
  const url = query.get("url")
  if (rest.length > 0) return <Missing />
  return url === null ? (
    <AllPages />
  ) : (
    <PageAudits key={`${url} ${query.get("device")}`} categories={categories} device={query.get("device")} url={url} />
  )
}
