import { useSignal } from "@preact/signals"
import { type ComponentChildren, createContext } from "preact"
import { useContext, useEffect, useRef } from "preact/hooks"
import { type Pager, useWindow } from "../api/Read.ts"
import { count } from "./Formats.ts"

/** A collapsible part, rendered only when it is open, to keep pages with many of them small. */
export const Details = ({
  children,
  isAsked = false,
  isOpen = isAsked,
  kind,
  summary
}: {
  readonly summary: ComponentChildren
  readonly children: () => ComponentChildren
  /** Whether the part is open at first. */
  readonly isOpen?: boolean
  /** Whether the URL names the part, which is then open and scrolled into view. */
  readonly isAsked?: boolean
  readonly kind?: string
}) => {
  const place = useRef<HTMLDetailsElement>(null)
  const shown = useSignal(isOpen)
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView()
  }, [])
  return (
    <details
      ref={place}
      class={kind}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        shown.value = currentTarget.open
      }}
    >
      <summary>{summary}</summary>
      {shown.value && children()}
    </details>
  )
}

/** Values by name, side by side if there is room. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

let isFirst = true

/** A link of the trail: its hash and its name. */
export type Crumb = readonly [href: string, name: string]

/** The screens above the shown one, outermost first. */
export const Trail = createContext<ReadonlyArray<Crumb>>([])

/** A screen: the trail to it, and its title for the window and as the one `h1`, which gets the focus after a change of screen. */
export const Page = ({
  about,
  back,
  children,
  title
}: {
  readonly title: string
  /** The screen above this one within its tab. */
  readonly back?: Crumb | undefined
  /** Content beside the title. */
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const trail = [...useContext(Trail), ...(back === undefined ? [] : [back])]
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = title.endsWith("Findable") ? title : `${title} – Findable`
  }, [title])
  return (
    <>
      {trail.length > 0 && (
        <nav aria-label="Breadcrumbs" class="crumbs">
          <ol>
            {trail.map(([href, name]) => (
              <li key={href}>
                <a href={href}>{name}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about}
      </div>
      {children}
    </>
  )
}

/** The screen of an unknown URL. */
export const Missing = () => (
  <Page title="Page not found">
    <p>
      No page has this URL. <a href="#/sites">Go to your sites</a>
    </p>
  </Page>
)

/** Links between the parts of a screen, or between screens of the same thing. */
export const Tabs = ({
  label,
  of
}: {
  readonly label: string
  readonly of: ReadonlyArray<{ readonly name: string; readonly href: string; readonly isCurrent: boolean }>
}) => (
  <nav aria-label={label} class="tabs">
    <ul>
      {of.map(({ href, isCurrent, name }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** A summary of another screen, with a link to it. */
export const Card = ({
  children,
  href,
  title,
  tone
}: {
  readonly title: string
  readonly href: string
  /** Marks the edge of a card that fails or needs a look. */
  readonly tone?: "bad" | "warn"
  readonly children: ComponentChildren
}) => (
  <section class={tone === undefined ? "card" : `card edge ${tone}`}>
    <h2>
      <a href={href}>{title}</a>
    </h2>
    {children}
  </section>
)

/** A column: its name, and its content for a row. */
export interface Column<T> {
  readonly name: string
  readonly cell: (row: T) => ComponentChildren
  /** Numbers align right; URLs (`address`) may wrap anywhere; rings (`ring`) stand side by side on cards. */
  readonly kind?: "number" | "address" | "ring"
  /** The value of the parameter `sort` that orders the list by this column; a column without one cannot be chosen. */
  readonly sort?: string
}

/** The order of a list: the column's `sort`, and whether its greatest values are first. */
export interface Order {
  readonly by: string
  readonly isDescending: boolean
  /** Orders by a column; the same column again turns the order. */
  readonly choose: (by: string) => void
}

const Heading = <T,>({ column: { name, sort }, order }: { readonly column: Column<T>; readonly order?: Order }) =>
  sort === undefined || order === undefined ? (
    name
  ) : (
    <button type="button" class="sort" onClick={() => order.choose(sort)}>
      {name}
      <span class={sort === order.by ? undefined : "quiet"} aria-hidden="true">
        {sort !== order.by ? " ↕" : order.isDescending ? " ↓" : " ↑"}
      </span>
    </button>
  )

const directionOf = (sort: string | undefined, order: Order | undefined) =>
  sort === undefined || sort !== order?.by ? undefined : order.isDescending ? "descending" : "ascending"

/** A table of rows; the first column names the row. Narrow windows show each row as a card, with the names of the columns before the values. */
export const Table = <T,>({
  caption,
  columns,
  keyOf,
  order,
  rows
}: {
  /** The name of the table for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly rows: ReadonlyArray<T>
  readonly keyOf: (row: T) => string
  readonly order?: Order
}) => (
  <div class="wide">
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" class={column.kind} aria-sort={directionOf(column.sort, order)}>
              <Heading column={column} {...(order === undefined ? {} : { order })} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ cell, kind, name }, index) =>
              index === 0 ? (
                <th key={name} scope="row" class={kind}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} class={kind} data-is={name}>
                  {cell(row)}
                </td>
              )
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Shows the range of rows on the screen, with buttons for the previous and the next page. */
export const Pages = ({ name, pager }: { readonly name: string; readonly pager: Pager }) => {
  const { from, next, previous, shown, total } = pager
  if (next === null && previous === null) return null
  return (
    <nav class="pages" aria-label={`Pages of ${name}`}>
      <button type="button" disabled={previous === null} onClick={() => previous?.()}>
        Previous
      </button>
      <span>
        {count(from)}–{count(from + shown - 1)}
        {total !== null && ` of ${count(total)}`}
      </span>
      <button type="button" disabled={next === null} onClick={() => next?.()}>
        Next
      </button>
    </nav>
  )
}

type Properties<T> = Parameters<typeof Table<T>>[0] & {
  /** The noun for the entries in the navigation between pages. */
  readonly name: string
  readonly size?: number
}

/** A table of loaded rows, by pages if there are many. */
export const Rows = <T,>({ name, rows, size, ...table }: Properties<T>) => {
  const { pager, shown } = useWindow(rows, size)
  return (
    <>
      <Table {...table} rows={shown} />
      <Pages name={name} pager={pager} />
    </>
  )
}
