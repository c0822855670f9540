import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect } from "preact/hooks"
import { isVisible, wait } from "../Place.ts"
import type { Rule, Run } from "./Contract.ts"
import { aborted, type Failure, type Meta, type Outcome } from "./Send.ts"
import { ask, readLines } from "./Session.ts"

/** Something that a button does: while it works it cannot be started again, and what went wrong is kept for the screen. */
export const useAction = <T, A extends ReadonlyArray<unknown> = []>(
  work: (...input: A) => Promise<Outcome<T>>,
  done: (data: T, ...input: A) => void
) => {
  const isBusy = useSignal(false)
  const failure = useSignal<Failure | null>(null)
  const run = async (...input: A) => {
    if (isBusy.peek()) return
    isBusy.value = true
    failure.value = null
    const outcome = await work(...input)
    isBusy.value = false
    failure.value = outcome.failure
    if (outcome.failure === null) done(outcome.data, ...input)
  }
  return {
    failure: failure.value,
    isBusy: isBusy.value,
    run: (...input: A) => void run(...input)
  }
}

/** Whether a run has ended; then it never changes. */
export const isFinal = ({ finished_at }: Run): boolean => finished_at !== null

/** How long until a run is followed anew whose answer ended before the run did: its node stops. */
const pause = 2000

/** Follows a run to its end, each of its states as it comes, while the tab is seen; without an id none. */
export const useRun = (id: string | null) => {
  const run = useSignal<Run | null>(null)
  const failure = useSignal<Failure | null>(null)
  const turn = useSignal(0)
  const { value: round } = turn
  const isSeen = isVisible.value
  useLayoutEffect(() => {
    const known = run.peek()
    if (id === null || !isSeen || (known?.id === id && isFinal(known))) return
    const controller = new AbortController()
    const close = known?.id === id ? () => {} : wait()
    let timer: ReturnType<typeof setTimeout> | undefined
    void readLines<Run>(`/runs/${id}`, controller.signal, (line) => {
      failure.value = null
      run.value = line
      close()
    }).then((ended) => {
      close()
      if (controller.signal.aborted || ended?.code === aborted) return
      failure.value = ended
      const last = run.peek()
      if (ended === null && (last === null || !isFinal(last))) timer = setTimeout(() => turn.value++, pause)
    })
    return () => {
      controller.abort()
      clearTimeout(timer)
      close()
    }
  }, [id, isSeen, round])
  return { failure: failure.value, reload: () => turn.value++, run: run.value?.id === id ? run.value : null }
}

/** What a screen knows of something that it reads. The data of before stay until new ones are there, and beside a failure. */
export interface Read<T> {
  readonly data: T | null
  readonly meta: Meta
  readonly failure: Failure | null
  readonly isBusy: boolean
  readonly reload: () => void
}

interface State<T> {
  readonly path: string | null
  readonly data: T | null
  readonly meta: Meta
  readonly failure: Failure | null
  readonly isBusy: boolean
}

const nothing = { data: null, failure: null, isBusy: false, meta: {}, path: null } as const

/** Reads with a reader whenever the path changes, and again when it is asked to; without a path it does not read. */
const useReader = <T>(
  path: string | null,
  reader: (path: string, signal: AbortSignal) => Promise<Outcome<T>>
): Read<T> => {
  const state = useSignal<State<T>>({ ...nothing, isBusy: path !== null })
  const turn = useSignal(0)
  const { value: round } = turn
  useLayoutEffect(() => {
    if (path === null) return
    const controller = new AbortController()
    const { data, path: before } = state.peek()
    // A reload shows nothing of itself; what a screen has to wait for makes it busy.
    const isAwaited = data === null || path !== before
    const close = isAwaited ? wait() : () => {}
    if (isAwaited) state.value = { ...state.peek(), failure: null, isBusy: true }
    void reader(path, controller.signal).then((outcome) => {
      if (!controller.signal.aborted && outcome.failure?.code !== aborted)
        state.value =
          outcome.failure === null
            ? { ...outcome, isBusy: false, path }
            : { ...state.peek(), failure: outcome.failure, isBusy: false }
      close()
    })
    return () => {
      controller.abort()
      close()
    }
  }, [path, round])
  return { ...state.value, reload: () => turn.value++ }
}

/** Reads one thing, or one page of a list. */
export const useRead = <T>(path: string | null): Read<T> =>
  useReader<T>(path, (path, signal) => ask<T>("GET", path, { signal }))

/** Pages of a list that are read at most where all of it is needed. */
const mostPages = 20

const all = async <T>(path: string, signal: AbortSignal): Promise<Outcome<ReadonlyArray<T>>> => {
  const rows: Array<T> = []
  const start = `${path}${path.includes("?") ? "&" : "?"}limit=100`
  let next = start
  for (let page = 0; ; page++) {
    const outcome = await ask<ReadonlyArray<T>>("GET", next, { signal })
    if (outcome.failure !== null) return outcome
    rows.push(...outcome.data)
    const { next_cursor } = outcome.meta
    if (next_cursor === undefined || page === mostPages) return { ...outcome, data: rows }
    next = `${start}&cursor=${encodeURIComponent(next_cursor)}`
  }
}

/** Reads a list that is sorted or counted as a whole: every page of it, up to 2,000 entries. */
export const useAll = <T>(path: string | null): Read<ReadonlyArray<T>> => useReader(path, all<T>)

/** Reloads every few seconds while the tab is seen; never with null. */
export const usePoll = (reload: () => void, seconds: number | null): void => {
  const isSeen = isVisible.value
  useEffect(() => {
    if (seconds === null || !isSeen) return
    const timer = setInterval(reload, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds, isSeen])
}

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
const pageSize = 25

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

/** The catalogue by id. A rule of another version stands for itself; so do all while the catalogue is not there. */
export const useRules = () => {
  const { data } = useRead<ReadonlyArray<Rule>>("/rules")
  const known = new Map(data?.map((rule) => [rule.rule, rule]))
  return (id: string): Rule =>
    known.get(id) ?? { fix: "", means: "", rule: id, source: "", title: id.replaceAll("_", " ") }
}
