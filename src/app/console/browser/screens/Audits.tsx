import { useSignal } from "@preact/signals"
import type { AuditedPage, AuditFix, AuditSchedule, ListedAudit, Project } from "../api/Contract.ts"
import { usePages, useRead, useWindow } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { rounded, spanOf } from "../chart/Geometry.ts"
import { refine, route } from "../Place.ts"
import { Act } from "../parts/Acts.tsx"
import { count, hostOf, none, pathOf, plural, words } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Change, Empty, Loaded, Outside, Severity, When } from "../parts/Status.tsx"
import { type Column, Details, Missing, Page, Pages, Table, Tabs } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import type { SiteProperties } from "../SiteRoutes.ts"
import { auditNow, deviceWords, ImportReport, measurers, NewAudit, Pending, Schedules } from "./AuditActions.tsx"
import { categories, Measure, Ring, VitalsPill } from "./AuditParts.tsx"
import { Prompt } from "./Repair.tsx"
import { type Vital, valueOf, vitals } from "./Vitals.ts"

/** Completed audits; others have no values. */
const completed = (audits: ReadonlyArray<ListedAudit>) => audits.filter(({ status }) => status === "completed")

/** The values of all audits by the time of measurement. */
const History = ({ audits }: { readonly audits: ReadonlyArray<ListedAudit> }) => {
  const rising = completed(audits).toReversed()
  const pointsOf = (value: (audit: ListedAudit) => number | null | undefined) =>
    rising.map((audit) => ({ at: Date.parse(audit.measured_at), value: value(audit) ?? null }))
  const seriesOf = ({ name, short }: Vital) => ({
    name: short,
    points: pointsOf(({ core_web_vitals }) => core_web_vitals?.metrics[name])
  })
  const times = vitals
    .filter(({ name }) => name !== "cls")
    .map(seriesOf)
    .filter(({ points }) => points.some(({ value }) => value !== null))
  const [, longest] = spanOf(times.flatMap(({ points }) => points.flatMap(({ value }) => value ?? [])))
  const shifts = vitals.filter(({ name }) => name === "cls").map(seriesOf)
  const [, most] = spanOf(shifts.flatMap(({ points }) => points.flatMap(({ value }) => value ?? [])))
  return (
    <>
      <h2>History</h2>
      <Line
        title="Scores"
        span={[0, 100]}
        format={count}
        series={categories.map(([category, name]) => ({ name, points: pointsOf(({ scores }) => scores?.[category]) }))}
      />
      <Line
        title="Loading times"
        span={rounded([0, longest], 4)}
        format={(value) => (value === null ? none : valueOf("lcp_ms", value))}
        series={times}
      />
      <Line
        title="Cumulative Layout Shift"
        format={(value) => (value === null ? none : valueOf("cls", value))}
        span={[0, Math.max(0.3, most)]}
        series={shifts}
      />
    </>
  )
}

