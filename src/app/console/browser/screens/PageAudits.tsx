import { useSignal } from "@preact/signals"
import type { AuditFix, AuditSchedule, ListedAudit, Project } from "../api/Contract.ts"
import { useRead, useWindow } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { rounded, spanOf } from "../chart/Geometry.ts"
import { route } from "../Place.ts"
import { Act } from "../parts/Acts.tsx"
import { count, none, pathOf, plural, words } from "../parts/Formats.ts"
import { Change, Empty, Loaded, Outside, Severity, When } from "../parts/Status.tsx"
import { Details, Page, Pages, Tabs } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { auditNow, deviceWords, measurers, Pending } from "./AuditActions.tsx"
import { categories, Measure, Ring, VitalsPill } from "./AuditParts.tsx"
import { Prompt } from "./Findings.tsx"
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
export const PageAudits = ({ site, url }: { readonly site: Project; readonly url: string }) => {
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
    <Page title={pathOf(url)} back={[hashOf(segments), "Audits"]} about={<Outside href={url} text="Open page" />}>
      <div class="actions">
        <Act
          action="Audit again"
          kind="main"
          scope="audits:write"
          isDisabled={pending.value !== null || !URL.canParse(url)}
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
