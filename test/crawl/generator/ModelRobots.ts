import type { Site } from "./Site.ts"

/** A robots.txt pattern as RFC 9309 §2.2.3 reads it: `*` is anything, `$` at the end is the end, all else a prefix. */
const matches = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith("$")
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*").map((piece) => RegExp.escape(piece))
  return new RegExp(`^${pieces.join(".*")}${anchored ? "$" : ""}`, "s").test(path)
}

/** Whether robots.txt lets this crawler ask for a URL: the longest pattern decides, and of equal ones the one that allows. */
export const isAllowed = ({ robots }: Site, url: string): boolean => {
  if (robots.kind === "absent" || (robots.kind === "parsed" && robots.isHtml)) return true
  if (robots.kind === "unreachable") return false
  const { pathname, search } = new URL(url)
  const longest = (allow: boolean) =>
    Math.max(
      -1,
      ...robots.rules.flatMap((rule) =>
        rule.allow === allow && matches(rule.pattern, pathname + search) ? [rule.pattern.length] : []
      )
    )
  return longest(true) >= longest(false)
}
