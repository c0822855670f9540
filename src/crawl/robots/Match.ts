import {
  compile,
  isDefaultAgent,
  prefixOf,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsVerdict,
  upperCaseEscapes
} from "./Parse.ts"

/** What the index needs to know of a rule. */
interface Indexed {
  /** What every matching path begins with: the pattern up to its first `*`, or all of it. */
  readonly prefix: string
  readonly matches: (path: string) => boolean
}

/**
 * Rules by their literal prefix: a path is compared only with the rules whose prefix it has, found by one look-up for each length that prefixes have.
 * Without it a large robots.txt costs a walk over all its rules for every URL.
 */
export class RuleIndex<A extends Indexed> {
  readonly #buckets = new Map<string, Array<{ readonly place: number; readonly rule: A }>>()
  readonly #lengths: ReadonlyArray<number>

  /** The rules in their order: the first that matches decides. */
  constructor(rules: ReadonlyArray<A>) {
    rules.forEach((rule, place) => {
      const bucket = this.#buckets.get(rule.prefix)
      if (bucket === undefined) this.#buckets.set(rule.prefix, [{ place, rule }])
      else bucket.push({ place, rule })
    })
    this.#lengths = [...new Set(Array.from(this.#buckets.keys(), (prefix) => prefix.length))]
  }

  #candidates(path: string) {
    return this.#lengths.flatMap((length) => {
      const bucket = length > path.length ? undefined : this.#buckets.get(path.slice(0, length))
      return bucket === undefined ? [] : [bucket]
    })
  }

  /** The first rule that matches the path. */
  first(path: string): A | undefined {
    let best: { readonly place: number; readonly rule: A } | undefined
    for (const bucket of this.#candidates(path)) {
      const found = bucket.find(({ place, rule }) => (best !== undefined && place > best.place) || rule.matches(path))
      if (found !== undefined && (best === undefined || found.place < best.place)) best = found
    }
    return best?.rule
  }

  /** What finding it costs at most: characters of the path times the rules that are compared with it. */
  cost(path: string): number {
    return path.length * this.#candidates(path).reduce((sum, bucket) => sum + bucket.length, 0)
  }
}

interface CompiledRule {
  readonly allow: boolean
  /** Octets of the pattern: the more, the more specific. */
  readonly length: number
  readonly prefix: string
  readonly matches: (path: string) => boolean
  readonly rule: RobotsRule
}

const compiled = (rule: RobotsRule, pattern: string): CompiledRule => ({
  allow: rule.allow,
  length: pattern.length,
  prefix: prefixOf(pattern),
  matches: compile(pattern),
  rule
})

/** Which of two rules decides, negative for the first: the longer one, and of equal ones the one that allows (RFC 9309 §2.2.2). */
const compare = (a: CompiledRule, b: CompiledRule): number => b.length - a.length || Number(b.allow) - Number(a.allow)

/** `Allow: /dir/index.html` also allows `/dir/` itself, as the major search engine reads it. */
const directoryOf = (rule: RobotsRule): string | null => {
  const slash = rule.pattern.lastIndexOf("/")
  const isIndex = rule.allow && slash !== -1 && rule.pattern.startsWith("/index.htm", slash)
  return isIndex ? `${rule.pattern.slice(0, slash + 1)}$` : null
}

/** Characters of an agent's name that the words of a joined group show. */
const shownName = 50

/**
 * How a group came about whose agents have other lines between them, as Google builds it: only a rule ends the list of agents (RFC 9309 §2.2.4;
 * google/robotstxt, RobotsMatcher). Nothing where the agents follow one another.
 */
