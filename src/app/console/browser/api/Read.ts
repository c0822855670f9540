import { useSignal } from "@preact/signals"
import { createContext } from "preact"
import { useEffect, useLayoutEffect } from "preact/hooks"
import { isVisible, wait } from "../Place.ts"
import type { OwnKey, Rule, Run } from "./Contract.ts"
import { aborted, type Failure, type Meta, type Outcome } from "./Send.ts"
import { ask, readLines } from "./Session.ts"

/** The action of a button: it cannot start twice at a time, and keeps its error for the screen. */
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

/** Whether a run has ended; a final run never changes. */
export const isFinal = ({ finished_at }: Run): boolean => finished_at !== null

/** Milliseconds before we follow a run again after its stream ended early, because its server stops. */
const pause = 2000

/** Streams the states of a run to its end while the tab is visible; without an id it does nothing. */
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

/** The state of a read. Old data stay until new data arrive, and beside a failure. */
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

/** Reads when the path changes and on `reload`; without a path it does not read. */
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
    // A reload runs in the background; only the first read of a path makes the screen busy.
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

/** The read of the tab's key, which the frame shares with the screens. */
export const OwnRead = createContext<Read<OwnKey>>({ ...nothing, isBusy: false, reload: () => {} })

/** Limit of pages when a whole list is needed. */
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

/** Reads every page of a list that is sorted or counted as a whole, up to 2,000 entries. */
export const useAll = <T>(path: string | null): Read<ReadonlyArray<T>> => useReader(path, all<T>)

/** Reloads every few seconds while the tab is visible; never with null. */
export const usePoll = (reload: () => void, seconds: number | null): void => {
  const isSeen = isVisible.value
  useEffect(() => {
    if (seconds === null || !isSeen) return
    const timer = setInterval(reload, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds, isSeen])
}

/** The position in a list that is shown page by page. */
export interface Pager {
  /** The number of the first entry on the screen, from 1. */
  readonly from: number
  readonly shown: number
  readonly total: number | null
  readonly previous: (() => void) | null
  readonly next: (() => void) | null
}

/** Entries per page: with a dozen nodes each, a page stays fast. */
const pageSize = 25

/** Reads a list page by page, forwards and back, one page at a time. */
export const usePages = <T>(path: string, size: number = pageSize) => {
  // Cursors of earlier pages, for the way back; a new path discards them.
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

/** Shows a loaded list page by page. */
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

/** Finds a check by its id. The id itself is the title of an unknown check, and of all checks until the catalogue is loaded. */
export const useRules = () => {
  const { data } = useRead<ReadonlyArray<Rule>>("/rules")
  const known = new Map(data?.map((rule) => [rule.rule, rule]))
  return (id: string): Rule =>
    known.get(id) ?? { fix: "", means: "", rule: id, source: "", title: id.replaceAll("_", " ") }
}
