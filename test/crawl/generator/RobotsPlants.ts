import type { Builder } from "./Builder.ts"
import { aiAgents } from "./ModelRobots.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { RobotsRulePlan } from "./Site.ts"

const everything: RobotsRulePlan = { allow: false, pattern: "/" }

/** A linked page in a separate section. */
const pageIn = (b: Builder, r: Random, section: string): string => {
  const url = b.url(`${section}${r.int(1, 99_999)}`)
  return b.linked(b.add(url, { kind: "page", doc: b.sound(url) }), r)
}

/** Gives agents a group with the current default rules, and more. */
const group = (b: Builder, agents: ReadonlyArray<string>, ...more: ReadonlyArray<RobotsRulePlan>): void =>
  b.spoilSite(({ robots }) => robots.groups.push({ agents, rules: [...robots.rules, ...more] }))

/** Gives agents a group that blocks the whole site. */
const shutOut = (b: Builder, ...agents: ReadonlyArray<string>): void =>
  b.spoilSite(({ robots }) => robots.groups.push({ agents, rules: [everything] }))

const misspeltRules = [
  "Dissallow:",
  "dissalow:",
  "Disalow :",
  "DIASLLOW:",
  "disallaw:",
  "Disallow",
  "Disallow-all:"
] as const
const misspeltAgents = ["Useragent:", "user agent :", "USER-AGENT", "User-agents:"] as const
/** Lines that end no group. */
const noRules = ["Crawl-delay: 5", "Host: site.example", "", "  # the next"] as const

/** robots.txt differs for this crawler and for other robots. */
export const robotsPlants: ReadonlyArray<Plant> = [
  plant("a group for this crawler", { cost: 0 }, (b, r) => group(b, [r.pick(["FindableBot", "findablebot"])])),
  plant("a section closed to Googlebot alone", { cost: 3 }, (b, r) => {
    const urls = [pageIn(b, r, "/no-google/a-"), pageIn(b, r, "/no-google/b-"), pageIn(b, r, "/no-google/c-")] as const
    b.list(urls[0])
    b.spoil(urls[1], (doc) =>
      doc.robots.push({
        place: "head",
        agent: "robots",
        content: "noindex",
        saysNoindex: true,
        saysIndex: false,
        hides: true
      })
    )
    b.spoil(urls[2], (doc) => {
      doc.canonicals = [{ written: b.home, to: b.home, place: "head" }]
    })
    group(b, [r.pick(["Googlebot", "googlebot"])], { allow: false, pattern: "/no-google/" })
  }),
  plant("Googlebot shut out", { cost: 0, rare: true }, (b) => shutOut(b, "Googlebot")),
  plant("a section for those who are named", { cost: 2, unverifiable: true }, (b, r) => {
    b.list(pageIn(b, r, "/members/a-"))
    pageIn(b, r, "/members/b-")
    group(b, ["Googlebot", "bingbot"])
    b.spoilSite(({ robots }) => robots.rules.push({ allow: false, pattern: "/members/" }))
  }),
  plant("a section closed to Bingbot alone", { cost: 1 }, (b, r) => {
    pageIn(b, r, "/no-bing/")
    group(b, [r.pick(["bingbot", "Bingbot", "msnbot"])], { allow: false, pattern: "/no-bing/" })
  }),
  plant("Bingbot shut out", { cost: 0, rare: true }, (b) => shutOut(b, "bingbot")),
  plant("AI robots shut out", { cost: 0 }, (b, r) => shutOut(b, ...new Set([r.pick(aiAgents), r.pick(aiAgents)]))),
  plant("a section closed to an AI robot", { cost: 1 }, (b, r) => {
    pageIn(b, r, "/no-ai/")
    group(b, [r.pick(aiAgents)], { allow: false, pattern: "/no-ai/" })
  }),
  plant("rules that Google reads although they are misspelt", { cost: 2 }, (b, r) => {
    b.list(pageIn(b, r, "/typo/a-"))
    pageIn(b, r, "/typo/b-")
    const field = r.pick(misspeltRules)
    b.spoilSite(({ robots }) => robots.rules.push({ allow: false, pattern: "/typo/", field }))
  }),
  plant("a rule that is misspelt beyond what Google reads", { cost: 1 }, (b, r) => {
    b.linked(b.page(b.url(`/near/${r.int(1, 99_999)}`)), r)
    const line = r.pick(["Disallw: /near/", "Dis-allow: /near/", "Disallow /near/ /nearer/", "Disallow / near/"])
    b.spoilSite(({ robots }) => robots.strange.push({ line, isWrong: true }))
  }),
  plant("a group whose agent stands behind a misspelt field", { cost: 0 }, (b, r) => {
    const agent = r.pick(aiAgents)
    const field = r.pick(misspeltAgents)
    b.spoilSite(({ robots }) => robots.groups.push({ agents: [agent], rules: [everything], field }))
  }),
  plant("agents joined over a line that is no rule", { cost: 1 }, (b, r) => {
    pageIn(b, r, "/no-joined/")
    const agents = [r.pick(["bingbot", ...aiAgents]), "BadBot"]
    const between = r.pick(noRules)
    b.spoilSite(({ robots }) => {
      const rules = [...robots.rules, { allow: false, pattern: "/no-joined/" }]
      robots.groups.push({ agents, rules, between })
    })
  }),
  plant("Googlebot joined with a robot that is shut out", { cost: 0, rare: true }, (b, r) => {
    const between = r.pick(noRules)
    b.spoilSite(({ robots }) => robots.groups.push({ agents: ["Googlebot", "BadBot"], rules: [everything], between }))
  }),
  plant("agents parted by a rule, whatever stands behind it", { cost: 0 }, (b, r) => {
    const behind = r.pick(noRules)
    b.spoilSite(({ robots }) =>
      robots.groups.push(
        { agents: ["Googlebot", "bingbot"], rules: [...robots.rules], behind },
        { agents: ["BadBot"], rules: [everything] }
      )
    )
  }),
  plant("groups that shut out no agent of the report", { cost: 0 }, (b) => {
    group(b, ["Googlebot", "bingbot", ...aiAgents])
    shutOut(b, "Googlebot-Image", "Googlebot-News", "anthropic-ai", "Bytespider", "GPTBot-Legacy", "BingPreview")
  })
]
