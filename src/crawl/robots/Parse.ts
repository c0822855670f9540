import { each, finish, type Steps } from "../../foundation/schema/Steps.ts"
import { agent, ascii, type Directive, directive } from "./Directive.ts"
import { lines, maxBytes } from "./Lines.ts"
import { canonical } from "./Pattern.ts"
import type { CrawlDelay, RobotsGroup, RobotsRule, RobotsTxt } from "./RobotsTxt.ts"

interface OpenGroup {
  readonly agents: Array<string>
  readonly rules: Array<RobotsRule>
  /** The agents that a `Crawl-delay` line here addresses: those since the last such line, since it does not end a group. */
  delayed: ReadonlyArray<string>
  delaying: boolean
}

const openGroup = (): OpenGroup => ({ agents: [], rules: [], delayed: [], delaying: false })

const utf8 = new TextDecoder()
const shown = (line: Uint8Array): string => utf8.decode(line.subarray(0, 500))

const addAgent = (group: OpenGroup, name: string) => {
  group.agents.push(name)
  group.delayed = group.delaying ? [name] : [...group.delayed, name]
  group.delaying = false
}

const seconds = (value: Uint8Array): number | null => {
  const written = /^\d+(?:\.\d+)?|^\.\d+/.exec(ascii(value.subarray(0, 32)))
  return written === null ? null : Number(written[0])
}

/** What a line is worth besides its length, in characters; a byte of a robots.txt is as much work as eight characters of a page. */
const worthOfLine = 128
const worthOfByte = 8

/** Reads a robots.txt file (RFC 9309) from its bytes; it is total: what is not understood is skipped. */
export function* parsing(file: Uint8Array): Steps<RobotsTxt> {
  const groups: Array<RobotsGroup> = []
  const crawlDelays: Array<CrawlDelay> = []
  const sitemaps: Array<string> = []
  let group: OpenGroup | null = null

  const obey = ({ key, value, line: text }: Directive, line: number) => {
    switch (key) {
      case "sitemap":
        sitemaps.push(utf8.decode(value))
        return
      case "user-agent":
        // Only a rule ends the list of agents: sitemaps, delays and unknown lines in between do not (RFC 9309 §2.2.4).
        if (group === null || group.rules.length > 0) {
          group = openGroup()
          groups.push(group)
        }
        addAgent(group, agent(value))
        return
      case "crawl-delay": {
        const delay = seconds(value)
        if (group === null || delay === null) return
        crawlDelays.push(...group.delayed.map((name) => ({ agent: name, seconds: delay, line })))
        group.delaying = true
        return
      }
      default:
        // Rules before the first agent belong to no group.
        group?.rules.push({ allow: key === "allow", pattern: canonical(value), line, text: shown(text) })
    }
  }

  const all = lines(file)
  yield file.length
  let number = 0
  yield* each(all, (raw) => {
    number++
    const read = directive(raw)
    if (read !== null) obey(read, number)
    return worthOfLine + raw.length * worthOfByte
  })
  return { groups, crawlDelays, sitemaps, truncated: file.length > maxBytes }
}

/** The same at once. */
export const parse = (file: Uint8Array): RobotsTxt => finish(parsing(file))
