import type { RobotsRulePlan, Site } from "./Site.ts"

const read = new Map<string, RegExp>()

/** A robots.txt pattern by RFC 9309 §2.2.3: `*` is anything, `$` at the end is the end, everything else a prefix. */
const expressionOf = (pattern: string): RegExp => {
  const known = read.get(pattern)
  if (known !== undefined) return known
  const anchored = pattern.endsWith("$")
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*").map((piece) => RegExp.escape(piece))
  const expression = new RegExp(`^${pieces.join(".*")}${anchored ? "$" : ""}`, "s")
  read.set(pattern, expression)
  return expression
}

const matches = (pattern: string, path: string): boolean => expressionOf(pattern).test(path)

/** Robots of AI companies. */
export const aiAgents = [
  "GPTBot",
  "OAI-SearchBot",
  "ClaudeBot",
  "PerplexityBot",
  "Google-Extended",
  "Applebot-Extended",
  "CCBot"
] as const

export type AgentName = "FindableBot" | "Googlebot" | "Bingbot" | (typeof aiAgents)[number]

/** Agents in the table of a report. */
export const reportedAgents: ReadonlyArray<AgentName> = ["Googlebot", "Bingbot", ...aiAgents]

/** The groups of an agent: all with its name, else those of its predecessor, else the default ones. */
const rulesOf = ({ robots }: Site, agent: AgentName): ReadonlyArray<RobotsRulePlan> => {
  const named = (name: string) =>
    robots.groups.filter(({ agents }) => agents.some((each) => each.toLowerCase() === name.toLowerCase()))
  const own = named(agent)
  const chosen = own.length === 0 && agent === "Bingbot" ? named("msnbot") : own
  return chosen.length === 0 ? robots.rules : chosen.flatMap(({ rules }) => rules)
}

/** Whether robots.txt allows a URL for an agent, by default this crawler: the longest pattern decides, and Allow in case of a tie. */
export const isAllowed = (site: Site, url: string, agent: AgentName = "FindableBot"): boolean => {
  const { robots } = site
  if (robots.kind === "absent" || (robots.kind === "parsed" && robots.isHtml)) return true
  if (robots.kind === "unreachable") return false
  const { pathname, search } = new URL(url)
  const rules = rulesOf(site, agent)
  const longest = (allow: boolean) =>
    Math.max(
      -1,
      ...rules.flatMap((rule) =>
        rule.allow === allow && matches(rule.pattern, pathname + search) ? [rule.pattern.length] : []
      )
    )
  return longest(true) >= longest(false)
}

/** Whether robots.txt allows a URL for Googlebot, which decides the results of pages. */
export const isOpenToGoogle = (site: Site, url: string): boolean => isAllowed(site, url, "Googlebot")
