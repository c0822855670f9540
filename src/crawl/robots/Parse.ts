/** A robot of a search engine or an AI company, with its own verdicts beside the crawler's. */
export interface Agent {
  /** The name as its owner writes it. */
  readonly name: string
  /** Product tokens in order: the first token with a group decides, else the default group (`*`). */
  readonly tokens: readonly [string, ...ReadonlyArray<string>]
  readonly kind: "search" | "ai"
}

/**
 * The agent that decides whether a page counts as blocked or indexable. Googlebot obeys only the most specific group that names it, or else the group of `*`
 * (Google, How Google interprets the robots.txt specification, Order of precedence for user agents).
 */
export const googlebot: Agent = { name: "Googlebot", tokens: ["Googlebot"], kind: "search" }

/**
 * Bingbot's own group replaces the default group; without one Bingbot obeys the group of msnbot, its predecessor (Bing Webmaster Blog, "Bing crawler: bingbot
 * on the horizon", June 2010).
 */
export const bingbot: Agent = { name: "Bingbot", tokens: ["bingbot", "msnbot"], kind: "search" }

const ai = (name: string): Agent => ({ name, tokens: [name], kind: "ai" })

/** All agents, in the order of the report. Without other documentation an agent obeys its own group or else the default one (RFC 9309 §2.2.1). */
export const agents: ReadonlyArray<Agent> = [
  googlebot,
  bingbot,
  // Training, and search in ChatGPT: two independent settings (OpenAI, Overview of OpenAI crawlers).
  ai("GPTBot"),
  ai("OAI-SearchBot"),
  // Anthropic, "Does Anthropic crawl data from the web, and how can site owners block the crawler?".
  ai("ClaudeBot"),
  // Perplexity, Perplexity crawlers.
  ai("PerplexityBot"),
  // Only a token, not a crawler: it says whether pages that Googlebot fetched may train Gemini (Google, List of Google's common crawlers).
  ai("Google-Extended"),
  // A similar token for Applebot's pages. Apple documents the fallback to Googlebot's group only for Applebot (Apple, About Applebot).
  ai("Applebot-Extended"),
  // Common Crawl, CCBot.
  ai("CCBot")
]

/** The field that a line sets; Google has no `crawl-delay`. */
type Key = "user-agent" | "allow" | "disallow" | "sitemap" | "crawl-delay"

/** One line as Google's parser reads it (google/robotstxt, robots.cc). */
export interface Line {
  /** The field, misspelled or not; null for fields that the crawl ignores. */
  readonly key: Key | null
  /** The field in lower case; null without a colon or the blanks between exactly two words. */
  readonly field: string | null
  readonly hasColon: boolean
  readonly value: Uint8Array
  /** The whole line without its comment. */
  readonly text: Uint8Array
}

/** The beginnings that Google recognizes for each field, with misspellings from real sites: `Disallow-all` is `disallow` too. */
const beginnings: ReadonlyArray<readonly [Key, ReadonlyArray<string>]> = [
  ["user-agent", ["user-agent", "useragent", "user agent"]],
  ["allow", ["allow"]],
  ["disallow", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]],
  ["sitemap", ["sitemap", "site-map"]],
  ["crawl-delay", ["crawl-delay", "crawldelay", "crawl delay"]]
]

const hash = 0x23
const colon = 0x3a
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09
const isSpace = (byte: number | undefined) => byte !== undefined && (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))

const trim = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  return bytes.subarray(start, end)
}

/** The line up to the first NUL (text files have none) and the first `#`. */
const withoutComment = (line: Uint8Array): Uint8Array => {
  const end = line.findIndex((byte) => byte === 0 || byte === hash)
  return trim(end === -1 ? line : line.subarray(0, end))
}

