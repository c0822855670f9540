import {
  healthWords,
  indexabilityWords,
  reasonWords,
  robotsWords,
  sitemapWords
} from "../../../../crawl/report/Labels.ts"
import type { CrawledPage, DeadLink, Result } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { Download } from "../parts/Acts.tsx"
import { count, none, pathOf, plural, sentence } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { Search } from "../parts/SearchBox.tsx"
import { Loaded, Outside, Tag } from "../parts/Status.tsx"
import { type Column, Facts, type Order, Pages, Rows, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { Differences, RenderingSummary, renderingOf } from "./Rendering.tsx"

type Summary = Result["summary"]

const given = (name: string) => route.value.query.get(name)

/** The order of a list by the URL of the screen. */
const orderOf = (fallback: string): Order => {
  const by = given("sort") ?? fallback
  const isDescending = given("order") === "desc"
  return {
    by,
    choose: (sort) => refine({ order: sort === by && !isDescending ? "desc" : null, sort }),
    isDescending
  }
}

const filtered = (names: ReadonlyArray<string>) => queryOf(Object.fromEntries(names.map((name) => [name, given(name)])))

const toneOf = { eligible: "good", failed: "bad", hidden: "warn", redirect: "quiet", unchecked: "quiet" } as const

const Status = ({ page: { health_reason, health_state, http_status } }: { readonly page: CrawledPage }) => (
  <>
    <Tag text={healthWords[health_state]} tone={toneOf[health_state]} />
    <small>
      {http_status}
      {health_state !== "eligible" && ` ${reasonWords[health_reason]}`}
    </small>
  </>
)

const urlColumn: Column<CrawledPage> = {
  cell: ({ url }) => <Outside href={url} text={pathOf(url)} />,
  kind: "address",
  name: "URL",
  sort: "url"
}

/** Every URL of a crawl, filtered and sorted by the API. */
export const CrawledPages = ({ run, summary }: { readonly run: string; readonly summary: Summary }) => {
  const path = `/runs/${run}/pages${filtered(["state", "reason", "q", "sort", "order"])}`
  const pages = usePages<CrawledPage>(path)
  const { eligible, reasons } = summary.inventory
  return (
    <>
      <RenderingSummary of={summary.rendering} />
      <div class="actions">
        <Search label="Search URL or title" value={given("q") ?? ""} search={(q) => refine({ q })} />
        <span class="pair">
          <Select
            label="Status"
            value={given("reason") ?? ""}
            choose={(reason) => refine({ reason })}
            options={{
              "": "All",
              ok: `Indexable (${count(eligible)})`,
              ...Object.fromEntries(
                reasons.map(({ count: urls, reason }) => [reason, `${sentence(reasonWords[reason])} (${count(urls)})`])
              )
            }}
          />
        </span>
        <Download action="Export CSV" name="pages.csv" path={path} />
      </div>
      <Loaded read={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No page matches these filters.</p>
          ) : (
            <>
              <Table
                caption="Pages of the crawl"
                keyOf={({ url }) => url}
                rows={rows}
                order={orderOf("")}
                columns={[
                  urlColumn,
                  { cell: ({ title }) => title ?? none, kind: "address", name: "Title", sort: "title" },
                  { cell: (page) => <Status page={page} />, name: "Status", sort: "state" },
                  {
                    cell: ({ indexability_state }) => sentence(indexabilityWords[indexability_state]),
                    name: "Indexability",
                    sort: "indexability"
                  },
                  { cell: ({ depth }) => count(depth), kind: "number", name: "Depth", sort: "depth" },
                  {
                    cell: ({ rendering }) =>
                      rendering && (
                        <>
                          {renderingOf(rendering)}
                          <Differences of={rendering} />
                        </>
                      ),
                    name: "Rendering",
                    sort: "rendering"
                  }
                ]}
              />
              <Pages name="pages of the crawl" pager={pages.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

const kinds = [
  { text: "Broken links", value: "internal" },
  { text: "Broken external links", value: "external" },
  { text: "Redirects", value: "redirects" }
] as const

const LinkedFrom = ({ link: { linked_from, linked_from_count } }: { readonly link: DeadLink }) => {
  const [first] = linked_from
  return first === undefined ? (
    <span class="quiet">not linked</span>
  ) : (
    <>
      <Outside href={first} text={pathOf(first)} />
      {linked_from_count > 1 && <small>and {plural(linked_from_count - 1, "other page")}</small>}
    </>
  )
}

/** The broken URLs of a kind, with the pages that link to them. */
const Broken = ({
  kind,
  links,
  run
}: {
  readonly kind: string
  readonly run: string
  readonly links: Summary["dead_links"]
}) => {
  const path = `/runs/${run}/dead-links?${new URLSearchParams({ kind })}${filtered(["q", "sort", "order"]).replace("?", "&")}`
  const broken = usePages<DeadLink>(path)
  const { checked, found, state, unverified } = links
  if (state === "disabled" || state === "unavailable")
    return (
      <p>
        {state === "disabled" ? "This crawl did not check these links." : "No link could be checked."}{" "}
        {kind === "external" && "Turn on “Check external links” when you start a crawl."}
      </p>
    )
  return (
    <>
      <p>
        {plural(found, "broken URL")} · {count(checked)} checked · {count(unverified)} unverified
        {state === "partial" && " · the crawl did not cover every link"}
      </p>
      <div class="actions">
        <Search label="Search links" value={given("q") ?? ""} search={(q) => refine({ q })} />
        <Download action="Export CSV" name={`broken-links-${kind}.csv`} path={path} />
      </div>
      <Loaded read={broken}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{given("q") === null ? "No broken links." : "No broken link matches this search."}</p>
          ) : (
            <>
              <Table
                caption="Broken links"
                keyOf={({ url }) => url}
                rows={rows}
                order={orderOf("")}
                columns={[
                  {
                    cell: ({ anchor_text, url }) => (
                      <>
                        <Outside href={url} text={kind === "internal" ? pathOf(url) : url} />
                        {anchor_text !== null && <small>“{anchor_text}”</small>}
                      </>
                    ),
                    kind: "address",
                    name: "Broken URL",
                    sort: "url"
                  },
                  { cell: ({ http_status }) => http_status, kind: "number", name: "Status", sort: "http_status" },
                  { cell: (link) => <LinkedFrom link={link} />, kind: "address", name: "Linked from" },
                  {
                    cell: ({ linked_from_count }) => count(linked_from_count),
                    kind: "number",
                    name: "Linking pages",
                    sort: "linked_from_count"
                  }
                ]}
              />
              <Pages name="broken links" pager={broken.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The URLs that redirect, with their targets. */
const Redirects = ({ run }: { readonly run: string }) => {
  const path = `/runs/${run}/pages?state=redirect${filtered(["q", "sort", "order"]).replace("?", "&")}`
  const pages = usePages<CrawledPage>(path)
  return (
    <>
      <div class="actions">
        <Search label="Search redirects" value={given("q") ?? ""} search={(q) => refine({ q })} />
        <Download action="Export CSV" name="redirects.csv" path={path} />
      </div>
      <Loaded read={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No redirects.</p>
          ) : (
            <>
              <Table
                caption="Redirects"
                keyOf={({ url }) => url}
                rows={rows}
                order={orderOf("")}
                columns={[
                  urlColumn,
                  {
                    cell: ({ http_status }) => count(http_status),
                    kind: "number",
                    name: "Status",
                    sort: "http_status"
                  },
                  {
                    cell: ({ redirect_to }) => redirect_to !== null && <Outside href={redirect_to} />,
                    kind: "address",
                    name: "Redirects to"
                  },
                  {
                    cell: ({ linked_from_count }) => count(linked_from_count),
                    kind: "number",
                    name: "Linking pages",
                    sort: "linked_from_count"
                  }
                ]}
              />
              <Pages name="redirects" pager={pages.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** Broken links, broken external links, and redirects. */
export const Links = ({ run, summary }: { readonly run: string; readonly summary: Summary }) => {
  const kind = given("kind") ?? "internal"
  return (
    <>
      <Choice
        label="Kind of link"
        chosen={kind}
        options={kinds}
        choose={(chosen) => refine({ kind: chosen, order: null, q: null, sort: null })}
      />
      {kind === "redirects" ? (
        <Redirects run={run} />
      ) : (
        <Broken
          key={kind}
          kind={kind}
          links={kind === "external" ? summary.external_links : summary.dead_links}
          run={run}
        />
      )}
    </>
  )
}

/** What robots.txt lets search engines and AI companies crawl, and what the sitemaps list. */
export const Access = ({ summary: { robots, sitemap } }: { readonly summary: Summary }) => (
  <>
    <Facts
      of={[
        [
          "robots.txt",
          <>
            {sentence(robotsWords[robots.state])}: <Outside href={robots.url} />
          </>
        ],
        ["Crawl-delay", robots.crawl_delay_seconds === null ? "None" : `${robots.crawl_delay_seconds} s`],
        ["Sitemap", `${sentence(sitemapWords[sitemap.state])}, ${plural(sitemap.urls, "URL")}`]
      ]}
    />
    {robots.agents.length === 0 ? (
      <p>robots.txt did not respond, so access by crawler is unknown.</p>
    ) : (
      <Rows
        caption="Access by crawler"
        name="crawlers"
        keyOf={({ agent }) => agent}
        rows={robots.agents}
        columns={[
          { cell: ({ agent }) => agent, name: "Crawler" },
          {
            cell: ({ start_allowed }) => (
              <Tag text={start_allowed ? "allowed" : "blocked"} tone={start_allowed ? "good" : "bad"} />
            ),
            name: "Start page"
          },
          { cell: ({ allowed_pages }) => count(allowed_pages), kind: "number", name: "Allowed pages" },
          { cell: ({ blocked_pages }) => count(blocked_pages), kind: "number", name: "Blocked pages" },
          {
            cell: ({ line }) =>
              line === null ? (
                <span class="quiet">none applies</span>
              ) : (
                <>
                  <code>{line.text}</code>
                  <small>
                    Line {line.line}, group {line.group}
                  </small>
                </>
              ),
            kind: "address",
            name: "robots.txt line for the start page"
          }
        ]}
      />
    )}
  </>
)
