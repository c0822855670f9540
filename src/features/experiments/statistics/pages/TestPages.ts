import * as Option from "effect/Option"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { clusteredTest } from "./ClusteredTest.ts"
import { linearise } from "./Linearised.ts"
import type { PageMetrics } from "./PageMetrics.ts"
import { type PageTable, pageTable } from "./PageTable.ts"
import type { PageTest } from "./PageTest.ts"
import { permutationTest } from "./PermutationTest.ts"

/** From this many pages in each arm, the linearised ratio follows Student's t well enough, also with skewed traffic: `bun run campaign simulate` shows it. */
const enoughForT = 50

const smallerArm = ({ size, treated }: PageTable): number => {
  const treatment = treated.reduce((sum, arm) => sum + arm, 0)
  return Math.min(treatment, size - treatment)
}

/** Tests an effect with pages as clusters; none where the pages do not differ at all. */
export const testPages = function* (pages: ReadonlyArray<PageMetrics>, effect: number): Steps<Option.Option<PageTest>> {
  const table = yield* pageTable(pages)
  yield 20 * table.size
  const real = linearise(table, table.treated)
  if (!(real.variance > 0)) return Option.none()
  const smaller = smallerArm(table)
  return Option.some(
    smaller < enoughForT ? yield* permutationTest(table, effect) : clusteredTest(real, effect, smaller)
  )
}
