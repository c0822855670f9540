import { useSignal } from "@preact/signals"
import { useRead } from "./Read.ts"

/** Where a reader is in a list of which one page is on the screen. */
export interface Pager {
  /** The number of the first entry on the screen, from 1. */
  readonly from: number
  readonly shown: number
  readonly total: number | null
  readonly previous: (() => void) | null
  readonly next: (() => void) | null
}

/** Entries on the screen at a time: with a dozen nodes each they stay far below what makes a page slow. */
export const pageSize = 25

/** Reads a list page by page, forwards and back, one page at a time. */
export const usePages = <T>(path: string, size: number = pageSize) => {
  // The cursors of the pages that were left, for the way back; those of another list are void.
  const walked = useSignal<{ readonly path: string; readonly cursors: ReadonlyArray<string> }>({ cursors: [], path })
  const cursors = walked.value.path === path ? walked.value.cursors : []
  const cursor = cursors.at(-1)
  const read = useRead<ReadonlyArray<T>>(
    `${path}${path.includes("?") ? "&" : "?"}limit=${size}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
  )
  const { next_cursor, total = null } = read.meta
  const walk = (cursors: ReadonlyArray<string>) => () => {
    walked.value = { cursors, path }
  }
  const pager: Pager = {
    from: cursors.length * size + 1,
    next: next_cursor === undefined ? null : walk([...cursors, next_cursor]),
    previous: cursors.length === 0 ? null : walk(cursors.slice(0, -1)),
    shown: read.data?.length ?? 0,
    total
  }
  return { ...read, pager }
}

/** Shows a list that is at hand page by page. */
export const useWindow = <T>(rows: ReadonlyArray<T>, size: number = pageSize) => {
  const page = useSignal(0)
  const last = Math.max(0, Math.ceil(rows.length / size) - 1)
  const at = Math.min(page.value, last)
  const turnTo = (to: number) => () => {
    page.value = to
  }
  const shown = rows.slice(at * size, (at + 1) * size)
  const pager: Pager = {
    from: at * size + 1,
    next: at === last ? null : turnTo(at + 1),
    previous: at === 0 ? null : turnTo(at - 1),
    shown: shown.length,
    total: rows.length
  }
  return { pager, shown }
}
