import type { ComponentChildren } from "preact"
import { Details } from "../parts/Details.tsx"
import { count } from "../parts/Formats.ts"

/** One list of a comparison: closed where it matters less, and left out where it is empty. */
export const Part = ({
  children,
  isOpen = false,
  size,
  title
}: {
  readonly title: string
  readonly size: number
  readonly isOpen?: boolean
  readonly children: () => ComponentChildren
}) =>
  size === 0 ? null : (
    <Details
      isOpen={isOpen}
      summary={
        <>
          {title} <small>{count(size)}</small>
        </>
      }
    >
      {children}
    </Details>
  )

/** Entries of such a list on the screen at a time: several lists are open at once. */
export const partSize = 10
