/** `bun run campaign visibility [--rounds 12000] [--seed 1]`: error rates of the rule of `geo_score.changed`, of intervals and of powers, in known worlds. */
import { broken, chain, simulate, type World } from "./World.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const rounds = numberAfter("--rounds", 12_000)
const seed = numberAfter("--seed", 1)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(7)
const chance = (share: number) => share.toFixed(2).padStart(5)

const worlds: ReadonlyArray<World> = [
  ...[20, 40, 100].flatMap((prompts) =>
    [3, 5, 10].flatMap((repeats) => [0.1, 0.3, 0.5].map((rate) => ({ alike: 0.5, prompts, rate, repeats })))
  ),
  ...[0.2, 0.8].flatMap((alike) => [0.1, 0.3, 0.5].map((rate) => ({ alike, prompts: 40, rate, repeats: 5 })))
]

console.log(
  `${rounds} rounds a row: a baseline, two runs after a rise by 10 points, ${chain} runs in which nothing changed\n`
)
console.log("alike  prompts  repeats  rate   nothing changed, told     interval of   +10 points: shown    told in two")
console.log("                                second run  a run of 12   95 % holds    in one run, power    runs, power")

let isBroken = false
for (const [at, world] of worlds.entries()) {
  const row = simulate(world, rounds, seed * 1000 + at)
  const laws = broken(row, rounds)
  isBroken ||= laws.length > 0
  console.log(
    [
      world.alike.toFixed(1).padStart(5),
      String(world.prompts).padStart(7),
      String(world.repeats).padStart(7),
      percent(world.rate),
      percent(row.falselyTold).padStart(10),
      percent(row.falselyToldInChain).padStart(11),
      percent(row.covered).padStart(12),
      `${chance(row.shown)} ${chance(row.power.power_one_run)}`.padStart(17),
      `${chance(row.told)} ${chance(row.power.power_told)}`.padStart(13),
      laws.length === 0 ? "" : `broken: ${laws.join(", ")}`
    ]
      .join("  ")
      .trimEnd()
  )
}

console.log(
  isBroken
    ? "\nThe law is broken."
    : "\nThe law holds: at most 1 % of runs in which nothing changed are published as changes, 88–97 % of the intervals hold the truth, and powers are within 0.05 of what is found."
)
process.exitCode = isBroken ? 1 : 0
