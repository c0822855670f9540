import type { ComponentChildren } from "preact"
import type { Pager } from "../api/Pages.ts"
import { count } from "./Formats.ts"

/** A column: its name, and what it shows of a row. */
export interface Column<T> {
  readonly name: string
  readonly cell: (row: T) => ComponentChildren
  /** Numbers stand to the right; addresses may break anywhere. */
  readonly kind?: "number" | "address"
}

/** A table of rows; the first column names the row. Narrow windows show each row as a card, with the names of the columns before the values. */
export const Table = <T,>({
  caption,
  columns,
  keyOf,
  rows
}: {
  /** Says what the table is, for those who hear it. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly rows: ReadonlyArray<T>
  readonly keyOf: (row: T) => string
}) => (
  <div class="wide">
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ kind, name }) => (
            <th key={name} scope="col" class={kind}>
              {name}
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

/** Which part of a list is on the screen, and the way to the others. */
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
