import { useSignal } from "@preact/signals"
import type { AuditedPage, AuditSchedule } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { pathOf, plural } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Empty, Loaded, When } from "../parts/Status.tsx"
import { type Column, Missing, Page, Pages, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { deviceWords, ImportReport, NewAudit, Pending, Schedules } from "./AuditActions.tsx"
import { categories, Ring, VitalsPill } from "./AuditParts.tsx"
import { PageAudits } from "./PageAudits.tsx"
import type { SiteProperties } from "./SiteScreens.tsx"

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
