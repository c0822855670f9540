import { analyse, type PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { armOf, drawPanel, truth, type World } from "./Panel.ts"
import { Random } from "./Random.ts"

/** Shares of the simulated experiments, 0 to 1. */
export interface Row extends World {
  /** What the verdicts rested on. */
  readonly method: string
  /** The change did nothing, and the test without pages called it significant. */
  readonly falseWithoutPages: number
  /** The change did nothing, and the test with pages called it significant. */
  readonly falseWithPages: number
  /** The change worked, and the interval holds its true effect. */
  readonly covered: number
  /** The change worked, and the test with pages found it. */
  readonly power: number
}

const judge = (pages: ReadonlyArray<PageMetrics>, given: ReadonlyArray<PageMetrics>) =>
  analyse(armOf("control", pages), armOf("treatment", pages), given)

/** Runs so many experiments in a world and counts the verdicts. */
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

/** The share of false alarms that is allowed: 4 to 6 %, and half a point more on either side where pages are few. */
export const allowed = ({ pagesAnArm }: World): readonly [number, number] =>
  pagesAnArm < 50 ? [0.035, 0.065] : [0.04, 0.06]
