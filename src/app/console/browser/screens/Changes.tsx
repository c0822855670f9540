import type { Diff } from "../api/Contract.ts"
import { none, plural, words } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { Column } from "../parts/Table.tsx"
import { Part, partSize } from "./Part.tsx"

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
export const DeadLinks = ({ links }: { readonly links: Diff["dead_links"] }) => (
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
export const PageChanges = ({ pages }: { readonly pages: Diff["pages"] }) => (
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
