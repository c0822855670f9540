import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Audit, AuditSchedule, ListedAudit, Project } from "../api/Contract.ts"
import { useAction, usePoll, useRead } from "../api/Read.ts"
import type { Failure, Outcome } from "../api/Send.ts"
import { ask, may, upload } from "../api/Session.ts"
import { announcement, route } from "../Place.ts"
import { Act, Form, Input } from "../parts/Acts.tsx"
import { FileForm } from "../parts/Files.tsx"
import { addressOf, hostOf, pathOf, plural, share } from "../parts/Formats.ts"
import { Chosen, Select } from "../parts/Forms.tsx"
import { Failed, Loaded, When } from "../parts/Status.tsx"
import { Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { choicesWith, everyOf } from "./Intervals.ts"

const write = "audits:write"

const devices = { desktop: "Desktop", mobile: "Mobile" }

/** The device of an audit in words. */
export const deviceWords = (device: ListedAudit["device"]) => (device === null ? "Unknown device" : devices[device])

/** Who measures. */
export const measurers = {
  import: "Imported report",
  lighthouse: "Lighthouse on this server",
  psi: "PageSpeed Insights"
} as const

const runners = { lighthouse: measurers.lighthouse, psi: `${measurers.psi} (with field data)` }

type NewSchedule = Pick<AuditSchedule, "every" | "url"> & { readonly device: string; readonly source: string }

const schedulesOf = (site: Project) => `/audit-schedules${queryOf({ limit: "100", project_id: site.id })}`

/** The host without `www.`; audits of a site are those on it. */
const bare = (host: string) => host.replace(/^www\./, "")

/** Whether a page is on a site. */
export const isOnSite = (url: string, { host }: Project): boolean => bare(hostOf(url)) === bare(host)

/**
 * Audits a page now: the first audit of a new schedule is due immediately, so an earlier schedule of the page and device makes room for a new one, which may
 * keep its interval and its source. Recorded audits stay.
 */
export const auditNow = async (site: Project, asked: NewSchedule, keeps = false): Promise<Outcome<AuditSchedule>> => {
  const listed = await ask<ReadonlyArray<AuditSchedule>>("GET", schedulesOf(site))
  if (listed.failure !== null) return listed
  const earlier = listed.data.find(({ device, url }) => device === asked.device && url === asked.url)
  if (earlier !== undefined) {
    const removed = await ask<null>("DELETE", `/audit-schedules/${earlier.id}`)
    if (removed.failure !== null) return removed
  }
  const kept = keeps && earlier !== undefined ? { every: earlier.every, source: earlier.source } : {}
  return ask<AuditSchedule>("POST", "/audit-schedules", { body: { ...asked, ...kept } })
}

/** An audit that has begun; `done` is called once it is recorded. */
export const Pending = ({ done, of }: { readonly of: AuditSchedule; readonly done: () => void }) => {
  const { created_at, device, url } = of
  const latest = useRead<ReadonlyArray<ListedAudit>>(`/audits${queryOf({ device, limit: "1", url })}`)
  const found = latest.data?.find((audit) => audit.created_at > created_at)
  usePoll(latest.reload, found === undefined ? 4 : null)
  useEffect(() => {
    if (found === undefined) return
    announcement.value = "Audit finished."
    done()
  }, [found])
  return (
    <div class="pending">
      <p>
        Auditing {pathOf(url)} on {device}. This takes a minute or two, and longer while other audits wait.
      </p>
      <progress aria-label="Audit" />
    </div>
  )
}

/** Audits a page now and repeatedly. */
export const NewAudit = ({
  done,
  site
}: {
  readonly site: Project
  readonly done: (schedule: AuditSchedule) => void
}) => {
  const url = useSignal(site.url)
  const device = useSignal("mobile")
  const every = useSignal("7d")
  const source = useSignal("lighthouse")
  const address = addressOf(url.value.trim())
  const isElsewhere = URL.canParse(address) && !isOnSite(address, site)
  return (
    <Form
      action="Run audit"
      scope={write}
      blocked={isElsewhere ? `${hostOf(address)} is another site` : null}
      work={() =>
        auditNow(site, {
          device: device.value,
          every: every.value,
          source: source.value,
          url: URL.canParse(address) ? new URL(address).href : address
        })
      }
      done={done}
    >
      <h2>New audit</h2>
      <p>
        The audit starts now and repeats on a schedule, so you see changes over time. To stop it, remove its schedule.
      </p>
      <Input label="Page URL" type="url" value={url} />
      {isElsewhere && (
        <p class="bad" role="alert">
          This page is on {hostOf(address)}. Enter a page on {site.host}, or add {hostOf(address)} as a new site.
        </p>
      )}
      <div class="fields">
        <Chosen label="Device" options={devices} of={device} />
        <Chosen label="Repeat" options={choicesWith(every.value)} of={every} />
        <Chosen label="Measured by" options={runners} of={source} />
      </div>
    </Form>
  )
}

const IntervalOf = ({ changed, of }: { readonly of: AuditSchedule; readonly changed: () => void }) => {
  const changing = useAction(
    (every: string) => ask<AuditSchedule>("PATCH", `/audit-schedules/${of.id}`, { body: { every } }),
    changed
  )
  return (
    <>
      {may(write) ? (
        <Select
          label={`Interval of ${pathOf(of.url)} on ${of.device}`}
          isHidden
          options={choicesWith(of.every)}
          value={of.every}
          choose={changing.run}
        />
      ) : (
        everyOf(of.every)
      )}
      {changing.failure !== null && <Failed failure={changing.failure} />}
    </>
  )
}

/** The schedules of a site's pages, with their removal. */
export const Schedules = ({ site }: { readonly site: Project }) => {
  const schedules = useRead<ReadonlyArray<AuditSchedule>>(schedulesOf(site))
  return (
    <>
      <h2>Schedules</h2>
      <Loaded read={schedules}>
        {(all) =>
          all.length === 0 ? (
            <p>No page is audited on a schedule yet. “New audit” starts one.</p>
          ) : (
            <Table
              caption="Schedules of audits"
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                { cell: ({ url }) => pathOf(url), kind: "address", name: "Page" },
                { cell: ({ device }) => deviceWords(device), name: "Device" },
                { cell: (one) => <IntervalOf of={one} changed={schedules.reload} />, name: "Interval" },
                { cell: ({ source }) => measurers[source], name: "Measured by" },
                { cell: ({ next_at }) => <When at={next_at} />, name: "Next audit" },
                {
                  cell: ({ id }) => (
                    <Act
                      action="Remove"
                      scope={write}
                      work={() => ask("DELETE", `/audit-schedules/${id}`)}
                      done={schedules.reload}
                    />
                  ),
                  name: "Schedule"
                }
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}

/** Names the file before the message, in place of the body of the request. */
const inFile = (failure: Failure, file: string): Failure => ({
  ...failure,
  message: `${file}: ${failure.message.replace(/^body\.?/, "").trim()}`
})

/** Imports a report of Lighthouse or PageSpeed Insights that was chosen or dropped. */
export const ImportReport = ({ done, site }: { readonly site: Project; readonly done: () => void }) => {
  const part = useSignal(0)
  const name = useSignal("")
  const imported = useSignal<Audit | null>(null)
  const sending = useAction(
    (file: File) => {
      part.value = 0
      name.value = file.name
      imported.value = null
      return upload<Audit>("/audits/imports", new File([file], file.name, { type: "application/json" }), (sent) => {
        part.value = sent
      })
    },
    (audit) => {
      imported.value = audit
      announcement.value = "Report imported."
      done()
    }
  )
  return (
    <>
      <h2>Import a report</h2>
      <p>
        A JSON report of Lighthouse 6 or later or of PageSpeed Insights, up to 10 MB. Its audit counts at the time when
        the page was measured.
      </p>
      <FileForm
        label="Lighthouse report (JSON)"
        action="Import report"
        accept=".json,application/json"
        kind="main"
        scope={write}
        isBusy={sending.isBusy}
        take={sending.run}
      />
      {sending.isBusy && <p>Uploading: {share(part.value)}</p>}
      {sending.failure !== null && <Failed failure={inFile(sending.failure, name.value)} />}
      {imported.value !== null && (
        <p class="good" role="status">
          Imported {name.value}: {imported.value.url},{" "}
          {plural(imported.value.findings_summary.critical, "critical issue")}.{" "}
          {isOnSite(imported.value.url, site) ? (
            <a href={hashOf(route.value.segments, { url: imported.value.url })}>Show page</a>
          ) : (
            `The page is on ${hostOf(imported.value.url)}, so it is listed under that site, not here.`
          )}
        </p>
      )}
    </>
  )
}
