import type { Sample } from "./KeywordsRepo.ts"

/** What finding one record by the index costs, in records that are looked at in list order; measured by test/bench/rankings.ts. */
const lookUpCost = 60

/** How far beyond the expected end a scan goes before it gives up. */
const patience = 3

/** How many records of each site to look at for a page of `count`, or null when the index is the shorter way. */
export const recordsToScan = ({ looked, matches, records }: Sample, count: number): number | null => {
  if (matches === 0) return null
  const frequency = matches / looked
  const scan = count / frequency
  return scan <= lookUpCost * frequency * records ? Math.ceil(looked + patience * scan) : null
}
