import type { Diff, HistoryPoint, Rule, Run } from "../api/Contract.ts"
import { useRead, useRules } from "../api/Read.ts"
import { filter, route } from "../Place.ts"
import { absolute, none, plural, words } from "../parts/Formats.ts"
import { Change, Empty, Loaded, Outside, Severity } from "../parts/Status.tsx"
import { type Column, Page, Rows } from "../parts/Tables.tsx"
import { Part, partSize } from "./Findings.tsx"

type Unit = Diff["findings"]["new"][number]
type Open = Diff["findings"]["not_comparable"][number]

/** What each cause says of the run that does not settle a fault. */
const causes: Readonly<Record<Open["cause"], string>> = {
  limit_reached: "a limit ended that run before",
  not_reached: "that run met no such page",
  not_recorded: "that run was stored by another version",
  options_differ: "that run had other options",
  rule_not_assessed: "that run did not judge this rule there",
  unverified: "it did not answer in that run"
}

const sides = { after: "the later run", before: "the earlier run" } as const

/** Faults of one rule that look alike, such as one link in the navigation of all pages, are one row. */
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
  { cell: ({ rule }) => ruleOf(rule).title, name: "Finding" },
  { cell: ({ severity }) => <Severity severity={severity} />, name: "Severity" },
  { cell: ({ detail }) => detail, kind: "address", name: "What is seen" }
]

/** Findings of two runs, each in one of four lists. */
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
    { name: "repaired", rows: findings.fixed, title: "Repaired" },
    { name: "persisting", rows: findings.persisting, title: "Still there" }
  ]
  return (
    <>
      <h2>Findings</h2>
      <p>
        {findings.new.length} new, {findings.fixed.length} repaired, {findings.persisting.length} still there,{" "}
        {findings.not_comparable.length} not comparable.
      </p>
      {parts.map(({ name, rows, title }) => (
        <Part key={name} title={title} size={rows.length} isOpen={name !== "persisting"}>
          {() => (
            <Rows
              size={partSize}
              caption={`${title}: findings`}
              name={`${name} findings`}
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
            caption="Findings that one run names and the other cannot settle"
            name="findings that are not comparable"
            keyOf={(unit) => `${unit.found_in} ${unit.cause} ${keyOf(unit)}`}
            rows={grouped(findings.not_comparable)}
            columns={[
              ...columns,
              { cell: ({ cause, found_in }) => `Only ${sides[found_in]} names it: ${causes[cause]}`, name: "Why" }
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
  { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Dead address" },
  { cell: ({ linked_from }) => <Outside href={linked_from} />, kind: "address", name: "Linked from" },
  { cell: ({ http_status }) => http_status, kind: "number", name: "Status" }
]

const stateOf = (state: State) =>
  state === null
    ? none
    : `${state.http_status ?? "no answer"}, ${words(state.health_reason)}, ${state.title ?? "no title"}`

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

/** Dead links of two runs; those that stayed are among the findings that stayed. */
const DeadLinks = ({ links }: { readonly links: Diff["dead_links"] }) => (
  <>
    <h2>Dead links</h2>
    <p>
      {links.new.length} new, {links.fixed.length} repaired, {links.persisting.length} still there.
    </p>
    <LinksOf title="New dead links" links={links.new} isOpen />
    <LinksOf title="Repaired links" links={links.fixed} />
  </>
)

/** Pages that came, went or changed. */
const PageChanges = ({ pages }: { readonly pages: Diff["pages"] }) => (
  <>
    <h2>Pages</h2>
    <p>
      {pages.added.length} came, {pages.removed.length} went, {pages.changed.length} changed.
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
              { cell: ({ before }) => stateOf(before), kind: "address", name: "Before" },
              { cell: ({ after }) => stateOf(after), kind: "address", name: "After" }
            ]}
          />
        )}
      </Part>
    ))}
  </>
)

/** The runs with which a run can be compared. */
const Against = ({ chosen, run }: { readonly run: Run; readonly chosen: string }) => {
  const { data } = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${run.project_id}/site-health/history?limit=100`)
  const earlier = data?.filter(({ finished_at }) => finished_at < (run.finished_at ?? "")) ?? []
  return earlier.length < 2 ? null : (
    <p>
      <label>
        Compared with{" "}
        <select value={chosen} onChange={({ currentTarget }) => filter({ against: currentTarget.value })}>
          {earlier.map(({ finished_at, run_id, score }) => (
            <option key={run_id} value={run_id}>
              {absolute(Date.parse(finished_at))}, {score?.aggregate_score ?? "no score"}
            </option>
          ))}
        </select>
      </label>
    </p>
  )
}

/** What changed between a run and an earlier one. */
export const Compare = ({ id }: { readonly id: string }) => {
  const against = route.value.query.get("against")
  const run = useRead<Run>(`/runs/${id}`)
  const diff = useRead<Diff>(`/runs/${id}/diff${against === null ? "" : `?against=${encodeURIComponent(against)}`}`)
  const ruleOf = useRules()
  return (
    <Page title="What changed" back={[`#/runs/${id}`, "The run"]}>
      {diff.failure?.status === 409 ? (
        <Empty title="Nothing to compare with">{diff.failure.message}.</Empty>
      ) : (
        <Loaded read={diff}>
          {({ dead_links, findings, pages, score, ...both }) => (
            <>
              {run.data !== null && <Against chosen={both.against} run={run.data} />}
              <p class="card">
                {score === null ? (
                  "The scores cannot be compared."
                ) : (
                  <>
                    Score {score.before} → {score.after}, <Change by={score.delta} />
                  </>
                )}
              </p>
              <ChangedFindings findings={findings} ruleOf={ruleOf} />
              <DeadLinks links={dead_links} />
              <PageChanges pages={pages} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}
