import { useSignal } from "@preact/signals"
import type { Backlink, BacklinkChange, Checks, ReferringDomain } from "../api/Contract.ts"
import { usePages, usePoll } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, now, refine, route } from "../Place.ts"
import { Act, Download } from "../parts/Acts.tsx"
import { count, dayAt, dayLength, none, plural, relative } from "../parts/Formats.ts"
import { Choice, Field, Select } from "../parts/Forms.tsx"
import { lazy } from "../parts/Lazy.tsx"
import { Empty, Loaded, Outside, Tag, When } from "../parts/Status.tsx"
import { Missing, Page, Pages, Table, Tabs } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import type { SiteProperties } from "../SiteRoutes.ts"
import { authorityOf, kinds, relOf, states, stateTones, tools, whyOf } from "./LinkWords.ts"

const Import = lazy(async () => (await import("./LinkImports.tsx")).LinkImports)

const asked = (name: string) => route.value.query.get(name) ?? ""

/** A list of named values as buttons, with one for all of them. */
const withAll = (names: Readonly<Record<string, string>>) => [
  { text: "All", value: "" },
  ...Object.entries(names).map(([value, text]) => ({ text, value }))
]

const hashOfPart = (id: string, part: string, filters: Readonly<Record<string, string>> = {}) =>
  hashOf(["sites", id, "links", ...(part === "" ? [] : [part])], filters)

const parts = [
  ["", "Backlinks"],
  ["domains", "Referring domains"],
  ["changes", "New and lost"],
  ["imports", "Import"]
] as const

const rels = { "": "Any rel", none: "followed", nofollow: "nofollow", sponsored: "sponsored", ugc: "ugc" }

/** Fields that narrow the list; each is a part of the URL. */
const Filters = () => (
  <>
    <Choice label="Status" chosen={asked("state")} options={withAll(states)} choose={(state) => refine({ state })} />
    <div class="filters">
      <div class="field">
        <Select label="Rel" options={rels} value={asked("rel")} choose={(rel) => refine({ rel })} />
      </div>
      <div class="field">
        <Select
          label="Reported by"
          options={{ "": "Any tool", ...tools }}
          value={asked("source")}
          choose={(source) => refine({ source })}
        />
      </div>
      <Narrow key={`domain ${asked("domain")}`} label="Domain" name="domain" />
      <Narrow key={`path ${asked("target_path")}`} label="Path on your site" name="target_path" />
    </div>
  </>
)

/** A text that narrows the list; without a text, all entries are shown. */
const Narrow = ({ label, name }: { readonly label: string; readonly name: string }) =>
  asked(name) === "" ? (
    <Field label={label} action="Filter" onSubmit={(text) => refine({ [name]: text })} />
  ) : (
    <div class="field">
      <b>{label}</b>
      <div>
        <button type="button" onClick={() => refine({ [name]: null })}>
          {asked(name)} <span aria-hidden="true">✕</span>
          <span class="hidden">Remove filter</span>
        </button>
      </div>
    </div>
  )

const filtersOf = () => ({
  domain: asked("domain"),
  rel: asked("rel"),
  source: asked("source"),
  state: asked("state"),
  target_path: asked("target_path")
})

const Status = ({ of }: { readonly of: Backlink }) => (
  <>
    <Tag text={states[of.state]} tone={stateTones[of.state]} /> <small>{whyOf(of)}</small>
  </>
)

const Backlinks = ({ id }: { readonly id: string }) => {
  const path = `/projects/${id}/backlinks`
  const query = queryOf(filtersOf())
  const links = usePages<Backlink>(`${path}${query}`)
  const queued = useSignal("")
  const checking = (of: string) => (made: Checks) => {
    queued.value = of
    announcement.value = `${plural(made.due, "linking page")} to check.`
  }
  // A queued check ends within seconds to minutes, and the row shows its result.
  usePoll(links.reload, queued.value === "" ? null : 5)
  return (
    <Loaded read={links}>
      {(rows) =>
        rows.length === 0 && query === "" ? (
          <Nothing id={id} />
        ) : (
          <>
            <Filters />
            <div class="actions">
              <Act
                action="Check due links"
                scope="backlinks:write"
                work={() => ask<Checks>("POST", `/projects/${id}/backlinks/check`)}
                done={checking("due")}
              />
              <Download action="Export CSV" name="backlinks.csv" path={`${path}${query}`} />
              <span class="quiet" role="status">
                {queued.value !== "" && "Checking. Results appear here."}
              </span>
            </div>
            {rows.length === 0 ? (
              <p>No backlinks match these filters.</p>
            ) : (
              <Table
                caption="Backlinks, the latest first"
                keyOf={({ id }) => id}
                rows={rows}
                columns={[
                  {
                    cell: ({ anchor_text, source_url, target_url }) => (
                      <>
                        <Outside href={source_url} />
                        <small>
                          {anchor_text !== null && `“${anchor_text}” `}
                          {target_url !== null && `→ ${target_url}`}
                        </small>
                      </>
                    ),
                    kind: "address",
                    name: "Linking page"
                  },
                  { cell: (link) => <Status of={link} />, name: "Status" },
                  { cell: ({ rel }) => relOf(rel), name: "Rel" },
                  { cell: ({ authority }) => authorityOf(authority), name: "Authority" },
                  { cell: ({ first_seen_at }) => dayAt(Date.parse(first_seen_at)), name: "First reported" },
                  {
                    cell: ({ checked_at, last_live_at, state }) => (
                      <>
                        {checked_at === null ? none : relative(Date.parse(checked_at), now.value)}{" "}
                        {state !== "live" && last_live_at !== null && (
                          <small>live until {dayAt(Date.parse(last_live_at))}</small>
                        )}
                      </>
                    ),
                    name: "Last checked"
                  },
                  {
                    cell: (link) => (
                      <Act
                        action="Check again"
                        scope="backlinks:write"
                        blocked={queued.value === link.id ? "Check in progress" : null}
                        work={() => ask<Checks>("POST", `/projects/${id}/backlinks/check/${link.id}`)}
                        done={checking(link.id)}
                      />
                    ),
                    name: "Action"
                  }
                ]}
              />
            )}
            <Pages name="backlinks" pager={links.pager} />
          </>
        )
      }
    </Loaded>
  )
}

