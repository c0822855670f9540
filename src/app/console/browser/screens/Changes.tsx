import type { ComponentChildren } from "preact"
import type { Diff, Rule } from "../api/Contract.ts"
import { none, plural, words } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { Column } from "../parts/Table.tsx"
import { Severity } from "../parts/Verdict.tsx"

type Unit = Diff["findings"]["new"][number]
type Open = Diff["findings"]["not_comparable"][number]
type DeadLink = Diff["dead_links"]["new"][number]
type State = Diff["pages"]["changed"][number]["before"]

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

const findingColumns = (ruleOf: (id: string) => Rule): ReadonlyArray<Column<Unit>> => [
  { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
  { cell: ({ rule }) => ruleOf(rule).title, name: "Finding" },
  { cell: ({ severity }) => <Severity severity={severity} />, name: "Severity" },
  { cell: ({ detail }) => detail, kind: "address", name: "What is seen" }
]

const linkColumns: ReadonlyArray<Column<DeadLink>> = [
  { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Dead address" },
  { cell: ({ linked_from }) => <Outside href={linked_from} />, kind: "address", name: "Linked from" },
  { cell: ({ http_status }) => http_status, kind: "number", name: "Status" }
]

const stateOf = (state: State) =>
  state === null
    ? none
    : `${state.http_status ?? "no answer"}, ${words(state.health_reason)}, ${state.title ?? "no title"}`

/** One list of a comparison: closed where it matters less, and left out where it is empty. */
const Part = ({
  children,
  isOpen = false,
  size,
  title
}: {
  readonly title: string
  readonly size: number
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}) =>
  size === 0 ? null : (
    <details open={isOpen}>
      <summary>
        {title} <small>{size}</small>
      </summary>
      {children}
    </details>
  )

/** Findings of two runs, each in one of four lists. */
export const Findings = ({
  findings,
  ruleOf
}: {
  readonly findings: Diff["findings"]
  readonly ruleOf: (id: string) => Rule
}) => {
  const columns = findingColumns(ruleOf)
  const keyOf = ({ rule, url }: Unit) => `${rule} ${url}`
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
          <Rows caption={`${title}: findings`} name={`${name} findings`} columns={columns} keyOf={keyOf} rows={rows} />
        </Part>
      ))}
      <Part title="Not comparable" size={findings.not_comparable.length}>
        <Rows<Open>
          caption="Findings that one run names and the other cannot settle"
          name="findings that are not comparable"
          keyOf={(unit) => `${unit.found_in} ${keyOf(unit)}`}
          rows={findings.not_comparable}
          columns={[
            ...columns,
            { cell: ({ cause, found_in }) => `Only ${sides[found_in]} names it: ${causes[cause]}`, name: "Why" }
          ]}
        />
      </Part>
    </>
  )
}

/** Dead links of two runs; those that stayed are among the findings that stayed. */
export const DeadLinks = ({ links }: { readonly links: Diff["dead_links"] }) => {
  const keyOf = ({ linked_from, url }: DeadLink) => `${url} ${linked_from}`
  return (
    <>
      <h2>Dead links</h2>
      <p>
        {links.new.length} new, {links.fixed.length} repaired, {links.persisting.length} still there.
      </p>
      <Part title="New dead links" size={links.new.length} isOpen>
        <Rows caption="New dead links" name="new dead links" columns={linkColumns} keyOf={keyOf} rows={links.new} />
      </Part>
      <Part title="Repaired links" size={links.fixed.length}>
        <Rows caption="Repaired links" name="repaired links" columns={linkColumns} keyOf={keyOf} rows={links.fixed} />
      </Part>
    </>
  )
}

/** Pages that came, went or changed. */
export const PageChanges = ({ pages }: { readonly pages: Diff["pages"] }) => (
  <>
    <h2>Pages</h2>
    <p>
      {pages.added.length} came, {pages.removed.length} went, {pages.changed.length} changed.
    </p>
    {(["added", "removed", "changed"] as const).map((kind) => (
      <Part key={kind} title={`${plural(pages[kind].length, "page")} ${kind}`} size={pages[kind].length}>
        <Rows
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
      </Part>
    ))}
  </>
)
