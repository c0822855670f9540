import type { ComponentChildren } from "preact"
import type { Read } from "../api/Read.ts"
import { Failed } from "./Failed.tsx"

/** What was read, or that it is being read, or what went wrong. Data stay on the screen when they cannot be read anew. */
export const Loaded = <T,>({
  children,
  read
}: {
  readonly read: Read<T>
  readonly children: (data: T) => ComponentChildren
}) => (
  <>
    {read.failure !== null && <Failed failure={read.failure} retry={read.reload} />}
    {read.data === null ? read.isBusy && <p class="quiet">Loading…</p> : children(read.data)}
  </>
)

/** A list without entries: why, and what to do next. */
export const Empty = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    <div>{children}</div>
  </div>
)
