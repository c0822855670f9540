import type { Rel, State } from "../Domain.ts"

/** What a look at a linking page found. */
export interface Look {
  readonly state: State
  /** Why it is `blocked` or `unknown`. */
  readonly reason: string
  readonly httpStatus: number | null
  /** The link, of a live page; null for others. */
  readonly link: { readonly target: string; readonly anchor: string; readonly rel: ReadonlyArray<Rel> } | null
}

/** What earlier looks left; times are epoch milliseconds. */
export interface Standing {
  readonly rel: ReadonlyArray<Rel>
  readonly lastLiveAt: number | null
  /** First of the looks since the last live one that found no link. */
  readonly goneSince: number | null
  readonly lostAt: number | null
}

/** What a look changes about a link. */
export type Change = "lost" | "recovered" | "rel_changed"

/** Looks that found no link, and no reason to doubt that. */
const without: ReadonlySet<State> = new Set(["page_gone", "link_removed", "redirected"])

const isSame = (one: ReadonlyArray<Rel>, other: ReadonlyArray<Rel>) => one.join() === other.join()

/**
 * Where a link stands after a look. It is lost when two looks, `lossAfter` ms or more apart, found none and no look since the first of them saw it, after we
 * ourselves had seen it live; a look that could say nothing changes nothing.
 */
export const after = (
  standing: Standing,
  look: Look,
  at: number,
  lossAfter: number
): { readonly standing: Standing; readonly change: Change | null } => {
  const { goneSince, lastLiveAt, lostAt, rel } = standing
  if (look.state === "live" && look.link !== null) {
    const isOther = lastLiveAt !== null && !isSame(rel, look.link.rel)
    return {
      change: lostAt !== null ? "recovered" : isOther ? "rel_changed" : null,
      standing: { goneSince: null, lastLiveAt: at, lostAt: null, rel: look.link.rel }
    }
  }
  if (!without.has(look.state)) return { change: null, standing }
  const since = goneSince ?? at
  const isLost = lastLiveAt !== null && lostAt === null && at - since >= lossAfter
  return {
    change: isLost ? "lost" : null,
    standing: { goneSince: since, lastLiveAt, lostAt: isLost ? at : lostAt, rel }
  }
}

const day = 86_400_000

/** Milliseconds until the next look: a month, a week where authority is high, and the time of a confirmation where one is wanted. */
export const pace = (
  { goneSince, lastLiveAt, lostAt }: Standing,
  isHigh: boolean,
  at: number,
  lossAfter: number
): number => {
  const usual = (isHigh ? 7 : 30) * day
  const isDoubtful = lastLiveAt !== null && goneSince !== null && lostAt === null
  return isDoubtful ? Math.max(0, Math.min(usual, goneSince + lossAfter - at)) : usual
}

/** Hosts below which a round says nothing about our own network. */
const hostsAtLeast = 5

/** Whether so many hosts of a round gave no HTTP answer that the fault is our own. */
export const isOutage = (hosts: number, failed: number): boolean => hosts >= hostsAtLeast && 2 * failed > hosts
