import { instant } from "./Instant.ts"
import { collapse, keep } from "./Strings.ts"

/** The directives of one robots meta or one `X-Robots-Tag` part; `none` counts as noindex and nofollow. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
  /** Milliseconds since the epoch of `unavailable_after`; null when absent or unreadable. */
  readonly unavailableAfter: number | null
  /** All directives in order, lower-cased, values included. */
  readonly tokens: ReadonlyArray<string>
}

const maxDirectives = 50

/** Dates may hold a comma of their own (`Wed, 03 Dec 2025 …`): the parts are joined for as long as that makes a date. */
const dateFrom = (parts: ReadonlyArray<string>): { readonly at: number | null; readonly used: number } => {
  const candidates = [2, 1].map((used) => ({ at: instant(parts.slice(0, used).join(",")), used }))
  return candidates.find(({ at, used }) => at !== null && used <= parts.length) ?? { at: null, used: 1 }
}

/** Reads comma-separated robots directives, without case. */
export const directives = (content: string): RobotsDirectives => {
  const parts = content.split(",", maxDirectives)
  const found: Array<string> = []
  let unavailableAfter: number | null = null
  for (let index = 0; index < parts.length; ) {
    const part = collapse(parts[index] ?? "").toLowerCase()
    const dated = /^unavailable_after ?: ?(.*)$/.exec(part)
    const date = dated === null ? null : dateFrom([dated[1] ?? "", ...parts.slice(index + 1)])
    const used = date?.used ?? 1
    if (part !== "")
      found.push(keep(used === 1 ? part : `${part}, ${collapse(parts[index + 1] ?? "").toLowerCase()}`, 100))
    if (date !== null) unavailableAfter = earliest(unavailableAfter, date.at)
    index += used
  }
  return {
    noindex: found.includes("noindex") || found.includes("none"),
    nofollow: found.includes("nofollow") || found.includes("none"),
    unavailableAfter,
    tokens: found
  }
}

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** Whether the directives keep the page out of an index at the instant `now` (milliseconds): noindex, none, or a date that passed. */
export const forbidsIndexing = ({ noindex, unavailableAfter }: RobotsDirectives, now: number): boolean =>
  noindex || (unavailableAfter !== null && unavailableAfter < now)
