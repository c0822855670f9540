import { nearest } from "../../foundation/text/Words.ts"
import { ascii, lines } from "./Parse.ts"

/** A line of robots.txt that does not do what its author meant. */
interface RobotsFault {
  /** 1-based. */
  readonly line: number
  readonly text: string
  readonly why: string
}

/** What is wrong with a robots.txt file, besides what it forbids. */
export interface RobotsReview {
  /** An HTML page is sent in its place: none of its lines is a rule. */
  readonly isHtml: boolean
  readonly faults: ReadonlyArray<RobotsFault>
}

const own = ["user-agent", "allow", "disallow", "sitemap"] as const
/** Fields of single engines and of registries, which others pass over. */
const extensions = new Set(
  "crawl-delay host clean-param request-rate visit-time cache-delay content-signal content-usage license dnt-policy".split(
    " "
  )
)
const unsupported = new Set(["noindex", "nofollow", "noarchive", "nosnippet", "index", "follow"])

/** The known word that is meant by one written wrongly: few edits away, and fewer for a short word. */
export const meantBy = (word: string, known: Iterable<string>): string | undefined =>
  nearest(word, known, word.length < 6 ? 1 : 2)

const faultOf = (text: string, hasAgent: boolean): string | null => {
  const colon = text.indexOf(":")
  const written = (colon === -1 ? (text.split(/[ \t]/, 1)[0] ?? "") : text.slice(0, colon))
    .trim()
    .toLowerCase()
    .slice(0, 64)
  const value = colon === -1 ? text.slice(written.length).trim() : text.slice(colon + 1).trim()
  const key = own.find((each) => each === written)
  if (colon === -1) return "there is no colon"
  if (unsupported.has(written)) return `no search engine reads ${written} here`
  if (key === undefined && extensions.has(written)) return null
  if (key === undefined) {
    const meant = meantBy(written.replace(/[ _]/g, "-"), own)
    return meant === undefined ? "an unknown field" : `misspelt: ${meant} is meant`
  }
  if (key === "sitemap")
    return URL.parse(value)?.protocol.startsWith("http") === true ? null : "a sitemap needs its full address"
  if (key === "user-agent") return value === "" ? "names no user agent" : null
  if (!hasAgent) return "belongs to no user agent"
  return value === "" || /^[/*]/.test(value) ? null : "a path begins with / or *"
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
    const text = ascii(bytes.subarray(0, 500))
      .replace(/[#\0].*$/s, "")
      .trim()
    if (text === "") continue
    const why = faultOf(text, hasAgent)
    hasAgent ||= /^user[- ]?agent/i.test(text)
    if (why !== null) faults.push({ line: index + 1, text: text.slice(0, 100), why })
    if (faults.length === maxFaults) break
  }
  return { isHtml: false, faults }
}
