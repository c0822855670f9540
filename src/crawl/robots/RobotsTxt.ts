/** One `Allow` or `Disallow` line; an empty pattern (`Disallow:`) matches nothing (RFC 9309 §2.2.2). */
export interface RobotsRule {
  readonly allow: boolean
  /** The path pattern in ASCII: bytes above 0x7F percent-escaped, percent-escapes in upper case. */
  readonly pattern: string
  /** 1-based number of the line in the file. */
  readonly line: number
  /** The line as it was written, trimmed and cut at 500 bytes. */
  readonly text: string
}

/** Consecutive `User-agent` lines and the rules below them (RFC 9309 §2.2.1). */
export interface RobotsGroup {
  /** Product tokens as written, cut at the first character outside `[A-Za-z_-]`; `*` names the default group. */
  readonly agents: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RobotsRule>
}

/** A `Crawl-delay` line as it applies to one agent; it neither opens nor ends a group. */
export interface CrawlDelay {
  readonly agent: string
  readonly seconds: number
  readonly line: number
}

/** A robots.txt file as read from its bytes; reading never fails, unknown lines are skipped. */
export interface RobotsTxt {
  readonly groups: ReadonlyArray<RobotsGroup>
  readonly crawlDelays: ReadonlyArray<CrawlDelay>
  /** Values of the `Sitemap` lines in order, as written; they belong to no group. */
  readonly sitemaps: ReadonlyArray<string>
  /** True when the file was longer than 500 KiB and only the first 500 KiB were read (RFC 9309 §2.5). */
  readonly truncated: boolean
}

/** The line of the file that decided, and the group it stands in. */
export interface MatchedRule {
  readonly line: number
  readonly text: string
  /** The agent by which the group was chosen, as written in the file (`*` for the default group). */
  readonly group: string
}

/** A verdict for one URL; `rule` is null when no line matched and the default (allowed) holds. */
export interface RobotsVerdict {
  readonly allowed: boolean
  readonly rule: MatchedRule | null
}
