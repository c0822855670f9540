import { reasonWords } from "../../../../crawl/report/Labels.ts"
import type { Diff, HistoryPoint, Rule } from "../api/Contract.ts"
import { useRead, useRules } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { absolute, none, plural, points } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Change, Empty, Loaded, Outside, Severity } from "../parts/Status.tsx"
import { type Column, Rows } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { Part, partSize } from "./Findings.tsx"

type Unit = Diff["findings"]["new"][number]
type Open = Diff["findings"]["not_comparable"][number]

/** Why the crawl without the issue cannot tell whether it was there. */
const causes: Readonly<Record<Open["cause"], string>> = {
  browser_differs: "rendered the page with another browser version",
  limit_reached: "stopped at its limit before this page",
  not_reached: "didn’t reach this page",
  not_recorded: "was saved by another version of Findable",
  options_differ: "had different settings",
  rule_not_assessed: "didn’t run this check here",
  unverified: "got no response for this page"
}

/** The crawl without the issue, by the one that has it. */
const others = { after: "the earlier crawl", before: "the later crawl" } as const

/** Groups alike issues of one check, such as a link in the navigation of all pages, into one row. */
const grouped = <T extends Unit>(units: ReadonlyArray<T>): ReadonlyArray<T & { readonly others: number }> => {
  const groups = Map.groupBy(units, ({ detail, rule, ...unit }) =>
    JSON.stringify([rule, detail, "cause" in unit && unit.cause, "found_in" in unit && unit.found_in])
  )
  return Array.from(groups.values(), ([first, ...others]) =>
    first === undefined ? [] : [{ ...first, others: others.length }]
  ).flat()
}

type Row = Unit & { readonly others: number }
type OpenRow = Open & { readonly others: number }

const findingColumns = (ruleOf: (id: string) => Rule): ReadonlyArray<Column<Row>> => [
  {
    cell: ({ others, url }) => (
      <>
        <Outside href={url} />
        {others > 0 && <small>and {plural(others, "other page")}</small>}
      </>
    ),
    kind: "address",
    name: "Page"
  },
  { cell: ({ rule }) => ruleOf(rule).title, name: "Issue" },
  { cell: ({ severity }) => <Severity severity={severity} />, name: "Severity" },
  { cell: ({ detail }) => detail, kind: "address", name: "Details" }
]

/** The issues of two crawls in four lists. */
const ChangedFindings = ({
  findings,
  ruleOf
}: {
  readonly findings: Diff["findings"]
  readonly ruleOf: (id: string) => Rule
}) => {
  const columns = findingColumns(ruleOf)
  const keyOf = ({ detail, rule, url }: Unit) => `${rule} ${url} ${detail}`
  const parts = [
    { name: "new", rows: findings.new, title: "New" },
    { name: "fixed", rows: findings.fixed, title: "Fixed" },
    { name: "unresolved", rows: findings.persisting, title: "Unresolved" }
  ]
  return (
    <>
      <h2>Issues</h2>
      <p>
        {findings.new.length} new · {findings.fixed.length} fixed · {findings.persisting.length} unresolved ·{" "}
        {findings.not_comparable.length} not comparable
      </p>
      {parts.map(({ name, rows, title }) => (
        <Part key={name} title={title} size={rows.length} isOpen={name !== "unresolved"}>
          {() => (
            <Rows
              size={partSize}
              caption={`${title} issues`}
              name={`${name} issues`}
              columns={columns}
              keyOf={keyOf}
              rows={grouped(rows)}
            />
          )}
        </Part>
      ))}
      <Part title="Not comparable" size={findings.not_comparable.length}>
        {() => (
          <Rows<OpenRow>
            size={partSize}
            caption="Issues that only one of the crawls could check"
            name="issues that are not comparable"
            keyOf={(unit) => `${unit.found_in} ${unit.cause} ${keyOf(unit)}`}
            rows={grouped(findings.not_comparable)}
            columns={[
              ...columns,
              { cell: ({ cause, found_in }) => `Can’t compare: ${others[found_in]} ${causes[cause]}`, name: "Why" }
            ]}
          />
        )}
      </Part>
    </>
  )
}

type DeadLink = Diff["dead_links"]["new"][number]
type State = Diff["pages"]["changed"][number]["before"]

