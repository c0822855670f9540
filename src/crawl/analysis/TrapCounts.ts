import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { Kind } from "../frontier/Kinds.ts"
import type { Trap } from "../frontier/Trap.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"

/** Addresses of one pattern that were put last or left out, for one reason. */
export interface TrapCount extends Trap {
  readonly count: number
  /** Those of them that were not asked for. */
  readonly unread: number
  readonly example: string
}

/** Cost of counting an address, in characters. */
const worth = 16

/** Counts what the frontier put last or left out, what it has no record of included. */
export function* trapCounts(
  records: ReadonlyArray<UrlRecord>,
  beyond: ReadonlyMap<string, Kind>
): Steps<ReadonlyArray<TrapCount>> {
  const counts = new Map<string, TrapCount>()
  const add = (trap: Trap | null, example: string, isRead: boolean) => {
    if (trap !== null) {
      const key = `${trap.reason} ${trap.pattern}`
      const known = counts.get(key) ?? { ...trap, count: 0, unread: 0, example }
      counts.set(key, { ...known, count: known.count + 1, unread: known.unread + (isRead ? 0 : 1) })
    }
    return worth
  }
  yield* each(records, ({ kind, url, visit }) => add(kind?.trap ?? null, url, (visit?.attempts.length ?? 0) > 0))
  yield* each(beyond, ([url, { trap }]) => add(trap, url, false))
  return [...counts.values()]
}
