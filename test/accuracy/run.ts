import * as Effect from "effect/Effect"
import { compare, type Point } from "../crawl/generator/Compare.ts"
import { crawlSite } from "../crawl/generator/Crawling.ts"
import { Figures, precision, recall } from "../crawl/generator/Figures.ts"
import { generate } from "../crawl/generator/Generate.ts"
import { worldOf } from "../crawl/generator/World.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

const sites = numberAfter("--sites", 2000)
const first = numberAfter("--from", 0)
const shown = numberAfter("--show", 3)
const figures = new Figures()
const examples = new Map<string, Array<string>>()
let urls = 0

const note = (seed: number, { about, detail, outcome, url }: Point) => {
  if (outcome === "found") return
  const key = `${about} ${outcome}`
  examples.set(key, [...(examples.get(key) ?? []), `seed ${seed}: ${url} ${detail}`])
}

for (let seed = first; seed < first + sites; seed++) {
  const site = generate(seed, { origin: "https://site.test" })
  const world = worldOf(site, true)
  const crawled = await Effect.runPromise(crawlSite(site, {}, { seed }))
  const points = compare(world, crawled.result)
  urls += crawled.result.pages.length
  figures.add(points)
  for (const each of points) note(seed, each)
}

const percent = (value: number): string => (Math.floor(value * 10_000) / 10_000).toFixed(4)
console.log(`${sites} sites, ${urls} URLs`)
console.log("| rule or verdict | planted | found | false | missed | precision | recall |")
console.log("|---|---|---|---|---|---|---|")
for (const figure of figures.all()) {
  const { about, found, missed, planted, wrong } = figure
  console.log(
    `| ${about} | ${planted} | ${found} | ${wrong} | ${missed} | ${percent(precision(figure))} | ${percent(recall(figure))} |`
  )
}
for (const [key, all] of examples) {
  console.log(`\n${key}: ${all.length}`)
  for (const each of all.slice(0, shown)) console.log(`  ${each}`)
}
