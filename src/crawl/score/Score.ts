import type { Score, ScoreStatus } from "../report/SiteScore.ts"
import type { Fault } from "./Charge.ts"
import { assessedOf, type KnownPage, type ScoreLedger, valueOf } from "./Value.ts"

const statusOf = (score: number): ScoreStatus => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

/** ⌊100 · value⌋, where 0.29 is 29 although the computer's 0.29 × 100 is a little less. */
const percent = (value: number): number => Math.floor(100 * value + 1e-9)

const many = (count: number, isStart: boolean, page: (isStart: boolean) => KnownPage): ReadonlyArray<KnownPage> =>
  Array.from({ length: count }, (_, index) => page(isStart && index === 0))

const isDeadLink = ({ rule }: Fault): boolean => rule === "broken_link"

/** The page if what it links to and could not be verified were dead. */
const spoiled = (page: KnownPage): KnownPage => {
  if (page.state === "down" || page.refersToUnverified === "no") return page
  const known = page.faults.find(isDeadLink)
  const isShared = page.refersToUnverified === "shared" && known?.isShared !== false
  const deadLink: Fault = { rule: "broken_link", severity: "critical", isShared }
  return { ...page, faults: [...page.faults.filter((fault) => !isDeadLink(fault)), deadLink] }
}

/** The ledger if everything unverified were down, and every link to it dead. */
const atWorst = (ledger: ScoreLedger): ScoreLedger => ({
  ...ledger,
  pages: [
    ...ledger.pages.map(spoiled),
    ...many(ledger.unverified, ledger.isStartUnverified, (isStart) => ({
      isStart,
      refersToUnverified: "no",
      state: "down",
      rule: "unverified"
    }))
  ]
})

/** The ledger if everything unverified were a sound page. */
const atBest = (ledger: ScoreLedger): ScoreLedger => ({
  ...ledger,
  pages: [
    ...ledger.pages,
    ...many(ledger.unverified, ledger.isStartUnverified, (isStart) => ({
      isStart,
      refersToUnverified: "no",
      state: "up",
      faults: []
    }))
  ]
})

/** The score of a site that cannot be assessed as a whole. */
export const noScore: Score = {
  score_version: 3,
  has_data: false,
  aggregate_score: null,
  status: null,
  coverage: 0,
  range: { low: null, high: null },
  provisional: false,
  breakdown: { mean: null, factor: null, lost: [] }
}

type Sight = Pick<Score, "coverage" | "range" | "provisional">

/** How much of the site the score speaks of, and what the rest may make of it. */
const sightOf = (ledger: ScoreLedger, value: number): Sight => {
  const low = percent(Math.min(value, valueOf(atWorst(ledger))?.value ?? 0))
  const high = percent(Math.max(value, valueOf(atBest(ledger))?.value ?? 1))
  const assessed = assessedOf(ledger).length
  return {
    coverage: Math.floor((10_000 * assessed) / (assessed + ledger.unverified)) / 10_000,
    range: { low, high },
    provisional: statusOf(low) !== statusOf(high)
  }
}

/** Search engines may not read the start page and this crawler could not either: what the site is like is open, and its score low all the same. */
const unseen: Sight = { coverage: 0, range: { low: 0, high: 10 }, provisional: true }

/** The score of a run; unverified pages stand outside of it and widen its range. */
export const scoreOf = (ledger: ScoreLedger): Score => {
  const exact = valueOf(ledger)
  if (exact === null) return noScore
  const score = percent(exact.value)
  return {
    score_version: 3,
    has_data: true,
    aggregate_score: score,
    status: statusOf(score),
    ...(ledger.blockedStart === "unread" ? unseen : sightOf(ledger, exact.value)),
    breakdown: {
      mean: exact.mean,
      factor: exact.factor,
      lost: [...exact.lost]
        .map(([rule, share]) => ({ rule, points: 100 * share }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points || (a.rule < b.rule ? -1 : 1))
    }
  }
}
