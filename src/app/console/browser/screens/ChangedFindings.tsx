import type { Diff, Rule } from "../api/Contract.ts"
import { plural } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { Column } from "../parts/Table.tsx"
import { Severity } from "../parts/Verdict.tsx"
import { Part, partSize } from "./Part.tsx"

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
export const ChangedFindings = ({
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