const Nothing = ({ id }: { readonly id: string }) => (
  <Empty title="No backlinks yet">
    <p>Import an export of Search Console or a backlink tool to see who links to you, and which links you lose.</p>
    <p>
      <a class="button main" href={hashOfPart(id, "imports")}>
        Import backlinks
      </a>
    </p>
    <p class="quiet">
      Looking for broken links on your own pages? Find them under{" "}
      <a href={hashOf(["sites", id, "health"], { view: "links" })}>Health → Links</a>.
    </p>
  </Empty>
)

const Domains = ({ id }: { readonly id: string }) => {
  const path = `/projects/${id}/backlinks/domains`
  const domains = usePages<ReferringDomain>(path)
  return (
    <Loaded read={domains}>
      {(rows) =>
        rows.length === 0 ? (
          <Nothing id={id} />
        ) : (
          <>
            <div class="actions">
              <Download action="Export CSV" name="referring-domains.csv" path={path} />
            </div>
            <Table
              caption="Referring domains, by name"
              keyOf={({ domain }) => domain}
              rows={rows}
              columns={[
                {
                  cell: ({ domain, links }) =>
                    links === 0 ? domain : <a href={hashOfPart(id, "", { domain })}>{domain}</a>,
                  kind: "address",
                  name: "Domain"
                },
                {
                  cell: ({ links, live_links, lost_at }) =>
                    lost_at !== null ? (
                      <Tag text="Lost" tone="bad" />
                    ) : live_links > 0 ? (
                      <Tag text="Live" tone="good" />
                    ) : (
                      <Tag text={links === 0 ? "Reported only" : "Not live"} tone="quiet" />
                    ),
                  name: "Status"
                },
                { cell: ({ authority }) => authorityOf(authority), name: "Authority" },
                { cell: ({ links }) => count(links), kind: "number", name: "Linking pages" },
                { cell: ({ live_links }) => count(live_links), kind: "number", name: "Live" },
                { cell: ({ reported_links }) => count(reported_links), kind: "number", name: "Reported by the tool" },
                { cell: ({ lost_at }) => (lost_at === null ? none : <When at={lost_at} />), name: "Lost" }
              ]}
            />
            <Pages name="referring domains" pager={domains.pager} />
          </>
        )
      }
    </Loaded>
  )
}

const kindTones = { lost: "bad", new: "good", recovered: "good", rel_changed: "warn" } as const

const spans = { "": "All time", "7": "Last 7 days", "28": "Last 28 days", "90": "Last 90 days" }

/** The start of a span of days; it moves once a day. */
const sinceOf = (days: string) =>
  days === "" ? null : new Date(Math.floor(now.value / dayLength - Number(days)) * dayLength).toISOString()

const Changes = ({ id }: { readonly id: string }) => {
  const [kind, days] = [asked("kind"), asked("days")]
  const path = `/projects/${id}/backlinks/changes${queryOf({ kind, since: sinceOf(days) })}`
  const changes = usePages<BacklinkChange>(path)
  return (
    <>
      <Choice label="Kind of change" chosen={kind} options={withAll(kinds)} choose={(kind) => refine({ kind })} />
      <div class="actions">
        <Select label="Period" options={spans} value={days} choose={(days) => refine({ days })} />
        <Download action="Export CSV" name="backlink-changes.csv" path={path} />
      </div>
      <Loaded read={changes}>
        {(rows) =>
          rows.length > 0 ? (
            <Table
              caption="Changes of backlinks, the latest first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  cell: ({ source_domain, source_url }) => (
                    <>
                      <Outside href={source_url} />
                      <small>{source_domain}</small>
                    </>
                  ),
                  kind: "address",
                  name: "Linking page"
                },
                { cell: ({ kind }) => <Tag text={kinds[kind]} tone={kindTones[kind]} />, name: "Change" },
                {
                  cell: ({ kind, previous_rel, rel }) =>
                    kind === "rel_changed" ? `${relOf(previous_rel)} → ${relOf(rel)}` : none,
                  name: "Rel"
                },
                { cell: ({ at }) => <When at={at} />, name: "Found" }
              ]}
            />
          ) : kind === "" && days === "" ? (
            <p>No changes yet. New and lost links appear here after imports and checks.</p>
          ) : (
            <p>No changes of this kind in this period.</p>
          )
        }
      </Loaded>
      <Pages name="changes" pager={changes.pager} />
    </>
  )
}

/** The backlinks of a site, its referring domains, their changes, and imports. */
export const Links = ({ rest, site: { id, name } }: SiteProperties) => {
  const [part = "", ...more] = rest
  const title = parts.find(([segment]) => segment === part)?.[1]
  if (title === undefined || more.length > 0) return <Missing />
  return (
    <Page title={part === "" ? `Links to ${name}` : title}>
      <Tabs
        label="Links"
        of={parts.map(([segment, name]) => ({
          href: hashOfPart(id, segment),
          isCurrent: segment === part,
          name
        }))}
      />
      {part === "" && <Backlinks id={id} />}
      {part === "domains" && <Domains id={id} />}
      {part === "changes" && <Changes id={id} />}
      {part === "imports" && <Import id={id} />}
    </Page>
  )
}
