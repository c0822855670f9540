import type { RobotsRulePlan, Site } from "./Site.ts"

const read = new Map<string, RegExp>()

/** A robots.txt pattern as RFC 9309 §2.2.3 reads it: `*` is anything, `$` at the end is the end, all else a prefix. */
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

/** Those in the table of a report. */
export const reportedAgents: ReadonlyArray<AgentName> = ["Googlebot", "Bingbot", ...aiAgents]

/** What an agent obeys: all groups with its name, those of its predecessor without any, and the default one without these. */
const rulesOf = ({ robots }: Site, agent: AgentName): ReadonlyArray<RobotsRulePlan> => {
  const named = (name: string) =>
    robots.groups.filter(({ agents }) => agents.some((each) => each.toLowerCase() === name.toLowerCase()))
  const own = named(agent)
  const chosen = own.length === 0 && agent === "Bingbot" ? named("msnbot") : own
  return chosen.length === 0 ? robots.rules : chosen.flatMap(({ rules }) => rules)
}

/** Whether robots.txt lets an agent, this crawler unless another is named, ask for a URL: the longest pattern decides, and of equal ones the one that allows. */
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

/** Whether Googlebot may, by which pages are judged. */
export const isOpenToGoogle = (site: Site, url: string): boolean => isAllowed(site, url, "Googlebot")
