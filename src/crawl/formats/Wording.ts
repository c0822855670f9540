import { groupedBy } from "../../foundation/schema/Steps.ts"
import { plural, escapeInvisible as visible } from "../../foundation/text/Words.ts"
import type { AgentSummary, CrawlRecord, CrawlResult, Verification, VerifyVerdict } from "../report/CrawlResult.ts"
import type { EvidenceItem, FaultPlace, Finding } from "../report/Finding.ts"
import { effortWords, reasonWords, renderingOffWords, renderingWords } from "../report/Labels.ts"
import { isOpen, type Termination } from "../report/MeasuredPage.ts"
import { isRendering, renderedShare, scriptsNotRun } from "../report/Rendering.ts"
import { freeWords } from "../report/ScoreVerdict.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import type { RuleText } from "../rules/Rule.ts"
import { inPart } from "../visit/Visit.ts"

/** Equal evidence of one page or several. */
export interface EvidenceGroup {
  /** One of the equal items. */
  readonly item: EvidenceItem
  /** How many pages have the evidence. */
  readonly count: number
  /** Known URLs in the order of the issue; at most five for a site-wide cause. */
  readonly urls: ReadonlyArray<string>
}

/** URLs shown per group. */
export const shownUrls = 5

const groupOf = (items: readonly [EvidenceItem, ...ReadonlyArray<EvidenceItem>]): EvidenceGroup => {
  const [item] = items
  const shared = item.shared_by ?? items.length
  return { item, count: shared, urls: item.sample ?? items.map(({ url }) => url) }
}

const keyOf = ({ detail, markup, place, sample, shared_by, url, value }: EvidenceItem): string =>
  JSON.stringify([detail, value, markup, place, shared_by === undefined ? null : [url, sample]])

/** The evidence of an issue, grouped by its text, most frequent first. */
export const groupsOf = ({ evidence: { items } }: Finding): ReadonlyArray<EvidenceGroup> => {
  const groups = new Map<string, [EvidenceItem, ...Array<EvidenceItem>]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [item])
    else known.push(item)
  }
  return [...groups.values()].map(groupOf).toSorted((a, b) => b.count - a.count)
}

const places: Readonly<Record<FaultPlace, string>> = {
  header: "in the header",
  nav: "in the navigation",
  main: "in the main content",
  footer: "in the footer",
  head: "in the head",
  sitemap: "in the sitemap",
  robots: "in robots.txt"
}

/** The value at fault, unless the detail quotes it. */
export const valueOf = ({ detail, value }: EvidenceItem): string | null =>
  value === undefined || detail.includes(value) ? null : value

/** The detail of one URL with its place in the page; a site-wide cause names its place itself. */
export const saidOf = ({ detail, place, shared_by }: EvidenceItem): string =>
  [detail, ...(place === undefined || shared_by !== undefined ? [] : [places[place]])]
    .filter((part) => part !== "")
    .join(", ")

/** The heading of a group of pages. */
export const headOf = ({ count, item }: EvidenceGroup): string =>
  item.shared_by !== undefined && item.detail !== ""
    ? item.detail
    : `${plural(count, "URL")}${saidOf(item) === "" ? "" : `: ${saidOf(item)}`}`

const terminationWords: Readonly<Record<Termination, string>> = {
  complete: "the whole site was crawled",
  "max-pages": "partial crawl: stopped at the page limit",
  "max-duration": "partial crawl: stopped at the time limit"
}

/** How much of the site the crawl saw. */
export const sightWords = ({ inventory, termination }: CrawlResult["summary"]): string =>
  termination === "complete" && inventory.reasons.some(({ reason }) => reason === "excluded")
    ? "the whole site was crawled, except what the options exclude"
    : terminationWords[termination]

/** How many pages with scripts the crawl rendered, and why not all; null when no page runs scripts. */
export const scriptWords = ({ rendering }: CrawlResult["summary"]): string | null => {
  const { browser, failed, not_rendered, reason, rendered } = rendering
  const left = Object.entries(not_rendered)
  if (rendered + failed + left.length === 0) return null
  if (!isRendering(rendering))
    return `JavaScript: ${scriptsNotRun}${reason === null ? "" : `, because ${renderingOffWords[reason]}`}`
  const reasons: Readonly<Record<string, string>> = renderingWords
  const others = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...left.map(([why, pages]) => `${pages} not rendered (${reasons[why] ?? why})`)
  ]
  return `JavaScript: ${[renderedShare(rendering), ...others].join(", ")}${browser === null ? "" : `; ${browser}`}`
}

