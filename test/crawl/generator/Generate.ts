import { availabilityPlants } from "./AvailabilityPlants.ts"
import { Builder } from "./Builder.ts"
import { canonicalPlants } from "./CanonicalPlants.ts"
import { contentPlants } from "./ContentPlants.ts"
import { detailPlants } from "./DetailPlants.ts"
import { documentPlants } from "./DocumentPlants.ts"
import { indexabilityPlants } from "./IndexabilityPlants.ts"
import { internationalPlants } from "./InternationalPlants.ts"
import { linkPlants } from "./LinkPlants.ts"
import type { Plant } from "./Plant.ts"
import { Random } from "./Random.ts"
import { redirectPlants } from "./RedirectPlants.ts"
import { resourcePlants } from "./ResourcePlants.ts"
import { robotsPlants } from "./RobotsPlants.ts"
import { hangingPlants, scriptPlants } from "./ScriptPlants.ts"
import { seeds } from "./Seeds.ts"
import { sequencePlants } from "./SequencePlants.ts"
import { shopPlants } from "./ShopPlants.ts"
import type { Site } from "./Site.ts"
import { sitemapPlants } from "./SitemapPlants.ts"

/** All defects and decoys. */
export const plants: ReadonlyArray<Plant> = [
  ...availabilityPlants,
  ...redirectPlants,
  ...indexabilityPlants,
  ...robotsPlants,
  ...canonicalPlants,
  ...sequencePlants,
  ...contentPlants,
  ...documentPlants,
  ...linkPlants,
  ...internationalPlants,
  ...sitemapPlants,
  ...resourcePlants,
  ...shopPlants,
  ...detailPlants
]

export interface Choice {
  readonly origin: string
  /** Positions of fixed defects in the list of planted ones. */
  readonly repaired?: ReadonlySet<number>
  /** A site whose defects are those of scripts, for crawls that render: `ended` without a script that never ends. */
  readonly scripts?: "ended" | "hanging"
}

const emptySite = (seed: number, origin: string, planted: ReadonlyArray<string>): Site => ({
  seed,
  origin,
  start: `${origin}/`,
  answers: new Map(),
  robots: {
    kind: "parsed",
    status: 200,
    rules: [
      { allow: false, pattern: "/private/" },
      { allow: true, pattern: "/private/open" },
      { allow: false, pattern: "/tmp*old" },
      { allow: false, pattern: "/*.php$" }
    ],
    groups: [],
    overlong: false,
    strange: [],
    isHtml: false,
    sitemaps: [`${origin}/sitemap.xml`]
  },
  sitemaps: [{ url: `${origin}/sitemap.xml`, kind: "urls", form: "xml", listed: [], fault: "none" }],
  files: new Map(),
  elsewhere: new Map(),
  scripted: new Map(),
  missing: "not_found",
  menu: [],
  drawnByScript: false,
  firstBytes: [100],
  planted
})

/** The sound pages: a tree from the start page with cross links, at most four clicks deep unless a defect goes deeper. */
const layOut = (builder: Builder, random: Random, size: number): void => {
  const depths = new Map([[builder.page(builder.home), 0]])
  builder.hosts.push(builder.home)
  while (builder.hosts.length < size) {
    const parents = builder.hosts.filter((url) => (depths.get(url) ?? 0) < 3)
    const parent = random.some(parents) ?? builder.home
    const url = builder.page()
    builder.linkTo(parent, url)
    depths.set(url, (depths.get(parent) ?? 0) + 1)
    builder.hosts.push(url)
  }
  for (const url of builder.hosts) {
    for (let more = random.int(0, 3); more > 0; more--) builder.linkTo(url, builder.host(random))
  }
}

const isPossible = ({ secure }: Plant, origin: string): boolean => secure !== true || origin.startsWith("https:")

/** Number of seeds in which every defect has its turn: more than there are defects. */
export const rounds = 300

/** The defect in turn of each seed: a defect takes the seed of its name, or the next free one, so one more defect moves few others. */
const turnsOf = (all: ReadonlyArray<Plant>): ReadonlyMap<number, Plant> =>
  all.reduce((turns, plant) => {
    let seed = new Random(`turn ${plant.name}`).int(0, rounds - 1)
    while (turns.has(seed)) seed = (seed + 1) % rounds
    return turns.set(seed, plant)
  }, new Map<number, Plant>())

const inTurn = turnsOf(plants)

