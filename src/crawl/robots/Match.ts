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

/** An entry of the index. */
interface Indexed {
  /** The beginning of every matching path: the pattern up to its first `*`, or all of it. */
  readonly prefix: string
  readonly matches: (path: string) => boolean
}

/**
 * Rules by their literal prefix: one look-up per prefix length finds the rules to compare with a path. Without the index a large robots.txt costs a walk over
 * all its rules for every URL.
 */
export class RuleIndex<A extends Indexed> {
  readonly #buckets = new Map<string, Array<{ readonly place: number; readonly rule: A }>>()
  readonly #lengths: ReadonlyArray<number>

  /** Rules in order: the first match decides. */
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

  /** Maximum steps of finding a rule: characters of the path times rules to compare. */
  cost(path: string): number {
    return path.length * this.#candidates(path).reduce((sum, bucket) => sum + bucket.length, 0)
  }
}

interface CompiledRule {
  readonly allow: boolean
  /** Octets of the pattern; a longer pattern is more specific. */
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

/** Sorts the deciding rule first: the longer one, and of equal ones the allowing one (RFC 9309 §2.2.2). */
const compare = (a: CompiledRule, b: CompiledRule): number => b.length - a.length || Number(b.allow) - Number(a.allow)

/** `Allow: /dir/index.html` also allows `/dir/`, as Google reads it. */
const directoryOf = (rule: RobotsRule): string | null => {
  const slash = rule.pattern.lastIndexOf("/")
  const isIndex = rule.allow && slash !== -1 && rule.pattern.startsWith("/index.htm", slash)
  return isIndex ? `${rule.pattern.slice(0, slash + 1)}$` : null
}

/** Maximum characters of an agent's name in the text for a joined group. */
const shownName = 50

/**
 * How Google joined a group with other lines between its agents: only a rule ends the list of agents (RFC 9309 §2.2.4; google/robotstxt, RobotsMatcher).
 * Undefined for consecutive agents.
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

/** The rules of a group, compiled once for all agents that obey it, so the work depends only on the file's length. */
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

/** The groups that one agent obeys, each with the agent name that selected it. */
export type Selection = ReadonlyArray<readonly [RobotsGroup, string]>

const select = (robots: RobotsTxt, is: (agent: string) => boolean): Selection =>
  robots.groups.flatMap((group) => {
    const agent = group.agents.find(is)
    return agent === undefined ? [] : [[group, agent] as const]
  })

/** The groups of the first product token with any, ignoring case, or else the default groups (RFC 9309 §2.2.1). */
export const selection = (robots: RobotsTxt, productTokens: ReadonlyArray<string>): Selection => {
  for (const token of productTokens.map((each) => each.toLowerCase())) {
    const own = select(robots, (agent) => agent !== "" && agent.toLowerCase() === token)
    if (own.length > 0) return own
  }
  return select(robots, isDefaultAgent)
}

/** Whether two agents obey equal groups by equal names, and so get equal verdicts. */
export const isSameSelection = (one: Selection, other: Selection): boolean =>
  one.length === other.length && one.every(([group, name], at) => group === other[at]?.[0] && name === other[at]?.[1])

/** The path with query for matching: without scheme, authority and fragment, never empty. */
const pathOf = (urlOrPath: string): string => {
  const start = urlOrPath.startsWith("//") ? 2 : 0
  const scheme = /^[^/?;]*?:\/\//.exec(urlOrPath.slice(start))?.[0].length ?? 0
  const [beforeFragment = ""] = urlOrPath.split("#", 1)
  const authorityEnd = beforeFragment.slice(start + scheme).search(/[/?;]/)
  if (authorityEnd === -1) return "/"
  const path = beforeFragment.slice(start + scheme + authorityEnd)
  return upperCaseEscapes(path.startsWith("/") ? path : `/${path}`)
}

/** The rules of a file for one agent. */
export interface Matcher {
  readonly verdict: (urlOrPath: string) => RobotsVerdict
  /** Maximum steps of a verdict. */
  readonly cost: (urlOrPath: string) => number
}

const allowedByDefault: RobotsVerdict = { allowed: true, rule: null }

/** Cost of a look-up in a group without a rule for the path, in steps. */
const worthOfGroup = 32
/** Maximum groups of one agent with an exact cost; beyond, all their rules count. */
const fewGroups = 16

/**
 * Compiles the groups of an agent into a test of URLs or paths. /robots.txt gets no exception, because a crawler fetches it without asking. URLs must be
 * percent-encoded, as `URL` writes them.
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

/** Whether `productToken` may fetch the URL (or path with query), and the line that decides; use one `matching` for many URLs. */
export const match = (robots: RobotsTxt, productToken: string, urlOrPath: string): RobotsVerdict =>
  matching(selection(robots, [productToken])).verdict(urlOrPath)

/** The longest `Crawl-delay` in seconds for the token, or for `*` when no group names the token; null when none. */
export const crawlDelay = (robots: RobotsTxt, productToken: string): number | null => {
  const token = productToken.toLowerCase()
  const isNamed = (agent: string) => agent.toLowerCase() === token
  const named = robots.groups.some((group) => group.agents.some(isNamed))
  const delays = robots.crawlDelays.filter(({ agents }) => agents.some(named ? isNamed : isDefaultAgent))
  return delays.length === 0 ? null : Math.max(...delays.map(({ seconds }) => seconds))
}
