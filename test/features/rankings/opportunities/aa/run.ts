/**
 * `bun run campaign opportunities [--runs 400] [--seed 1]`: how often lists of opportunities report something where nothing changed, and how often they
 * report an effect of known size. Exits with 1 when more than 5 % of the lists report anything, when more than 1 % of imports report a change of traffic, or
 * when less than 85 % of the effects that the guide names are found.
 */
import * as Decay from "./decay.ts"
import * as LowCtr from "./lowCtr.ts"
import * as Traffic from "./traffic.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const runs = numberAfter("--runs", 400)
const seed = numberAfter("--seed", 1)
let isBroken = false

const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(8)
/** Up to three standard errors beyond the law are chance. */
const chance = (share: number, count: number) => 3 * Math.sqrt((share * (1 - share)) / count)

const law = (holds: boolean) => {
  isBroken ||= !holds
  return holds ? "" : "  broken"
}
const idle = (share: number, lists: number) =>
  `${percent(share)}${law(share <= 0.05 + (runs < 400 ? chance(0.05, lists) : 0))}`
const found = (share: number, isNamed: boolean) =>
  `${percent(share)}${isNamed ? law(share >= 0.85 - (runs < 400 ? chance(0.85, runs) : 0)) : ""}`

console.log(
  `${runs} properties a row\n\nlow_ctr, clicks drawn from the property's own curve and spread; a title that halves the CTR of a page\n`
)
console.log("rows  spread τ  lists that name anything   halved, of 300 expected clicks   of 1,000")
for (const rows of [10, 40, 150, 600])
  for (const spread of [0.1, 0.2, 0.4]) {
    const world = { rows, spread }
    const few = Math.max(20, rows > 200 ? Math.round(runs / 4) : runs)
    const isNamed = rows >= 600 && spread === 0.1
    console.log(
      `${String(rows).padStart(4)}  ${spread.toFixed(2).padStart(8)}  ${idle(LowCtr.named(world, few, seed), 3 * few).padStart(24)}  ${found(LowCtr.found(world, 300, few, seed), false).padStart(31)}  ${found(LowCtr.found(world, 1000, few, seed), isNamed)}`
    )
  }

console.log("\ndecay, the weeks of each page shuffled; one page that loses a share of its clicks\n")
console.log("pages  weeks  weekly CV  lists that name anything   1,200 clicks −30 %   1,200 clicks −50 %")
for (const pages of [10, 40, 150])
  for (const weeks of [8, 12, 16])
    for (const variation of [0.07, 0.14, 0.3]) {
      const world = { pages, variation, weeks }
      const halfIsNamed = variation === 0.07 || (variation === 0.14 && pages <= 40 && weeks >= 12)
      console.log(
        `${String(pages).padStart(5)}  ${String(weeks).padStart(5)}  ${variation.toFixed(2).padStart(9)}  ${idle(Decay.named(world, runs, seed), runs).padStart(24)}  ${found(Decay.found(world, 1200, 0.7, runs, seed), variation === 0.07 && (pages === 10 || (pages === 40 && weeks === 16))).padStart(19)}  ${found(Decay.found(world, 1200, 0.5, runs, seed), halfIsNamed).padStart(19)}`
      )
    }

console.log(
  "\ntraffic events, sites where nothing changes for a year; one page that loses a share of its clicks, four weeks later\n"
)
console.log("pages  weekly CV  daily imports that report   weekly imports   1,200 clicks −30 %   1,200 clicks −50 %")
for (const pages of [1, 10, 40])
  for (const variation of [0.07, 0.14, 0.3]) {
    const world = { pages, variation, weeks: 16 }
    const sites = Math.max(10, Math.round(runs / 10))
    const rare = (share: number) => `${percent(share)}${law(share <= 0.01 + (runs < 400 ? 0.01 : 0))}`
    const isNamed = variation === 0.07
    console.log(
      `${String(pages).padStart(5)}  ${variation.toFixed(2).padStart(9)}  ${rare(Traffic.reporting(world, 1, sites, seed)).padStart(25)}  ${rare(Traffic.reporting(world, 7, 2 * sites, seed)).padStart(15)}  ${found(Traffic.found(world, 1200, 0.7, runs, seed), isNamed && pages < 40).padStart(19)}  ${found(Traffic.found(world, 1200, 0.5, runs, seed), isNamed).padStart(19)}`
    )
  }

console.log(isBroken ? "\nThe law is broken." : "\nThe law holds.")
process.exit(isBroken ? 1 : 0)
