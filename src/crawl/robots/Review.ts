import { nearest } from "../../foundation/text/Words.ts"
import { type Line, lines, readLine, shownText, sitemapAddress } from "./Parse.ts"

/** A line of robots.txt with another effect than its author intended. */
interface RobotsFault {
  /** 1-based. */
  readonly line: number
  readonly text: string
  readonly why: string
  /** Google still reads the line as intended. */
  readonly isRead: boolean
}

/** Mistakes in a robots.txt file. */
export interface RobotsReview {
  /** The server sends an HTML page in its place: no line is a rule. */
  readonly isHtml: boolean
  readonly faults: ReadonlyArray<RobotsFault>
}

const own = ["user-agent", "allow", "disallow", "sitemap"] as const
/** Fields of single search engines and registries, which others ignore. */
const extensions = new Set(
  "crawl-delay host clean-param request-rate visit-time cache-delay content-signal content-usage license dnt-policy".split(
    " "
  )
)
const unsupported = new Set(["noindex", "nofollow", "noarchive", "nosnippet", "index", "follow"])

/** The known word closest to a misspelled one: two edits away at most, one for a short word. */
export const meantBy = (word: string, known: Iterable<string>): string | undefined =>
  nearest(word, known, word.length < 6 ? 1 : 2)

/** Remark on a line that Google's parser tolerates beyond RFC 9309. */
const lenient = "Google tolerates it, others may not"

/** The fault of an unknown field, or of a line without a field. */
const fieldFault = ({ field, hasColon, key }: Line): string | null => {
  if (field === null) return hasColon ? "unknown field" : "the colon is missing"
  if (unsupported.has(field)) return `no search engine supports ${field} in robots.txt`
  if (!hasColon) return "the colon is missing"
  if (extensions.has(field)) return null
  if (key !== null) return `misspelled: should be ${key}`
  const letters = field.replace(/[^\x20-\x7e]/g, "").trim()
  // A byte order mark or an unusual blank in the line is invisible.
  if (own.some((each) => each === letters)) return "the name contains non-ASCII characters"
  const meant = meantBy(letters.replace(/[ _]/g, "-"), own)
  return meant === undefined ? "unknown field" : `misspelled: should be ${meant}`
}

/** The error in the value of a field that Google reads. */
const valueFault = ({ field, key, value: bytes }: Line, hasAgent: boolean): string | null => {
  const value = shownText(bytes)
  if (key === "user-agent") return value === "" ? "the user agent is missing" : null
  if (key === "sitemap") {
    if (value === "") return "the sitemap URL is missing"
    if (sitemapAddress(value) !== null) return null
    // The colon of `Sitemap https://…` belongs to the URL.
    if (/\shttps?$/.test(field ?? "")) return "the colon after sitemap is missing"
    return /^https?:\/\/\S+[\s,]/i.test(value) ? "each line takes one sitemap" : "the sitemap needs its full URL"
  }
  if (!hasAgent) return "outside of any User-agent group"
  return value === "" || /^[/*]/.test(value) ? null : "the path must begin with / or *"
}

/** The misspelling in a line that Google still understands. */
const spellingFault = ({ field, hasColon, key }: Line): string | null => {
  if (field !== key) return `misspelled: should be ${key}. ${lenient}`
  return hasColon ? null : `the colon is missing. ${lenient}`
}

const faultOf = (line: Line, hasAgent: boolean): Pick<RobotsFault, "why" | "isRead"> | null => {
  const isKnown = line.key !== null && line.key !== "crawl-delay"
  const dead = isKnown ? valueFault(line, hasAgent) : fieldFault(line)
  const why = dead ?? (isKnown ? spellingFault(line) : null)
  return why === null ? null : { why, isRead: dead === null }
}

const maxFaults = 100

/** Reads a robots.txt file for mistakes of its author (RFC 9309 §2.2). */
export const review = (file: Uint8Array): RobotsReview => {
  const start = new TextDecoder().decode(file.subarray(0, 2048))
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html\b|[a-z][a-z\d-]*[\s/>])/i.test(start))
    return { isHtml: true, faults: [] }
  const faults: Array<RobotsFault> = []
  let hasAgent = false
  for (const [index, bytes] of lines(file).entries()) {
    const line = readLine(bytes)
    if (line.text.length === 0) continue
    const fault = faultOf(line, hasAgent)
    hasAgent ||= line.key === "user-agent"
    if (fault !== null) faults.push({ line: index + 1, text: shownText(line.text).slice(0, 100), ...fault })
    if (faults.length === maxFaults) break
  }
  return { isHtml: false, faults }
}
