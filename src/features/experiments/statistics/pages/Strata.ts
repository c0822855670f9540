import { at, type PageTable } from "./PageTable.ts"

/** Pages that a stratum has at least, and strata at most. */
const smallest = 10
const most = 10

/** Where each stratum of the pages, which are ordered by volume, begins; the last number is where all end. */
export const strataOf = ({ size }: PageTable): ReadonlyArray<number> => {
  const count = Math.max(1, Math.min(most, Math.floor(size / smallest)))
  return Array.from({ length: count + 1 }, (_, index) => Math.round((index * size) / count))
}

/** Shuffles the arms within each stratum, in place. */
export const shuffleWithin = (strata: ReadonlyArray<number>, arms: Uint8Array, random: () => number): void => {
  for (let stratum = 1; stratum < strata.length; stratum++) {
    const from = strata[stratum - 1] ?? 0
    for (let last = (strata[stratum] ?? 0) - 1; last > from; last--) {
      const other = from + Math.floor(random() * (last - from + 1))
      const arm = at(arms, last)
      arms[last] = at(arms, other)
      arms[other] = arm
    }
  }
}

const logChoose = (n: number, k: number): number => {
  let log = 0
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i)
  return log
}

/** ln of how many ways there are to deal the pages of each stratum out to the arms. */
export const logArrangements = (strata: ReadonlyArray<number>, treated: Uint8Array): number =>
  strata.slice(1).reduce((log, end, index) => {
    const arms = treated.subarray(strata[index], end)
    const treatment = arms.reduce((sum, arm) => sum + arm, 0)
    return log + logChoose(arms.length, Math.min(treatment, arms.length - treatment))
  }, 0)
