import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Experiments } from "../../../../src/features/experiments/Experiments.ts"
import { GrowthProjects } from "../../../../src/features/experiments/GrowthProjects.ts"
import type { ProjectId } from "../../../../src/features/projects/Domain.ts"
import * as Day from "../../../../src/foundation/schema/Day.ts"
import { send } from "../../../server.ts"
import { importInto, owner, layer as storing } from "../../rankings/storing.ts"
import { growthProject } from "../experimenting.ts"

/** The real server, imports, and the use cases. */
export const layer = Layer.mergeAll(Experiments.Default, GrowthProjects.Default).pipe(Layer.provideMerge(storing))

/** The day `n` days ago. */
export const ago = (n: number) =>
  Effect.map(DateTime.now, (now) => Day.format(Math.floor(DateTime.toEpochMillis(now) / 86_400_000) - n))

/** A pseudorandom number from 0 to 1, the same for the same arguments. */
const noise = (...of: ReadonlyArray<number>) => {
  const wave = Math.sin(of.reduce((sum, value, index) => sum + value * (12.9898 + 78.233 * index), 1)) * 43_758.5453
  return wave - Math.floor(wave)
}

/** Page totals of a number of days, up to `last`. */
export interface World {
  /** Paths, by descending clicks. */
  readonly pages: ReadonlyArray<string>
  /** The first and the last day, in days ago. */
  readonly from: number
  readonly to: number
  /** Factor of a page's clicks on a day, in days ago. */
  readonly effect?: (path: string, daysAgo: number) => number
  readonly skips?: (daysAgo: number) => boolean
}

/** Totals of pages by day, like the tables of Search Console. */
export const csvOf = ({ effect = () => 1, from, pages, skips = () => false, to }: World) =>
  Effect.map(ago(0), (today) => {
    const now = Day.parse(today)
    const zero = now._tag === "Some" ? now.value : 0
    const lines = ["Date,Page,Clicks,Impressions,Position"]
    for (let daysAgo = from; daysAgo >= to; daysAgo--) {
      if (skips(daysAgo)) continue
      for (const [index, path] of pages.entries()) {
        const base = (40 + 8 * (pages.length - index)) * (0.8 + 0.4 * noise(index, daysAgo))
        const clicks = Math.round(base * effect(path, daysAgo))
        lines.push(`${Day.format(zero - daysAgo)},https://example.com${path},${clicks},${clicks * 20 + 50},4.5`)
      }
    }
    return `${lines.join("\n")}\n`
  })

/** Paths of a folder. */
export const paths = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `/${folder}/${index}`)

/** Twenty pages in two folders with eighty weeks of history; the blog gains 30 % from the change on, 60 days ago. */
export const world: World = {
  effect: (path, daysAgo) => (path.startsWith("/blog/") && daysAgo <= 60 ? 1.3 : 1),
  from: 300,
  pages: paths("blog", 10).flatMap((path, index) => [path, `/shop/${index}`]),
  to: 4
}

/** Imports a world into a site. */
export const imported = (site: ProjectId, of: World = world) =>
  Effect.flatMap(csvOf(of), (text) => importInto(site, "gsc-csv", [{ text }]))

/** A customer with a site, a growth project on its domain, and the world imported. */
export const marketer = (of?: World) =>
  Effect.gen(function* () {
    const { account, key, site } = yield* owner
    const { id: project } = yield* growthProject(account)
    if (of !== undefined) yield* imported(site, of)
    return { account, key, project, site }
  })

type Marketer = Effect.Effect.Success<ReturnType<typeof marketer>>

export const path = "/api/v1/experiments"

/** One folder as test pages and one as control pages, changed 60 days ago. */
export const folders = (site: string) =>
  Effect.map(ago(60), (change_date) => ({
    change_date,
    control: { pattern: "/shop/*" },
    metric: "clicks",
    post_days: 28,
    pre_days: 28,
    settle_days: 7,
    site_id: site,
    treatment: { pattern: "/blog/*" }
  }))

/** Creates an experiment with a design, and returns the response. */
export const create = ({ key, project }: Marketer, design: object, more: object = {}) =>
  send("POST", path, { body: { design, name: "Shorter titles", project_id: project, ...more }, key })

/** The id of a draft with a design. */
export const draft = (of: Marketer, design: object) =>
  Effect.map(create(of, design), ({ body }): string => body.data.id)

const reads = ["power", "preview", "report", "series"]

/** Sends a step of an experiment. */
export const step = ({ key }: Marketer, id: string, name: string, body?: unknown) =>
  send(reads.includes(name.split("?")[0] ?? "") ? "GET" : "POST", `${path}/${id}/${name}`, { body, key })
