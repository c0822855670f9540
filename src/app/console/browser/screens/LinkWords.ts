import type { Backlink, BacklinkChange, BacklinkImport, ReferringDomain } from "../api/Contract.ts"
import { count, none, plural, words } from "../parts/Formats.ts"

/** The statuses of a backlink in readers' words. */
export const states: Readonly<Record<Backlink["state"], string>> = {
  live: "Live",
  link_removed: "Link removed",
  page_gone: "Page gone",
  redirected: "Redirected",
  blocked: "Blocked",
  unknown: "Not checked"
}

/** The colour of a status, which its word tells too. */
export const stateTones = {
  blocked: "quiet",
  link_removed: "bad",
  live: "good",
  page_gone: "bad",
  redirected: "warn",
  unknown: "quiet"
} as const

const reasons: Readonly<Record<string, string>> = {
  no_answer: "no response",
  not_checked: "waits for its first check",
  needs_javascript: "page needs JavaScript",
  robots: "robots.txt forbids the page"
}

/** Why a backlink has its status: the reason, or the status of the response; null without either. */
export const whyOf = ({ http_status, reason, state }: Backlink): string | null => {
  if (reason !== null) return reasons[reason] ?? words(reason)
  const isFailure = state === "page_gone" || state === "redirected"
  return isFailure && http_status !== null ? `returned ${http_status}` : null
}

/** The tools that report backlinks. */
export const tools: Readonly<Record<Backlink["sources"][number]["source"], string>> = {
  "gsc-links": "Search Console",
  ahrefs: "Ahrefs",
  semrush: "Semrush",
  majestic: "Majestic",
  moz: "Moz",
  csv: "Other table"
}

const toolNames: Readonly<Record<string, string>> = { ...tools, "common-crawl": "Common Crawl" }

/** The authority of a domain with its source: `78 (Ahrefs)`, `rank 120 (Common Crawl)`. */
export const authorityOf = (authority: ReferringDomain["authority"]): string => {
  if (authority === null) return none
  const { scale, source, value } = authority
  return `${scale === "harmonic-rank" ? "rank " : ""}${count(value)} (${toolNames[source] ?? source})`
}

/** The rel values of a link; a link without any is followed. */
export const relOf = (rel: ReadonlyArray<string> | null): string =>
  rel === null ? none : rel.length === 0 ? "followed" : rel.join(", ")

/** Kinds of changes in readers' words. */
export const kinds: Readonly<Record<BacklinkChange["kind"], string>> = {
  new: "New",
  lost: "Lost",
  recovered: "Recovered",
  rel_changed: "Changed rel"
}

/** The result of an import: its rows, and the skipped ones by reason. */
export const importedOf = ({ domains, dropped, links, lost, new: added, rows, source }: BacklinkImport): string => {
  const parts = [
    `Imported ${plural(links ?? 0, "backlink")}${domains ? ` and ${plural(domains, "domain")}` : ""} from ${plural(rows ?? 0, "row")}${source === null ? "" : ` (${tools[source]})`}, ${count(added)} new.`
  ]
  if (dropped?.own_host) parts.push(`Skipped ${plural(dropped.own_host, "page")} of your own site.`)
  if (dropped?.reported_lost)
    parts.push(`Skipped ${plural(dropped.reported_lost, "link")} that the file marks as lost.`)
  if (dropped?.too_long) parts.push(`Skipped ${plural(dropped.too_long, "URL")} with more than 2,048 characters.`)
  if (lost?.length) parts.push(`Lost: ${lost.slice(0, 5).join(", ")}${lost.length > 5 ? " …" : ""}.`)
  return parts.join(" ")
}

/** Why an import failed, with the line of its file. */
export const failureOf = ({ line, message }: NonNullable<BacklinkImport["error"]>): string =>
  line === null ? message : `Line ${count(line)}: ${message}`