const Fixes = ({ id }: { readonly id: string }) => {
  const fixes = useRead<ReadonlyArray<AuditFix>>(`/audits/${id}/fixes`)
  const { pager, shown } = useWindow(fixes.data ?? [], 10)
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
                      <Details summary="Prompt for a coding agent">{() => <Prompt text={agent_prompt} />}</Details>
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

/** The four scores, each with its change since the audit before. */
const Rings = ({ before, of }: { readonly of: ListedAudit; readonly before: ListedAudit | undefined }) => (
  <ul class="rings">
    {categories.map(([category, name]) => {
      const [now, then] = [of.scores?.[category], before?.scores?.[category]]
      return (
        <li key={category}>
          <Ring name={name} score={now} size={88} />
          {name}
          {now !== undefined && then !== undefined && now !== then && (
            <small>
              <Change by={now - then} />
            </small>
          )}
        </li>
      )
    })}
  </ul>
)

const Latest = ({ audits, newest }: { readonly audits: ReadonlyArray<ListedAudit>; readonly newest: ListedAudit }) => {
  const [, before] = completed(audits)
  const isChanged = categories.some(([category]) => before?.scores?.[category] !== newest.scores?.[category])
  return (
    <>
      <Rings of={newest} before={before} />
      <p class="quiet">
        Measured <When at={newest.measured_at} /> · {measurers[newest.source]}
        {before !== undefined && isChanged && (
          <>
            {" "}
            · changes since <When at={before.measured_at} />
          </>
        )}
      </p>
      <h2>
        Core Web Vitals <VitalsPill of={newest} />
      </h2>
      <dl class="vitals">
        {vitals.map((vital) => (
          <Measure key={vital.name} of={newest} vital={vital} />
        ))}
      </dl>
      <Fixes id={newest.id} />
      <History audits={audits} />
    </>
  )
}

/** Interval of the schedule that “Audit again” begins where the page has none. */
const usual = "7d"

/** The audits of one page: the scores and vitals of the latest one on a device, its issues, and the history. */
const PageAudits = ({ site, url }: { readonly site: Project; readonly url: string }) => {
  const audits = useRead<ReadonlyArray<ListedAudit>>(
    `/audits${queryOf({ limit: "100", project_id: site.id, sort: "measured_at", url })}`
  )
  const pending = useSignal<AuditSchedule | null>(null)
  const { query, segments } = route.value
  const devices = [...new Set(audits.data?.map(({ device }) => device))]
  const device = devices.find((one) => (one ?? "") === query.get("device")) ?? devices[0] ?? null
  const again = async () =>
    auditNow(site, { device: device ?? "mobile", every: usual, source: "lighthouse", url: new URL(url).href }, true)
  return (
    <Page
      title={pathOf(url) === "/" ? `${hostOf(url)}/` : pathOf(url)}
      back={[hashOf(segments), "Audits"]}
      about={<Outside href={url} text="Open page" />}
    >
      <div class="actions">
        <Act
          action="Audit again"
          kind="main"
          scope="audits:write"
          blocked={
            pending.value !== null ? "Audit in progress" : URL.canParse(url) ? null : "This is not the URL of a page"
          }
          work={again}
          done={(schedule) => {
            pending.value = schedule
          }}
        />
        <small class="quiet">Starts now and repeats on its schedule, or every week without one</small>
      </div>
      {pending.value !== null && (
        <Pending
          of={pending.value}
          done={() => {
            pending.value = null
            audits.reload()
          }}
        />
      )}
      <Loaded read={audits}>
        {(all) => {
          const own = all.filter((audit) => audit.device === device)
          const [newest] = completed(own)
          const failed = own[0]?.error ?? null
          return (
            <>
              {devices.length > 1 && (
                <Tabs
                  label="Device"
                  of={devices.map((one) => ({
                    href: hashOf(segments, { device: one, url }),
                    isCurrent: one === device,
                    name: `${deviceWords(one)} (${plural(all.filter((audit) => audit.device === one).length, "audit")})`
                  }))}
                />
              )}
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
                  Scores and issues appear after the next audit of this page.
                </Empty>
              ) : (
                <Latest audits={own} newest={newest} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

const columns: ReadonlyArray<Column<AuditedPage>> = [
  {
    cell: ({ audits, device, url }) => (
      <>
        <a href={hashOf(route.value.segments, { device, url })}>{pathOf(url)}</a>
        <small>
          {deviceWords(device)}
          {audits > 1 && ` · ${plural(audits, "audit")}`}
        </small>
      </>
    ),
    kind: "address",
    name: "Page"
  },
  ...categories.map(([category, name]) => ({
    cell: ({ latest }: AuditedPage) => <Ring name={name} score={latest.scores?.[category]} />,
    kind: "ring" as const,
    name
  })),
  { cell: ({ latest }) => <VitalsPill of={latest} />, name: "Web vitals" },
  { cell: ({ latest }) => <When at={latest.measured_at} />, name: "Latest audit" }
]

/** Four rings a row: more rows would be more elements than a fast page has. */
const rowsShown = 12

const panels = [
  ["new", "New audit"],
  ["schedules", "Schedules"],
  ["import", "Import report"]
] as const

/** The site's audited pages, with what starts, repeats and imports audits. */
const AllPages = ({ site }: Pick<SiteProperties, "site">) => {
  const { query } = route.value
  const chosen = query.get("device") ?? ""
  const pages = usePages<AuditedPage>(`/audited-pages${queryOf({ device: chosen, project_id: site.id })}`, rowsShown)
  const pending = useSignal<AuditSchedule | null>(null)
  const isBare = pages.data?.length === 0 && chosen === ""
  const panel = query.get("open") ?? (isBare && pending.value === null ? "new" : null)
  const begun = (schedule: AuditSchedule) => {
    pending.value = schedule
    refine({ open: null })
  }
  return (
    <Page title="Audits">
      <div class="actions">
        {panels.map(([value, text]) => (
          <button
            key={value}
            type="button"
            aria-expanded={panel === value}
            onClick={() => refine({ open: panel === value ? null : value })}
          >
            {text}
          </button>
        ))}
      </div>
      {panel !== null && (
        <section class="panel">
          {panel === "new" && <NewAudit site={site} done={begun} />}
          {panel === "schedules" && <Schedules site={site} />}
          {panel === "import" && <ImportReport site={site} done={pages.reload} />}
        </section>
      )}
      {pending.value !== null && (
        <Pending
          of={pending.value}
          done={() => {
            pending.value = null
            pages.reload()
          }}
        />
      )}
      <Loaded read={pages}>
        {(rows) =>
          isBare ? (
            <Empty
              title="No audits yet"
              api={
                <>
                  POST a page’s URL to <code>/api/v1/audit-schedules</code>, or a Lighthouse report to{" "}
                  <code>/api/v1/audits/imports</code>
                </>
              }
            >
              Audit your most important pages to track their speed, accessibility and Core Web Vitals.
            </Empty>
          ) : (
            <>
              <Choice
                label="Device"
                chosen={chosen}
                choose={(device) => refine({ device })}
                options={[
                  { text: "All devices", value: "" },
                  { text: "Mobile", value: "mobile" },
                  { text: "Desktop", value: "desktop" }
                ]}
              />
              {rows.length === 0 ? (
                <p>No page was audited on this device.</p>
              ) : (
                <Table
                  caption="Audited pages with their latest scores"
                  keyOf={({ device, url }) => `${device} ${url}`}
                  rows={rows}
                  columns={columns}
                />
              )}
              <Pages name="audited pages" pager={pages.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** All audited pages of the site, or the audits of one page. */
export const Audits = ({ rest, site }: SiteProperties) => {
  const url = route.value.query.get("url")
  if (rest.length > 0) return <Missing />
  return url === null ? <AllPages site={site} /> : <PageAudits key={url} site={site} url={url} />
}