/** A check's name for readers; for an unknown id, from another version, the id. */
export const ruleName = (id: string): string => ruleOf(id)?.name ?? id

/** The catalogue's texts for a check; for an unknown id, from another version, the id. */
export const ruleWords = (id: string): Pick<RuleText, "means" | "fix" | "source"> =>
  ruleOf(id) ?? { means: id, fix: "", source: "" }

/** Time, duration and crawler of a crawl, in one line. */
export const madeBy = ({ duration_ms, started_at, user_agent, version }: CrawlRecord): string =>
  `${started_at.slice(0, 16).replace("T", " ")} UTC, ${(duration_ms / 1000).toFixed(1)} s, Findable ${version}, as ${user_agent}`

const pointWords = (points: number): string =>
  points < 0.1 ? "less than 0.1 points" : `${points < 10 ? points.toFixed(1) : points.toFixed(0)} points`

/** The checks with the highest score impact, five at most. */
export const costsOf = ({ score }: CrawlResult): ReadonlyArray<string> =>
  score.score_version === 1
    ? []
    : score.breakdown.lost.slice(0, 5).map(({ points, rule }) => `${ruleName(rule)} ${pointWords(points)}`)

/** Where the fix of an issue is, and why it costs no points although it is critical. */
export const impactOf = (
  { charged_by, effort, rule, severity }: Finding,
  { score }: CrawlResult
): ReadonlyArray<string> => [
  ...(effort === null ? [] : [`${effortWords[effort]}.`]),
  ...(severity !== "critical" || !score.has_data || score.breakdown.lost.some((charge) => charge.rule === rule)
    ? []
    : [freeWords(charged_by === null ? null : ruleName(charged_by))])
]

/** Whether an agent may read the start page, with the deciding line of robots.txt. */
export const startWords = ({ line, start_allowed }: AgentSummary): string =>
  `${start_allowed ? "allowed" : "blocked"}${line === null ? "" : ` by line ${line.line}: ${line.text}`}`

/** URLs or files that the crawl could not read, with their number. */
interface Unread {
  readonly count: number
  readonly words: string
  readonly example: string | null
}

/** The report's first section: the crawl's gaps. */
interface NotRead {
  readonly head: string
  readonly parts: ReadonlyArray<Unread>
}

/** URLs that the crawl could not read. Non-HTML files and URLs that act are no pages, so they do not count; excluded URLs do. */
const urls = ({ summary }: CrawlResult): ReadonlyArray<Unread> =>
  summary.inventory.reasons.flatMap(({ count, example_url, reason }) =>
    isOpen(reason) || reason === "blocked_by_robots" || reason === "excluded"
      ? [{ count, words: reasonWords[reason], example: example_url }]
      : []
  )

const unlisted = ({ summary }: CrawlResult): ReadonlyArray<Unread> => {
  const count = summary.limits.unlisted_urls
  return count === 0 ? [] : [{ count, words: "found, but too many to list", example: null }]
}

const partly = ({ pages }: CrawlResult): ReadonlyArray<Unread> => {
  const read = pages.filter(({ evidence }) => evidence?.note === inPart)
  return read.length === 0 ? [] : [{ count: read.length, words: "crawled only in part", example: read[0]?.url ?? null }]
}

const fileWords = {
  unreachable: "sitemap file that did not respond",
  blocked_by_robots: "sitemap file blocked by robots.txt",
  unreadable: "unreadable sitemap file",
  skipped: "sitemap file beyond the limits"
} as const

const sitemaps = ({ summary }: CrawlResult): ReadonlyArray<Unread> =>
  summary.sitemap.files.flatMap(({ state, url }) =>
    state === "read" || state === "absent" ? [] : [{ count: 1, words: fileWords[state], example: url }]
  )

/** Obstacles to the crawl as a whole. */
const obstacles = ({ complete, robots, sitemap }: CrawlResult["summary"]): ReadonlyArray<string> => [
  ...(sitemap.state === "not_read" ? ["the crawl ended before the sitemap was fetched"] : []),
  ...(complete || robots.crawl_delay_seconds === null || robots.crawl_delay_allows === null
    ? []
    : [
        `robots.txt sets a Crawl-delay of ${robots.crawl_delay_seconds} s, which allows ${plural(robots.crawl_delay_allows, "request")}`
      ])
]

