import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect } from "preact/hooks"
import { isVisible, wait } from "../Place.ts"
import { ask } from "./Request.ts"
import { aborted, type Failure, type Meta, type Outcome } from "./Send.ts"

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
