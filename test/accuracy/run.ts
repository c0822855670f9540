import * as Effect from "effect/Effect"
import { maxUrls } from "../crawl/generator/Builder.ts"
import { compare } from "../crawl/generator/Compare.ts"
import { crawlSite } from "../crawl/generator/Crawling.ts"
import { Figures, precision, recall } from "../crawl/generator/Figures.ts"
import { generate } from "../crawl/generator/Generate.ts"
import { breaches } from "../crawl/generator/Laws.ts"
import { origin, seeds } from "../crawl/generator/Seeds.ts"
import { worldOf } from "../crawl/generator/World.ts"

const numberAfter = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

/** Rows of the table; all other comparisons share one row. */
const isRow = (about: string): boolean =>
  /^(?:[a-z0-9_]+|(?:reason|health|fetch|indexability) \w+|dead link)$/.test(about)

const sites = numberAfter("--sites", 2000)
const first = numberAfter("--from", 0)
/** Examples shown of each kind of mistake. */
const shown = numberAfter("--show", 3)

const figures = new Figures()
const mistakes = new Map<string, Array<string>>()
let urls = 0

const note = (kind: string, line: string) => mistakes.set(kind, [...(mistakes.get(kind) ?? []), line])

/** For one seed in so many there is a site with faults of scripts too, which is rendered. */
const scripted = 5

const plans = seeds(sites, first).flatMap((seed) => [
  { seed, site: () => generate(seed, { origin }) },
  ...(seed % scripted === 0 ? [{ seed, site: () => generate(seed, { origin, scripts: "ended" as const }) }] : [])
])

const measure = Effect.forEach(
  plans,
  ({ seed, site: make }) =>
    Effect.gen(function* () {
      const site = make()
      const world = worldOf(site, true)
      const crawled = yield* crawlSite(
        site,
        { renderPages: 2 * maxUrls },
        { seed, latency: (random) => random.int(0, 400) }
      )
      const points = compare(world, crawled.result)
      urls += crawled.result.pages.length
      figures.add(points)
      for (const { about, detail, outcome, url } of points) {
        if (outcome !== "found") note(`${about} ${outcome}`, `seed ${seed}: ${url} ${detail}`)
      }
      for (const breach of breaches(world, crawled, maxUrls)) note("law broken", `seed ${seed}: ${breach}`)
    }),
  { discard: true }
)

await Effect.runPromise(measure)

const share = (value: number): string => (Math.floor(value * 10_000) / 10_000).toFixed(4)
const all = figures.all()
const others = all.filter(({ about }) => !isRow(about))
const sum = (key: "planted" | "found" | "wrong" | "missed") => others.reduce((total, each) => total + each[key], 0)
const rest = {
  about: `${others.length} other comparisons`,
  planted: sum("planted"),
  found: sum("found"),
  wrong: sum("wrong"),
  missed: sum("missed")
}

console.log(`${sites} sites from seed ${first}, ${urls} URLs\n`)
console.log("| rule or verdict | planted | found | false | missed | precision | recall |")
console.log("|---|---:|---:|---:|---:|---:|---:|")
for (const figure of [...all.filter(({ about }) => isRow(about)), rest]) {
  const { about, found, missed, planted, wrong } = figure
  const shares = `${share(precision(figure))} | ${share(recall(figure))}`
  console.log(`| ${about} | ${planted} | ${found} | ${wrong} | ${missed} | ${shares} |`)
}
for (const [kind, lines] of mistakes) {
  console.log(`\n${kind}: ${lines.length}`)
  for (const line of lines.slice(0, shown)) console.log(`  ${line}`)
}

const poor = all.filter((figure) => precision(figure) < 1 || recall(figure) < 0.99)
console.log(`\n${all.length - poor.length} of ${all.length} figures reach precision 1 and recall 0.99`)
process.exitCode = poor.length === 0 && !mistakes.has("law broken") ? 0 : 1
