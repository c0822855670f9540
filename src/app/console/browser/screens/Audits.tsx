import type { AuditedPage, ListedAudit } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { route } from "../Place.ts"
import { count, none, words } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { type Column, Pages, Table } from "../parts/Table.tsx"
import { Score } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { hashOf } from "../Routes.ts"
import { PageAudits } from "./PageAudits.tsx"

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
        <a href={hashOf(["audits"], { device, url })}>{url}</a>
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
  { cell: ({ latest }) => <When at={latest.created_at} />, name: "Newest" }
]

const AllPages = () => {
  const pages = usePages<AuditedPage>("/audited-pages")
  return (
    <Page title="Audits">
      <Loaded read={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No audit yet">
              A POST to <code>/api/v1/audit-schedules</code> with the URL of a page audits it with Lighthouse again and
              again. A report that was made elsewhere can be sent to <code>/api/v1/audits/imports</code>.
            </Empty>
          ) : (
            <>
              <Table
                caption="Audited pages with their newest scores"
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

/** The pages that were audited, or the audits of one of them. */
export const Audits = () => {
  const { query } = route.value
  const url = query.get("url")
  return url === null ? (
    <AllPages />
  ) : (
    <PageAudits key={`${url} ${query.get("device")}`} categories={categories} device={query.get("device")} url={url} />
  )
}
