import { directives, type RobotsDirectives } from "./RobotsDirectives.ts"
import { keep } from "./Strings.ts"

/** One agent's part of an `X-Robots-Tag` line; `agent` (lower-cased) is null when it addresses all robots. */
export interface RobotsTag {
  readonly agent: string | null
  readonly directives: RobotsDirectives
  /** The whole line as received, capped. */
  readonly line: string
}

/** Directives that take a value after a colon: what stands before any other colon is an agent. */
const valued = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"])

/** `agent: directive` splits; a date such as `12:30` has no word before its colon and does not. */
const agentOf = (part: string): readonly [string, string] | null => {
  const found = /^\s*([A-Za-z_*][\w.*-]*)\s*:(.*)$/s.exec(part)
  const name = found?.[1]?.toLowerCase()
  return found === null || name === undefined || valued.has(name) ? null : [name, found[2] ?? ""]
}

/**
 * Reads one `X-Robots-Tag` line. A named agent holds for what follows it on the line, up to the next name: lines that an
 * intermediary joined with commas read as they did apart.
 */
export const robotsTags = (line: string): ReadonlyArray<RobotsTag> => {
  const parts: Array<{ readonly agent: string | null; content: string }> = []
  for (const part of line.split(",", 100)) {
    const named = agentOf(part)
    const last = parts.at(-1)
    if (named !== null) parts.push({ agent: keep(named[0], 100), content: named[1] })
    else if (last === undefined) parts.push({ agent: null, content: part })
    else last.content += `,${part}`
  }
  return parts.map(({ agent, content }) => ({ agent, directives: directives(content), line: keep(line, 500) }))
}