/** The colon, or in its absence the blanks between exactly two words: a missing colon is tolerated, a sentence is not. */
const separator = (line: Uint8Array): number => {
  const at = line.indexOf(colon)
  if (at !== -1) return at
  const blank = line.findIndex(isBlank)
  return blank !== -1 && trim(line.subarray(blank)).some(isBlank) ? -1 : blank
}

/** Bytes as ASCII text, one character per byte. */
const ascii = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

const noBytes = new Uint8Array()

/** Reads one line (RFC 9309 §2.2). */
export const readLine = (raw: Uint8Array): Line => {
  const text = withoutComment(raw)
  const at = separator(text)
  if (at <= 0) return { key: null, field: null, hasColon: at === 0, value: noBytes, text }
  const field = ascii(trim(text.subarray(0, Math.min(at, 64)))).toLowerCase()
  const known = beginnings.find(([, spellings]) => spellings.some((spelling) => field.startsWith(spelling)))
  const hasColon = text[at] === colon
  return { key: known?.[0] ?? null, field, hasColon, value: trim(text.subarray(at + 1)), text }
}

/** The product token of a `User-agent` value: its leading letters, `_` and `-`; `*`, alone or before a space, is the default group. */
const agent = (value: Uint8Array): string => {
  const text = ascii(value.subarray(0, 500))
  return /^\*(?=\s|$)/.test(text) ? "*" : (/^[A-Za-z_-]*/.exec(text)?.[0] ?? "")
}

/** Whether an agent is the default one. */
export const isDefaultAgent = (name: string): boolean => name === "*"

/** RFC 9309 §2.5 asks for at least 500 KiB; the rest is not read. */
export const maxBytes = 500 * 1024

/** Longer lines are cut: eight times the longest URL of old browsers (2,083). */
const maxLineBytes = 2083 * 8 - 1

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Leading bytes of a UTF-8 byte order mark, which may be cut short. */
const markLength = (bytes: Uint8Array): number => {
  const first = byteOrderMark.findIndex((byte, index) => bytes[index] !== byte)
  return first === -1 ? byteOrderMark.length : first
}

/** The file in UTF-8, as RFC 9309 requires; a byte order mark identifies UTF-16. */
const asUtf8 = (bytes: Uint8Array): Uint8Array => {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null
  return label === null ? bytes : new TextEncoder().encode(new TextDecoder(label).decode(bytes))
}

/** The lines of the file in order; LF, CR and CR LF each end one; a leading byte order mark, whole or cut short, is skipped. */
export const lines = (file: Uint8Array): ReadonlyArray<Uint8Array> => {
  const bytes = asUtf8(file.subarray(0, maxBytes))
  const found: Array<Uint8Array> = []
  let start = markLength(bytes)
  for (let at = start; at <= bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== undefined && byte !== lineFeed && byte !== carriageReturn) continue
    found.push(bytes.subarray(start, Math.min(at, start + maxLineBytes)))
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) at++
    start = at + 1
  }
  return found
}

const hexDigits = "0123456789ABCDEF"

const escapes = /%[0-9A-Fa-f]{2}/g

/** Percent-escapes in upper case, so that `%2f` and `%2F` compare equal (RFC 3986 §6.2.2.1). */
export const upperCaseEscapes = (text: string): string =>
  text.includes("%") ? text.replace(escapes, (escape) => escape.toUpperCase()) : text

/** The ASCII form of a pattern's bytes: bytes above 0x7F escaped (RFC 9309 §2.2.2); unreserved escapes stay as written. */
const canonical = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) {
    text += byte < 0x80 ? String.fromCharCode(byte) : `%${hexDigits[byte >> 4]}${hexDigits[byte & 15]}`
  }
  return upperCaseEscapes(text)
}

/** The literal beginning of every path that the pattern matches. */
export const prefixOf = (pattern: string): string => /^[^*]*?(?=\*|\$?$)/.exec(pattern)?.[0] ?? ""

