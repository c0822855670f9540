import type { ComponentChildren } from "preact"
import type { Route } from "./Routes.ts"
import { Audits } from "./screens/Audits.tsx"
import { Compare } from "./screens/Compare.tsx"
import { Experiment } from "./screens/Experiment.tsx"
import { Experiments } from "./screens/Experiments.tsx"
import { Rankings } from "./screens/Rankings.tsx"
import { Run } from "./screens/Run.tsx"
import { Site } from "./screens/Site.tsx"
import { SiteRankings } from "./screens/SiteRankings.tsx"
import { Sites } from "./screens/Sites.tsx"
import { Webhook } from "./screens/Webhook.tsx"
import { Webhooks } from "./screens/Webhooks.tsx"

/** Screens whose addresses begin alike. */
interface Section {
  /** First part of the addresses. */
  readonly segment: string
  /** Its name in the navigation; a section without one is reached from others. */
  readonly name?: string
  /** What it shows for the other parts of an address; nothing where there is no such address. */
  readonly show: (rest: ReadonlyArray<string>) => ComponentChildren
}

/** All screens, in the order of the navigation. */
const sections: ReadonlyArray<Section> = [
  {
    name: "Sites",
    segment: "sites",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Sites /> : <Site id={id} />)
  },
  {
    segment: "runs",
    show: ([id, part, ...rest]) => {
      if (id === undefined || rest.length > 0) return null
      return part === undefined ? <Run id={id} /> : part === "compare" ? <Compare id={id} /> : null
    }
  },
  {
    name: "Rankings",
    segment: "rankings",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Rankings /> : <SiteRankings id={id} />)
  },
  { name: "Audits", segment: "audits", show: ([id]) => (id === undefined ? <Audits /> : null) },
  {
    name: "Experiments",
    segment: "experiments",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Experiments /> : <Experiment id={id} />)
  },
  {
    name: "Webhooks",
    segment: "webhooks",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Webhooks /> : <Webhook id={id} />)
  }
]

/** The entries of the navigation. */
export const links = sections.flatMap(({ name, segment }) => (name === undefined ? [] : [{ name, segment }]))

/** Ids have no other characters: what has names nothing, and must not become a part of a request. */
const isId = (segment: string) => /^[\w-]+$/.test(segment)

/** The screen of a route; nothing where there is none. */
export const screenOf = ({ segments: [first, ...rest] }: Route): ComponentChildren =>
  (rest.every(isId) && sections.find(({ segment }) => segment === first)?.show(rest)) || null
