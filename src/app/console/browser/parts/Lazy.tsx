import { useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useLayoutEffect } from "preact/hooks"
import { silent } from "../api/Send.ts"
import { wait } from "../Place.ts"
import { Failed } from "./Status.tsx"

/** A component whose script is loaded when it is first shown; a script that cannot be loaded is an error with a retry. */
export const lazy = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let loaded: ComponentType<P> | null = null
  return (properties: P) => {
    const isFailed = useSignal(false)
    const turn = useSignal(0)
    const { value: round } = turn
    useLayoutEffect(() => {
      if (loaded !== null) return
      isFailed.value = false
      const close = wait()
      void load()
        .then(
          (component) => {
            loaded = component
            turn.value++
          },
          () => {
            isFailed.value = true
          }
        )
        .finally(close)
    }, [round])
    const Shown = loaded
    if (Shown !== null) return <Shown {...properties} />
    return isFailed.value ? <Failed failure={silent(null)} retry={() => turn.value++} /> : null
  }
}
