import { useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import { isVisible, wait } from "../Place.ts"
import type { Run } from "./Contract.ts"
import { readLines } from "./Request.ts"
import { aborted, type Failure } from "./Send.ts"

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