/** Found URLs that the crawl could not read, because of limits, robots.txt, or missing responses. */
export const notRead = (result: CrawlResult): NotRead => {
  const outside = [...urls(result), ...unlisted(result)]
  const count = outside.reduce((sum, each) => sum + each.count, 0)
  const head = [
    ...(count === 0
      ? []
      : [`${count} of ${plural(result.summary.pages.discovered, "URL")}; the results below do not cover them`]),
    ...obstacles(result.summary)
  ]
  const parts = [...outside, ...partly(result), ...sitemaps(result)]
  return { head: head.length > 0 ? head.join("; ") : parts.length > 0 ? "parts of the site" : "nothing", parts }
}

/** Widest line of the terminal report. */
export const columns = 100

/** Control and bidirectional characters, with which a page could rewrite the terminal or the report. */
const unsafe = /[\p{Cc}\p{Bidi_Control}]/gu

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u
const marks = /\p{Mn}|\p{Me}|\p{Default_Ignorable_Code_Point}/u

/** Safe text from a crawled site: one line, no control characters, nothing invisible. */
export const safe = (text: string): string => visible(text.replace(unsafe, " "))

/** Columns of one character in a terminal. */
const widthOfOne = (character: string): number => (marks.test(character) ? 0 : wide.test(character) ? 2 : 1)

const total = (characters: ReadonlyArray<string>): number =>
  characters.reduce((width, character) => width + widthOfOne(character), 0)

/** Columns of a text in a terminal. */
export const widthOf = (text: string): number => total([...text])

/** The longest beginning that fits. */
const head = (characters: ReadonlyArray<string>, width: number): ReadonlyArray<string> => {
  let used = 0
  const end = characters.findIndex((character) => {
    used += widthOfOne(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}

/** The text in at most `width` columns, cut at its end. */
export const fit = (text: string, width: number): string => {
  const characters = [...safe(text)]
  return total(characters) <= width ? characters.join("") : `${head(characters, width - 1).join("")}…`
}

/**
 * Words broken into lines of at most `width` columns, all but the first indented. A longer word, mostly a URL, stays whole, because a part of it is useless.
 */
export const wrap = (text: string, width: number, indent: string): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of safe(text).split(/ +/)) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

/** A label with a URL beside it, or below it where the line would become too long; `paint` colours the URL. */
export const beside = (
  label: string,
  address: string,
  indent: number,
  paint: (text: string) => string = (text) => text
): ReadonlyArray<string> => {
  const shown = safe(address)
  return widthOf(label) + 2 + widthOf(shown) <= columns
    ? [`${label}  ${paint(shown)}`]
    : [label.trimEnd(), `${" ".repeat(indent)}${paint(shown)}`]
}

/** Colours of the terminal report. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly green: (text: string) => string
}

const sgr = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`
const plain = (text: string): string => text

/** ANSI colours, or none. */
export const paintOf = (color: boolean): Paint =>
  color
    ? { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), yellow: sgr(33, 39), green: sgr(32, 39) }
    : { bold: plain, dim: plain, red: plain, yellow: plain, green: plain }

const words: Readonly<Record<VerifyVerdict, string>> = {
  fixed: "fixed",
  still_failing: "still failing",
  not_assessable: "not checked"
}

const shade = (paint: Paint, verdict: VerifyVerdict): ((text: string) => string) =>
  verdict === "fixed" ? paint.green : verdict === "still_failing" ? paint.red : paint.yellow

const line = ({ detail, url, verdict }: Verification, paint: Paint): string => {
  const said = detail === "" ? url : `${url}  ${detail}`
  return `  ${shade(paint, verdict)(words[verdict].padEnd(16))}${wrap(said, columns - 18, " ".repeat(18))}`
}

/** Rechecked issues of an earlier report as text for a terminal, check by check; text from the site cannot move the cursor. */
export const renderVerification = (verification: ReadonlyArray<Verification>, color: boolean): string => {
  const paint = paintOf(color)
  const count = (verdict: VerifyVerdict) => verification.filter((each) => each.verdict === verdict).length
  const counts = `${count("fixed")} fixed, ${count("still_failing")} still failing, ${count("not_assessable")} not checked`
  const rules = [...groupedBy(verification, ({ rule }) => rule)]
  const lines = rules.flatMap(([rule, each]) => [
    "",
    `${ruleName(rule)} (${rule})`,
    ...each.map((one) => line(one, paint))
  ])
  return `${[`${paint.bold("Rechecked")}  ${counts}`, ...lines].join("\n")}\n`
}
