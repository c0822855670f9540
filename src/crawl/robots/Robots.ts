import { isDefaultAgent } from "./Directive.ts"
import { matcher } from "./Match.ts"
import type { RobotsTxt, RobotsVerdict } from "./RobotsTxt.ts"

export { type Matcher, matcher, matching } from "./Match.ts"
export { parse, parsing } from "./Parse.ts"
export type { RobotsTxt, RobotsVerdict } from "./RobotsTxt.ts"

/** Whether `productToken` may fetch the URL (or path with query), and by which line; build a `matcher` for many URLs. */
export const match = (robots: RobotsTxt, productToken: string, urlOrPath: string): RobotsVerdict =>
  matcher(robots, productToken).verdict(urlOrPath)

/** The longest `Crawl-delay` in seconds named for the token, or for `*` when no group names the token; null when none. */
export const crawlDelay = (robots: RobotsTxt, productToken: string): number | null => {
  const token = productToken.toLowerCase()
  const isNamed = (agent: string) => agent.toLowerCase() === token
  const named = robots.groups.some((group) => group.agents.some(isNamed))
  const delays = robots.crawlDelays.filter(({ agent }) => (named ? isNamed(agent) : isDefaultAgent(agent)))
  return delays.length === 0 ? null : Math.max(...delays.map(({ seconds }) => seconds))
}
