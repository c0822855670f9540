import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import type { HealthReason } from "../../../src/crawl/report/MeasuredPage.ts"
import { elsewhereIs } from "./ModelFiles.ts"
import { isAllowed, reportedAgents } from "./ModelRobots.ts"
import { isAsked } from "./ModelVerdict.ts"
import { equal, type Point } from "./Point.ts"
import { isPage } from "./States.ts"
import { isLedTo, isReadWhole, isUnseen, type Place, targetsElsewhere, type World, waysTo } from "./World.ts"

/** Reasons for a requested URL without a response. */
const silent: ReadonlySet<HealthReason> = new Set(["timed_out", "connection_failed"])
/** Responses that do not show whether the page is broken. */
const unverified: ReadonlySet<HealthReason> = new Set([
  "timed_out",
  "connection_failed",
  "rate_limited",
  "bot_challenge"
])

const count = (places: ReadonlyArray<Place>, holds: (place: Place) => boolean): number => places.filter(holds).length

/** A page could not be rendered: it may have links that nobody saw. */
const isHanging = ({ site: { scripted } }: World): boolean => [...scripted.values()].some(({ hangs }) => hangs)

const deadLinks = (world: World): CrawlResult["summary"]["dead_links"] => {
  const { checkDeadLinks, places } = world
  const all = [...places.values()]
  const asked = count(all, ({ url }) => isAsked(world.site, url))
  const isPart = isUnseen(world) || isHanging(world) || all.some((place) => !isReadWhole(place))
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!checkDeadLinks) return { state: "disabled", ...nothing }
  if (asked === 0) return { state: "unavailable", ...nothing }
  const open = count(all, ({ reason }) => unverified.has(reason))
  const found = count(
    all,
    (place) =>
      (place.reason === "http_4xx" || place.reason === "http_5xx") &&
      ((!place.listedOnly && isLedTo(world, place.url)) ||
        waysTo(world, place.url).some(({ linkedFrom }) => linkedFrom.length > 0))
  )
  return { state: isPart ? "partial" : "complete", checked: asked - open, found, unverified: open, items: [] }
}

const externalLinks = (world: World): ReadonlyArray<string | number> => {
  if (!world.checkExternalLinks) return ["disabled", 0, 0, 0]
  const all = [...world.places.values()]
  if (all.every(({ url }) => !isAsked(world.site, url))) return ["unavailable", 0, 0, 0]
  const targets = targetsElsewhere(world).map((url) => elsewhereIs(world.site, url))
  const having = (what: (typeof targets)[number]) => targets.filter((each) => each === what).length
  const isPart = isUnseen(world) || isHanging(world) || all.some((place) => !isReadWhole(place))
  return [isPart ? "partial" : "complete", having("sound") + having("broken"), having("broken"), having("unverified")]
}

/** The inventory as text: each reason with its count; the example must have the reason. */
const inventory = ({ summary, pages }: CrawlResult): string => {
  const { eligible, excluded, reasons } = summary.inventory
  const reasonOf = new Map(pages.map(({ health_reason, url }) => [url, health_reason]))
  const shown = reasons.map(({ count: many, example_url, reason }) =>
    reasonOf.get(example_url) === reason ? `${reason} ${many}` : `${reason} with a wrong example`
  )
  return [`${eligible} eligible`, `${excluded} excluded`, ...shown.sort()].join(", ")
}

const inventoryOf = (places: ReadonlyArray<Place>): string => {
  const reasons = [...new Set(places.map(({ reason }) => reason))].filter((reason) => reason !== "ok")
  const eligible = count(places, ({ reason }) => reason === "ok")
  const shown = reasons.map((reason) => `${reason} ${count(places, (place) => place.reason === reason)}`)
  return [`${eligible} eligible`, `${places.length - eligible} excluded`, ...shown.sort()].join(", ")
}

/** The URLs that robots.txt allows each agent, as text. */
const agentsOf = ({ places, site, start }: World): string => {
  const pages = [...places.values()].filter(isPage)
  return reportedAgents
    .map((agent) => {
      const open = count(pages, ({ url }) => isAllowed(site, url, agent))
      return `${agent} ${open} ${pages.length - open} ${isAllowed(site, start, agent)}`
    })
    .join(", ")
}

const shownAgents = ({ summary }: CrawlResult): string | undefined =>
  summary.robots.agents
    ?.map((each) => `${each.agent} ${each.allowed_pages} ${each.blocked_pages} ${each.start_allowed}`)
    .join(", ")

/** The counts of a crawl of the whole site. */
export const compareSummary = (world: World, result: CrawlResult): ReadonlyArray<Point> => {
  const { start } = world
  const { dead_links, external_links: links, pages, robots, termination } = result.summary
  const all = [...world.places.values()]
  const expected = deadLinks(world)
  const failed = count(all, ({ reason }) => silent.has(reason))
  const skipped = count(all, ({ url }) => !isAsked(world.site, url))
  return [
    ...equal("summary termination", start, "complete", termination),
    ...equal("summary robots", start, world.site.robots.kind, robots.state),
    ...equal("summary robots.agents", start, agentsOf(world), shownAgents(result)),
    ...equal("summary inventory", start, inventoryOf(all), inventory(result)),
    ...equal("summary dead_links.state", start, expected.state, dead_links.state),
    ...equal("summary dead_links.checked", start, expected.checked, dead_links.checked),
    ...equal("summary dead_links.found", start, expected.found, dead_links.found),
    ...equal("summary dead_links.unverified", start, expected.unverified, dead_links.unverified),
    ...equal(
      "summary external_links",
      start,
      externalLinks(world).join(),
      [links?.state, links?.checked, links?.found, links?.unverified].join()
    ),
    ...equal("summary pages.discovered", start, all.length, pages.discovered),
    ...equal("summary pages.fetched", start, all.length - failed - skipped, pages.fetched),
    ...equal("summary pages.failed", start, failed, pages.failed),
    ...equal("summary pages.skipped", start, skipped, pages.skipped)
  ]
}
