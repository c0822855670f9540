/** `bun run campaign experiments [--runs 4000] [--seed 1] | --panel FOLDER`: how often the verdict on a designed experiment is wrong, where the truth is known, or on a real panel. */
import { assignedRows, chosenRows, isKept, type Row } from "./Law.ts"
import { realPanel } from "./RealPanel.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const runs = numberAfter("--runs", 4_000)
const seed = numberAfter("--seed", 1)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const law = (): boolean => {
  let broken = 0
  const print = (rows: ReadonlyArray<Row>) => {
    for (const { measured, metric, name } of rows) {
      const parts = measured.map((one) => {
        const isGood = isKept(one, runs)
        if (!isGood) broken += 1
        return `${one.of} ${percent(one.share)}${isGood ? "" : " (!)"}`.padEnd(30)
      })
      console.log(`${name.padEnd(40)} ${metric.padEnd(7)} ${parts.join("").trimEnd()}`)
    }
  }
  console.log(`${runs} experiments a row\n`)
  print(assignedRows(20, runs, seed))
  print(assignedRows(50, runs, seed + 1))
  print(chosenRows(runs, seed + 2))
  console.log(broken === 0 ? "\nThe law holds." : `\nThe law is broken ${broken} times.`)
  return broken === 0
}

const folder = process.argv[process.argv.indexOf("--panel") + 1]
if (process.argv.includes("--panel") && folder !== undefined) await realPanel(folder)
else process.exitCode = law() ? 0 : 1
