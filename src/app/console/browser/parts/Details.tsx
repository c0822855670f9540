import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** Something that is shown when a reader asks for it, and made only then: a page with many of these stays a light one. */
export const Details = ({
  children,
  isAsked = false,
  isOpen = isAsked,
  kind,
  summary
}: {
  readonly summary: ComponentChildren
  readonly children: () => ComponentChildren
  /** Open from the start. */
  readonly isOpen?: boolean
  /** The address asks for it: it is open, and the window goes there. */
  readonly isAsked?: boolean
  readonly kind?: string
}) => {
  const place = useRef<HTMLDetailsElement>(null)
  const shown = useSignal(isOpen)
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView()
  }, [])
  return (
    <details
      ref={place}
      class={kind}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        shown.value = currentTarget.open
      }}
    >
      <summary>{summary}</summary>
      {shown.value && children()}
    </details>
  )
}
