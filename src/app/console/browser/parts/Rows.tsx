import { useWindow } from "../api/Pages.ts"
import { Pages, Table } from "./Table.tsx"

type Properties<T> = Parameters<typeof Table<T>>[0] & {
  /** What the entries are, for the way to other pages. */
  readonly name: string
  readonly size?: number
}

/** A table of rows that are at hand, page by page where they are many. */
export const Rows = <T,>({ name, rows, size, ...table }: Properties<T>) => {
  const { pager, shown } = useWindow(rows, size)
  return (
    <>
      <Table {...table} rows={shown} />
      <Pages name={name} pager={pager} />
    </>
  )
}