const joinedBy = ({ agents, gaps, line, rules }: RobotsGroup): string | undefined => {
  if (gaps.count === 0) return undefined
  const names = [...new Set(agents)].flatMap((name) => (name === "" ? [] : [name.slice(0, shownName)]))
  if (names.length < 2) return undefined
  const whom = names.length < 6 ? names : [...names.slice(0, 4), `${names.length - 5} more`, ...names.slice(-1)]
  const shown = gaps.first.map((gap) => `line ${gap.line} ${gap.text === "" ? "(blank)" : `"${gap.text}"`}`)
  const more = gaps.count - shown.length
  const between = `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
  const why = `${gaps.count === 1 ? "does" : "do"} not end the group`
  return `Google reads lines ${line} to ${rules.at(-1)?.line ?? line} as one group of ${whom.join(", ")}: ${between} ${why}`
}

const indexes = new WeakMap<RobotsGroup, RuleIndex<CompiledRule>>()

/** The rules of a group, compiled once for all agents that obey it: a file is as much work as it is long, however many agents it is read for. */
const indexOf = (group: RobotsGroup): RuleIndex<CompiledRule> => {
  const known = indexes.get(group)
  if (known !== undefined) return known
  const rules: Array<CompiledRule> = []
  for (const rule of group.rules) {
    if (rule.pattern === "") continue
    rules.push(compiled(rule, rule.pattern))
    const directory = directoryOf(rule)
    if (directory !== null) rules.push(compiled(rule, directory))
  }
  const index = new RuleIndex(rules.sort(compare))
  indexes.set(group, index)
  return index
}

/** The groups that one agent obeys, merged, each with the name by which it was chosen. */
export type Selection = ReadonlyArray<readonly [RobotsGroup, string]>

const select = (robots: RobotsTxt, is: (agent: string) => boolean): Selection =>
  robots.groups.flatMap((group) => {
    const agent = group.agents.find(is)
    return agent === undefined ? [] : [[group, agent] as const]
  })

/** The groups of the first product token that has any, compared without case, or else the default groups (RFC 9309 §2.2.1). */
export const selection = (robots: RobotsTxt, productTokens: ReadonlyArray<string>): Selection => {
  for (const token of productTokens.map((each) => each.toLowerCase())) {
    const own = select(robots, (agent) => agent !== "" && agent.toLowerCase() === token)
    if (own.length > 0) return own
  }
  return select(robots, isDefaultAgent)
}

/** Whether two agents obey the same groups, chosen by the same names: then every verdict is the same. */
export const isSameSelection = (one: Selection, other: Selection): boolean =>
  one.length === other.length && one.every(([group, name], at) => group === other[at]?.[0] && name === other[at]?.[1])

/** The path with query as the file's patterns see it: scheme, authority and fragment gone, never empty. */
const pathOf = (urlOrPath: string): string => {
  const start = urlOrPath.startsWith("//") ? 2 : 0
  const scheme = /^[^/?;]*?:\/\//.exec(urlOrPath.slice(start))?.[0].length ?? 0
  const [beforeFragment = ""] = urlOrPath.split("#", 1)
  const authorityEnd = beforeFragment.slice(start + scheme).search(/[/?;]/)
  if (authorityEnd === -1) return "/"
  const path = beforeFragment.slice(start + scheme + authorityEnd)
  return upperCaseEscapes(path.startsWith("/") ? path : `/${path}`)
}

/** What a file says to one product token. */
export interface Matcher {
  readonly verdict: (urlOrPath: string) => RobotsVerdict
  /** Steps that the verdict takes at most. */
  readonly cost: (urlOrPath: string) => number
}

const allowedByDefault: RobotsVerdict = { allowed: true, rule: null }

/** Cost of asking a group that has no rule for a path, in steps. */
const worthOfGroup = 32
/** Groups of one agent up to which the cost of a verdict is looked up; beyond, all their rules count. */
const fewGroups = 16

/**
 * Compiles the groups that an agent obeys into a test of URLs or paths. /robots.txt itself is judged like any path: who fetches it to read the rules does
 * not ask. URLs are expected percent-encoded, as `URL` writes them.
 */
export const matching = (groups: Selection): Matcher => {
  const parts = groups.map(([group, name]) => ({ index: indexOf(group), name, joined: joinedBy(group) }))
  const asking = parts.length * worthOfGroup
  const rules = groups.reduce((sum, [group]) => sum + group.rules.length, 0)
  return {
    cost: (urlOrPath) => {
      const path = pathOf(urlOrPath)
      if (parts.length > fewGroups) return asking + path.length * rules
      return parts.reduce((sum, { index }) => sum + index.cost(path), asking)
    },
    verdict: (urlOrPath) => {
      const path = pathOf(urlOrPath)
      let best: { readonly found: CompiledRule; readonly name: string; readonly joined: string | undefined } | null =
        null
      for (const { index, joined, name } of parts) {
        const found = index.first(path)
        if (found !== undefined && (best === null || compare(found, best.found) < 0)) best = { found, joined, name }
      }
      if (best === null) return allowedByDefault
      const { line, text } = best.found.rule
      const rule = { line, text, group: best.name }
      return { allowed: best.found.allow, rule: best.joined === undefined ? rule : { ...rule, joined: best.joined } }
    }
  }
}

/** Whether `productToken` may fetch the URL (or path with query), and by which line; for many URLs one `matching` serves. */
export const match = (robots: RobotsTxt, productToken: string, urlOrPath: string): RobotsVerdict =>
  matching(selection(robots, [productToken])).verdict(urlOrPath)

/** The longest `Crawl-delay` in seconds named for the token, or for `*` when no group names the token; null when none. */
export const crawlDelay = (robots: RobotsTxt, productToken: string): number | null => {
  const token = productToken.toLowerCase()
  const isNamed = (agent: string) => agent.toLowerCase() === token
  const named = robots.groups.some((group) => group.agents.some(isNamed))
  const delays = robots.crawlDelays.filter(({ agents }) => agents.some(named ? isNamed : isDefaultAgent))
  return delays.length === 0 ? null : Math.max(...delays.map(({ seconds }) => seconds))
}
