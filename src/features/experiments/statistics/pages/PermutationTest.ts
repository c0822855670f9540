import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { type Linearised, linearise } from "./Linearised.ts"
import type { PageTable } from "./PageTable.ts"
import { ALPHA, type PageTest, RANGE } from "./PageTest.ts"
import { hash, seededRandom } from "./SeededRandom.ts"
import { logArrangements, shuffleWithin, strataOf } from "./Strata.ts"

/** Arrangements, with the real one: 1,000, so that a p-value is a whole number of thousandths; half as many where thousands of pages would take long. */
const arrangements = ({ size }: PageTable) => (size > 2_000 ? 500 : 1_000)

/** t² of an arrangement under the hypothesis of an effect of δ; an arrangement that cannot be judged counts as extreme. */
const squaredT = ({ covariance, effect, share, shareVariance, variance }: Linearised, delta: number): number => {
  const change = effect - delta * share
  const spread = variance - 2 * delta * covariance + delta * delta * shareVariance
  if (change === 0) return 0
  return spread > 0 ? (change * change) / spread : Number.POSITIVE_INFINITY
}

/** Rounding must not decide between arrangements that are equal. */
const TIE = 1 - 1e-9

/** How many of the arrangements are as extreme as the real one, which is one of them; counting ends at `enough`. */
const extremeAt = (
  real: Linearised,
  permuted: ReadonlyArray<Linearised>,
  delta: number,
  enough = Number.POSITIVE_INFINITY
): number => {
  const observed = squaredT(real, delta) * TIE
  let extreme = 1
  for (const arrangement of permuted) {
    // Written this way round, NaN (an arm without impressions) counts as extreme.
    if (!(squaredT(arrangement, delta) < observed)) extreme += 1
    if (extreme >= enough) break
  }
  return extreme
}

/** The last accepted effect on the way from an accepted one to a rejected one. */
const boundary = (isAccepted: (delta: number) => boolean, accepted: number, rejected: number): number => {
  let inside = accepted
  let outside = rejected
  for (let halving = 0; halving < 50; halving++) {
    const middle = (inside + outside) / 2
    if (middle === inside || middle === outside) break
    if (isAccepted(middle)) inside = middle
    else outside = middle
  }
  return inside
}

/**
 * Tests by dealing the pages out to the arms anew, within strata of like volume: if the change did nothing, each such arrangement was as likely as
 * the real one (R. A. Fisher 1935; with a studentised statistic as in E. Chung and J. P. Romano, "Exact and asymptotically robust permutation
 * tests", 2013). The interval is the test inverted: the effects that it does not reject. Each arrangement is a step.
 */
export const permutationTest = function* (table: PageTable, effect: number): Steps<PageTest> {
  const strata = strataOf(table)
  const counts = [table.preImpressions, table.preConversions, table.postImpressions, table.postConversions]
  const random = seededRandom(hash(counts))
  const arms = Uint8Array.from(table.treated)
  const real = linearise(table, table.treated)
  const permuted: Array<Linearised> = []
  for (let dealt = 1; dealt < arrangements(table); dealt++) {
    shuffleWithin(strata, arms, random)
    permuted.push(linearise(table, arms))
    yield 4 * table.size
  }
  const total = permuted.length + 1
  /** As many as make a p-value of 0.05. */
  const enough = ALPHA * total
  const isAccepted = (delta: number) => extremeAt(real, permuted, delta, enough) >= enough
  const pValue = extremeAt(real, permuted, 0) / total
  const isSignificant = pValue < ALPHA
  /** An interval's end between the estimate and `limit`; where 0 is on the way, it is on the side that the p-value says. */
  const end = (limit: number): number => {
    const passesZero = limit < 0 ? effect > 0 : effect < 0
    if (passesZero && isSignificant) return boundary(isAccepted, effect, 0)
    if (isAccepted(limit)) return limit
    return boundary(isAccepted, passesZero ? 0 : effect, limit)
  }
  return {
    method: "page_permutation",
    pValue,
    isSignificant,
    lower: end(-RANGE),
    upper: end(RANGE),
    // Two of the arrangements at least are as extreme as the real one when the arms are of one size.
    isPowerless: logArrangements(strata, table.treated) <= Math.log(2 / ALPHA)
  }
}
