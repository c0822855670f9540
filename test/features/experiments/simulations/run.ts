/** `bun run campaign simulate [--runs 4000] [--skew 1] [--seed 1]`: how often the verdict on an experiment is wrong, in worlds where the truth is known. */
import { allowed, type Row, simulate } from "./Simulate.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const runs = numberAfter("--runs", 4_000)
const skew = numberAfter("--skew", 1)
const seed = numberAfter("--seed", 1)

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const within = (share: number, [low, high]: readonly [number, number]) => share >= low && share <= high

console.log(`${runs} experiments a row, log-normal traffic with σ = ${skew}\n`)
console.log("pages an arm  impressions  method            no change, called significant   +10 %: interval    +10 %:")
console.log("              a cell                         without pages   with pages      holds the truth   found")

const broken: Array<Row> = []
for (const pagesAnArm of [20, 50, 200]) {
  for (const impressions of [1e3, 1e4, 1e5, 1e6]) {
    const row = simulate({ impressions, pagesAnArm, skew }, runs, seed + pagesAnArm * 31 + Math.log10(impressions))
    if (!within(row.falseWithPages, allowed(row)) || !within(row.covered, [0.94, 0.96])) broken.push(row)
    console.log(
      [
        String(pagesAnArm).padStart(12),
        String(impressions).padStart(11),
        row.method.padEnd(16),
        percent(row.falseWithoutPages).padStart(13),
        percent(row.falseWithPages).padStart(13),
        percent(row.covered).padStart(17),
        percent(row.power).padStart(11)
      ].join("  ")
    )
  }
}

console.log(
  broken.length === 0
    ? "\nThe law holds: with pages 4–6 % of idle changes are called significant (3.5–6.5 % with 20 pages an arm), and 94–96 % of the intervals hold the truth."
    : `\nThe law is broken in ${broken.length} rows.`
)
process.exitCode = broken.length === 0 ? 0 : 1
