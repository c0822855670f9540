import { analyse, type PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { armOf, drawPanel, truth, type World } from "./Panel.ts"
import { Random } from "./Random.ts"

/** Shares of the simulated experiments, 0 to 1. */
export interface Row extends World {
  /** The methods of the results. */
  readonly method: string
  /** The idle change was significant without pages. */
  readonly falseWithoutPages: number
  /** The idle change was significant with pages. */
  readonly falseWithPages: number
  /** The interval of the working change contains its true effect. */
  readonly covered: number
  /** The working change was significant with pages. */
  readonly power: number
}

const judge = (pages: ReadonlyArray<PageMetrics>, given: ReadonlyArray<PageMetrics>) =>
  analyse(armOf("control", pages), armOf("treatment", pages), given)

/** Runs a number of experiments in a world and counts the results. */
export const simulate = (world: World, runs: number, seed: number): Row => {
  const random = new Random(seed)
  const counted = { covered: 0, falseWithPages: 0, falseWithoutPages: 0, power: 0 }
  const methods = new Set<string>()
  for (let run = 0; run < runs; run++) {
    const { idle, working } = drawPanel(random, world)
    const still = judge(idle, idle)
    const moved = judge(working, working)
    const [lower, upper] = moved.confidenceInterval
    methods.add(still.method)
    if (judge(idle, []).isSignificant) counted.falseWithoutPages += 1
    if (still.isSignificant) counted.falseWithPages += 1
    if (lower <= truth && truth <= upper) counted.covered += 1
    if (moved.isSignificant) counted.power += 1
  }
  return {
    ...world,
    covered: counted.covered / runs,
    falseWithPages: counted.falseWithPages / runs,
    falseWithoutPages: counted.falseWithoutPages / runs,
    method: [...methods].join(", "),
    power: counted.power / runs
  }
}

/** The allowed share of false alarms: 4 to 6 %, and half a point more on either side with few pages. */
export const allowed = ({ pagesAnArm }: World): readonly [number, number] =>
  pagesAnArm < 50 ? [0.035, 0.065] : [0.04, 0.06]