/** Defects in the order of lots, drawn by the seed and the defect's name: one more defect moves no other lot. */
const drawn = (seed: number, from: ReadonlyArray<Plant>): ReadonlyArray<Plant> =>
  from
    .map((plant) => ({ lot: new Random(`lot ${seed} ${plant.name}`).next(), plant }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ plant }) => plant)

/** The defects of a seed: one in turn, so that all occur, and some by lot. Unverifiable ones occur for few seeds. */
export const chosen = (seed: number, origin: string, all = plants): ReadonlyArray<Plant> => {
  const mayBeOpen = seed % 4 === 0
  const turn = (all === plants ? inTurn : turnsOf(all)).get(seed % rounds)
  const own = turn !== undefined && isPossible(turn, origin) ? [turn] : []
  const byLot = all.filter(
    (plant) =>
      plant !== turn && plant.rare !== true && (mayBeOpen || plant.unverifiable !== true) && isPossible(plant, origin)
  )
  const count = new Random(`choice ${seed}`).pick([0, 1, 2, 3, 5, 8, 13])
  return [...own, ...drawn(seed, byLot).slice(0, count)]
}

/** The defects of scripts of a seed. */
const chosenScripts = (seed: number, isHanging: boolean): ReadonlyArray<Plant> => {
  const count = new Random(`choice ${seed}`).pick([1, 2, 3, 5, 8, 13])
  return [...(isHanging ? hangingPlants : []), ...drawn(seed, scriptPlants).slice(0, count)]
}

/**
 * Few seeds whose sites together contain every defect: once in its turn, or `byLot` times drawn at random, since another defect may hide it. Sites that
 * contain most of what is still missing for their size come first. Defects for which a site had no room do not count. A defect that changes the whole site may hide all
 * others, so on such a site only that one counts.
 */
export const covering = (origin: string, byLot = 2): ReadonlyArray<number> => {
  const met = new Map<string, number>()
  const sites = seeds(rounds).map((seed) => {
    const turn = inTurn.get(seed)
    const { answers, planted } = generate(seed, { origin })
    const names = turn?.rare === true ? planted.filter((name) => name === turn.name) : planted
    return {
      cost: Math.sqrt(answers.size),
      counts: new Map(names.map((name) => [name, name === turn?.name ? byLot : 1])),
      seed
    }
  })
  const gainOf = ({ cost, counts }: (typeof sites)[number]) =>
    [...counts].reduce((sum, [name, count]) => sum + Math.max(0, Math.min(count, byLot - (met.get(name) ?? 0))), 0) /
    cost
  const taken: Array<number> = []
  for (;;) {
    const [best] = sites.map((site) => ({ gain: gainOf(site), site })).sort((a, b) => b.gain - a.gain)
    if (best === undefined || best.gain === 0) return taken.sort((a, b) => a - b)
    taken.push(best.site.seed)
    for (const [name, count] of best.site.counts) met.set(name, (met.get(name) ?? 0) + count)
  }
}

/** Adds the template's menu to every page; error pages have another template. */
const drawMenu = ({ answers, menu }: Site): void => {
  for (const answer of answers.values()) {
    const page = answer.kind === "recovering" ? answer.finally : answer
    if (page.kind === "page" && !page.doc.isErrorPage) page.doc.menu = menu
  }
}

/** The site of a seed: the same seed, origin and fixes give the same site. */
export const generate = (seed: number, { origin, repaired = new Set(), scripts }: Choice): Site => {
  const list = scripts === undefined ? chosen(seed, origin) : chosenScripts(seed, scripts === "hanging")
  const random = new Random(`site ${seed}`)
  const planted: Array<string> = []
  const site = emptySite(seed, origin, planted)
  const builder = new Builder(site, random.fork("pages"))
  layOut(builder, random.fork("layout"), random.pick([1, 2, 4, 8, 12, 20, 30, 40]))
  list.forEach(({ cost, name, plant }, index) => {
    if (builder.room < cost) return
    planted.push(name)
    builder.begin(index, cost, !repaired.has(index), random.fork(`pages of ${name}`))
    plant(builder, random.fork(`plant ${name}`))
  })
  drawMenu(site)
  return site
}

/** The first seeds whose sites together contain every defect of scripts so many times. */
export const coveringScripts = (origin: string, times: number): ReadonlyArray<number> => {
  const met = new Map<string, number>()
  return seeds(rounds).flatMap((seed) => {
    const { planted } = generate(seed, { origin, scripts: "ended" })
    if (planted.every((name) => (met.get(name) ?? 0) >= times)) return []
    for (const name of planted) met.set(name, (met.get(name) ?? 0) + 1)
    return [seed]
  })
}
