import type { ComponentChildren } from "preact"
import type { Read } from "../api/Read.ts"
import { tabHash } from "../SiteRoutes.ts"
import { Loaded } from "./Status.tsx"
import { Card } from "./Tables.tsx"

/** Properties of a card of a site. */
export interface OfSite {
  readonly id: string
}

/** A card: what was read, or in one sentence what it would show. A missing scope is a line, not an alarm. */
export const Summary = <T,>({
  children,
  empty,
  id,
  news,
  read,
  segment,
  title,
  tone
}: OfSite & {
  readonly title: string
  /** The tab of the site with more. */
  readonly segment: string
  readonly read: Read<ReadonlyArray<T>>
  /** The benefit of the first entry, and the text of the link to it. */
  readonly empty: readonly [benefit: string, link: string]
  /** What has happened lately, above the rest and instead of the benefit. */
  readonly news?: ComponentChildren
  /** Marks the card of something that fails or needs a look. */
  readonly tone?: "bad" | "warn"
  readonly children: (rows: ReadonlyArray<T>) => ComponentChildren
}) => {
  const href = tabHash(id, segment)
  const [benefit, link] = empty
  return (
    <Card title={title} href={href} {...(tone !== undefined && { tone })}>
      {read.failure?.status === 403 ? (
        <p class="quiet">{read.failure.message}</p>
      ) : (
        <Loaded read={read}>
          {(rows) => (
            <>
              {news}
              {rows.length > 0
                ? children(rows)
                : news === undefined && (
                    <p class="quiet">
                      {benefit} <a href={href}>{link}</a>
                    </p>
                  )}
            </>
          )}
        </Loaded>
      )}
    </Card>
  )
}
