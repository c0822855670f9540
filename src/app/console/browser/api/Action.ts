import { useSignal } from "@preact/signals"
import type { Failure, Outcome } from "./Send.ts"

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