const linkColumns: ReadonlyArray<Column<DeadLink>> = [
  { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Broken URL" },
  { cell: ({ linked_from }) => <Outside href={linked_from} />, kind: "address", name: "Linked from" },
  { cell: ({ http_status }) => http_status, kind: "number", name: "Status" }
]

const stateOf = (state: State) =>
  state === null
    ? none
    : `${state.http_status ?? "no response"}, ${reasonWords[state.health_reason]}, ${state.title ?? "no title"}`

const LinksOf = ({
  isOpen = false,
  links,
  title
}: {
  readonly title: string
  readonly links: ReadonlyArray<DeadLink>
  readonly isOpen?: boolean
}) => (
  <Part title={title} size={links.length} isOpen={isOpen}>
    {() => (
      <Rows
        size={partSize}
        caption={title}
        name={title.toLowerCase()}
        columns={linkColumns}
        keyOf={({ linked_from, url }) => `${url} ${linked_from}`}
        rows={links}
      />
    )}
  </Part>
)

/** Broken links of two crawls; unresolved ones are among the unresolved issues. */
const DeadLinks = ({ links }: { readonly links: Diff["dead_links"] }) => (
  <>
    <h2>Broken links</h2>
    <p>
      {links.new.length} new · {links.fixed.length} fixed · {links.persisting.length} unresolved
    </p>
    <LinksOf title="New broken links" links={links.new} isOpen />
    <LinksOf title="Fixed links" links={links.fixed} />
  </>
)

/** Pages added, removed or changed. */
const PageChanges = ({ pages }: { readonly pages: Diff["pages"] }) => (
  <>
    <h2>Pages</h2>
    <p>
      {pages.added.length} added · {pages.removed.length} removed · {pages.changed.length} changed
    </p>
    {(["added", "removed", "changed"] as const).map((kind) => (
      <Part key={kind} title={`${plural(pages[kind].length, "page")} ${kind}`} size={pages[kind].length}>
        {() => (
          <Rows
            size={partSize}
            caption={`Pages ${kind}`}
            name={`pages ${kind}`}
            keyOf={({ url }) => url}
            rows={pages[kind]}
            columns={[
              { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
              { cell: ({ before }) => stateOf(before), kind: "address", name: "Earlier crawl" },
              { cell: ({ after }) => stateOf(after), kind: "address", name: "Later crawl" }
            ]}
          />
        )}
      </Part>
    ))}
  </>
)

/** The earlier crawls to compare with. */
const Against = ({ chosen, earlier }: { readonly earlier: ReadonlyArray<HistoryPoint>; readonly chosen: string }) =>
  earlier.length < 2 ? null : (
    <div class="actions">
      <Select
        label="Compare with"
        value={chosen}
        choose={(against) => refine({ against })}
        options={Object.fromEntries(
          earlier.map(({ finished_at, run_id, score }) => [
            run_id,
            `${absolute(Date.parse(finished_at))}, ${score === null ? "no score" : `score ${score.aggregate_score}`}`
          ])
        )}
      />
    </div>
  )

/** The changes between a crawl and an earlier one, by default the latest. */
export const Compare = ({ earlier, run }: { readonly run: string; readonly earlier: ReadonlyArray<HistoryPoint> }) => {
  const against = route.value.query.get("against")
  const diff = useRead<Diff>(`/runs/${run}/diff${queryOf({ against })}`)
  const ruleOf = useRules()
  return diff.failure?.status === 409 ? (
    <Empty title="Nothing to compare yet">{diff.failure.message}</Empty>
  ) : (
    <Loaded read={diff}>
      {({ dead_links, findings, pages, score, ...both }) => (
        <>
          <Against chosen={both.against} earlier={earlier} />
          <p>
            {score === null ? (
              "No score comparison: a crawl has no score, or another version of Findable calculated it."
            ) : (
              <>
                Score {score.after} <Change by={score.delta} format={points} /> (earlier crawl: {score.before})
              </>
            )}
          </p>
          <ChangedFindings findings={findings} ruleOf={ruleOf} />
          <DeadLinks links={dead_links} />
          <PageChanges pages={pages} />
        </>
      )}
    </Loaded>
  )
}
