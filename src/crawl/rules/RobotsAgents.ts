import type { AgentAccess } from "../analysis/AgentAccess.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { bingbot, googlebot } from "../robots/Agents.ts"
import { byLine, type FaultOf, lineText } from "./Fault.ts"
import { meant } from "./Hiding.ts"
import { perUrl, type Rule, siteWide } from "./Rule.ts"

const accessOf = ({ agents }: AnalysedSite, { name }: { readonly name: string }): AgentAccess | undefined =>
  agents.find(({ agent }) => agent.name === name)

/** Whether robots.txt lets Googlebot read a page of the site. */
const isOpenToGoogle = (url: string, site: AnalysedSite): boolean => accessOf(site, googlebot)?.open.has(url) === true

/** The pages that an agent may not read although Googlebot may, and by which lines. */
const lackOf = ({ closed }: AgentAccess, site: AnalysedSite) => {
  const google = accessOf(site, googlebot)
  const lines = [...closed].flatMap(([url, line]) => (google?.open.has(url) === true && line !== null ? [line] : []))
  return { count: lines.length, line: lines[0] ?? null }
}

/** What one agent may not read, and the line that says so: the start page first, which stands for the site. */
const shutFrom = (access: AgentAccess, site: AnalysedSite) => {
  const { allowed, rule } = access.start
  if (!allowed) return { what: "the start page", line: rule }
  const { count, line } = lackOf(access, site)
  return { what: count === 1 ? "a page" : `${count} pages`, line }
}

/** AI robots that are shut out, those with the same line and loss together. */
const aiShutOut = (site: AnalysedSite): FaultOf => {
  const lost = new Map<string, Array<string>>()
  const values: Array<string> = []
  for (const access of site.agents) {
    const { line, what } = shutFrom(access, site)
    if (access.agent.kind !== "ai" || line === null) continue
    values.push(line.text)
    // Names tell the groups of those who have one of their own.
    const how = `from ${what} by ${line.group === "*" ? lineText(line) : `line ${line.line}: ${line.text}`}`
    lost.set(how, [...(lost.get(how) ?? []), access.agent.name])
  }
  const detail = [...lost].map(([how, names]) => `${names.join(", ")} ${how}`).join("; ")
  return lost.size === 0 ? null : { detail, value: values[0], place: "robots" }
}

/** What robots.txt says to others than Googlebot, by which pages are judged. */
export const robotsAgents: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "bingbot_blocked",
      name: "Open to Googlebot, closed to Bingbot",
      category: "indexability",
      severity: "warning",
      means:
        "robots.txt lets Googlebot read these pages and not Bingbot, so Bing and what builds on it do not find them.",
      fix: "Give Bingbot the rules of Googlebot, or remove its group so that the default one holds.",
      source: "RFC 9309 §2.2.1; Bing Webmaster Blog, Bing crawler: bingbot on the horizon",
      guidance: {
        why: "Pages that Bingbot cannot read are missing from Bing, and from the search engines and assistants that use its index.",
        goal: "Let robots.txt allow Bingbot what it allows Googlebot",
        find: "Find the line in the evidence and the group it stands in: one for bingbot or msnbot, or that of * where Googlebot has a group of its own.",
        steps: [
          meant,
          "Remove the group, or copy the rules of Googlebot into it: a group of its own replaces the default one whole.",
          "Read the file again as it is served, and check some addresses for both."
        ],
        never: "open for Bingbot what Googlebot may not read either"
      }
    },
    ({ url }, site) => isOpenToGoogle(url, site),
    ({ url }, site) => {
      const line = accessOf(site, bingbot)?.closed.get(url)
      return line === undefined ? null : byLine(line)
    },
    { nothing: "robots.txt lets Googlebot read no page, or could not be had" }
  ),
  siteWide(
    {
      id: "ai_bots_blocked",
      name: "AI robots shut out",
      category: "indexability",
      severity: "info",
      means:
        "robots.txt shuts robots of AI companies out of the start page, or of pages that Googlebot may read. That may be meant, and costs nothing in the score.",
      fix: "Decide for each robot: those of AI search bring visitors, those of training do not.",
      source: "RFC 9309 §2.2.1; the documentation of each robot by its operator",
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Assistants and AI search do not cite what their robots may not read; keeping texts out of training is a separate choice.",
        goal: "Let robots.txt say of each AI robot what the owner of the site has decided",
        find: "Find the lines in the evidence: a group for AI robots, that of * where search engines have groups of their own, or a setting of the CDN that writes such groups.",
        steps: [
          "Ask the owner which AI robots are meant to read the site, if that is not written anywhere. Without an answer change nothing and say so.",
          "For visibility in AI search, allow OAI-SearchBot and PerplexityBot; training is decided by GPTBot, ClaudeBot, Google-Extended, Applebot-Extended and CCBot.",
          "Read the file again as it is served: a CDN may write groups before those of the site."
        ],
        never: "open the site to AI training without the decision of its owner"
      }
    },
    aiShutOut,
    ({ robots }) =>
      robots === null || robots.state === "unknown"
        ? "the run ended before robots.txt answered"
        : robots.state === "unreachable"
          ? "robots.txt could not be had"
          : null
  )
]