/**
 * Compiles a pattern with `*` (any characters) and a last `$` (end of the path) to a test of paths. The test searches the literals between the stars from
 * left to right, each as early as possible, which is exact for `*` and needs no backtracking, so a hostile file cannot slow it down (RFC 9309 §2.2.3).
 */
export const compile = (pattern: string): ((path: string) => boolean) => {
  const anchored = pattern.endsWith("$")
  const [prefix = "", ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split("*")
  if (rest.length === 0) return anchored ? (path) => path === prefix : (path) => path.startsWith(prefix)
  const last = anchored ? (rest.at(-1) ?? "") : ""
  const inner = (anchored ? rest.slice(0, -1) : rest).filter((literal) => literal !== "")
  return (path) => {
    if (!path.startsWith(prefix)) return false
    let at = prefix.length
    for (const literal of inner) {
      const found = path.indexOf(literal, at)
      if (found === -1) return false
      at = found + literal.length
    }
    return path.length - last.length >= at && path.endsWith(last)
  }
}

/** One `Allow` or `Disallow` line; an empty pattern (`Disallow:`) matches nothing (RFC 9309 §2.2.2). */
export interface RobotsRule {
  readonly allow: boolean
  /** The path pattern in ASCII: bytes above 0x7F percent-escaped, percent-escapes in upper case. */
  readonly pattern: string
  /** 1-based number of the line in the file. */
  readonly line: number
  /** The line as written, trimmed and cut at 500 bytes. */
  readonly text: string
}

/** Lines between the `User-agent` lines of one group, which look like its end but are not. */
interface Gaps {
  readonly count: number
  /** The first lines: number and text, which is empty for a blank line. */
  readonly first: ReadonlyArray<{ readonly line: number; readonly text: string }>
}

/** Consecutive `User-agent` lines without a rule between them, and the rules below them (RFC 9309 §2.2.1). */
export interface RobotsGroup {
  /** Product tokens as written, cut at the first character outside `[A-Za-z_-]`; `*` names the default group. */
  readonly agents: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RobotsRule>
  /** Number of the first line. */
  readonly line: number
  readonly gaps: Gaps
}

/** The longest of consecutive `Crawl-delay` lines, with its agents; `Crawl-delay` neither opens nor ends a group. */
interface CrawlDelay {
  readonly agents: ReadonlyArray<string>
  seconds: number
}

/** A parsed robots.txt file; parsing never fails and skips unknown lines. */
export interface RobotsTxt {
  readonly groups: ReadonlyArray<RobotsGroup>
  readonly crawlDelays: ReadonlyArray<CrawlDelay>
  /** Values of the `Sitemap` lines in order, as written; they belong to no group. */
  readonly sitemaps: ReadonlyArray<string>
  /** True when the file was longer than 500 KiB and only the first 500 KiB were read (RFC 9309 §2.5). */
  readonly truncated: boolean
}

/** The deciding line of the file, with its group. */
interface MatchedRule {
  readonly line: number
  readonly text: string
  /** The agent that selected the group, as written in the file (`*` for the default group). */
  readonly group: string
  /** How Google joined the group, in words, when other lines are between its agents. */
  readonly joined?: string
}

/** A verdict for one URL; `rule` is null when no line matches, so the default (allowed) applies. */
export interface RobotsVerdict {
  readonly allowed: boolean
  readonly rule: MatchedRule | null
}

/** Maximum gaps to keep with their text. */
const shownGaps = 3

/** The lines without a rule after an agent, up to the next agent. */
interface Between extends Gaps {
  /** Number of the first blank line. */
  readonly blank: number | null
}

const nothingBetween: Between = { count: 0, first: [], blank: null }

interface OpenGroup {
  readonly agents: Array<string>
  readonly rules: Array<RobotsRule>
  readonly line: number
  gaps: Gaps
  between: Between
  /** The agents of a `Crawl-delay` line here: the agents since the last such line, because the line does not end a group. */
  delayed: Array<string>
  delaying: boolean
}

const openGroup = (line: number): OpenGroup => ({
  agents: [],
  rules: [],
  line,
  gaps: { count: 0, first: [] },
  between: nothingBetween,
  delayed: [],
  delaying: false
})

const utf8 = new TextDecoder()

/** The first 500 bytes of a line or value as text. */
export const shownText = (line: Uint8Array): string => utf8.decode(line.subarray(0, 500))

/** Blank lines count as a gap only without other lines between two agents. */
const gapsOf = ({ blank, count, first }: Between): Gaps =>
  count === 0 && blank !== null ? { count: 1, first: [{ line: blank, text: "" }] } : { count, first }

const addAgent = (group: OpenGroup, name: string) => {
  const { count, first } = gapsOf(group.between)
  group.gaps = { count: group.gaps.count + count, first: [...group.gaps.first, ...first].slice(0, shownGaps) }
  group.between = nothingBetween
  group.agents.push(name)
  if (group.delaying) group.delayed = [name]
  else group.delayed.push(name)
  group.delaying = false
}

/** Notes a line that does not end the group, because it is no rule. */
const passOver = (group: OpenGroup, line: number, text: Uint8Array) => {
  if (group.rules.length > 0) return
  const { blank, count, first } = group.between
  if (text.length === 0) {
    group.between = { count, first, blank: blank ?? line }
    return
  }
  const kept = first.length < shownGaps ? [...first, { line, text: shownText(text).slice(0, 100) }] : first
  group.between = { count: count + 1, first: kept, blank }
}

const seconds = (value: Uint8Array): number | null => {
  const written = /^\d+(?:\.\d+)?|^\.\d+/.exec(ascii(value.subarray(0, 32)))
  return written === null ? null : Number(written[0])
}

/**
 * The URL of a `Sitemap` line; null without scheme and host, which search engines require (sitemaps.org protocol, Specifying the sitemap location in
 * robots.txt; Google, How Google interprets the robots.txt specification, sitemap).
 */
export const sitemapAddress = (value: string): URL | null =>
  /^https?:\/\/[^\s\\/?#]/i.test(value) && !/[\s,]https?:\/\//i.test(value) ? URL.parse(value) : null

/** Parses a robots.txt file (RFC 9309) from any bytes, skipping unknown lines. */
export const parse = (file: Uint8Array): RobotsTxt => {
  const groups: Array<RobotsGroup> = []
  const crawlDelays: Array<CrawlDelay> = []
  const sitemaps: Array<string> = []
  let group: OpenGroup | null = null

  const obey = ({ key, value, text }: Line, line: number) => {
    switch (key) {
      case "user-agent":
        // Only a rule ends the list of agents: sitemaps, delays and unknown lines between them do not (RFC 9309 §2.2.4).
        if (group === null || group.rules.length > 0) {
          group = openGroup(line)
          groups.push(group)
        }
        addAgent(group, agent(value))
        return
      case "allow":
      case "disallow":
        // Rules before the first agent belong to no group.
        group?.rules.push({ allow: key === "allow", pattern: canonical(value), line, text: shownText(text) })
        return
      case "sitemap":
        sitemaps.push(utf8.decode(value))
        break
      case "crawl-delay": {
        const delay = seconds(value)
        if (group === null || delay === null) break
        const last = crawlDelays.at(-1)
        if (last?.agents === group.delayed) last.seconds = Math.max(last.seconds, delay)
        else crawlDelays.push({ agents: group.delayed, seconds: delay })
        group.delaying = true
      }
    }
    if (group !== null) passOver(group, line, text)
  }

  for (const [index, raw] of lines(file).entries()) {
    const read = readLine(raw)
    // A comment-only line never separates groups; a blank line does for older parsers, so it counts as a gap.
    if (read.text.length > 0 || trim(raw).length === 0) obey(read, index + 1)
  }
  return { groups, crawlDelays, sitemaps, truncated: file.length > maxBytes }
}
