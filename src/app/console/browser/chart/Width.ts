import { useSignal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"

/** The width of an element in pixels, as it changes. Charts are drawn at it: text of a picture that is scaled is too large on a desk and too small in a hand. */
export const useWidth = () => {
  const ref = useRef<HTMLElement>(null)
  const width = useSignal(0)
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null) return
    const observer = new ResizeObserver(() => {
      width.value = Math.floor(current.clientWidth)
    })
    width.value = Math.floor(current.clientWidth)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return { ref, width: width.value }
}
