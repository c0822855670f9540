import type { KeptFacts } from "../visit/KeptFacts.ts"
import type { SoftProbe } from "../visit/Probe.ts"

/** A shell says no more than that it is loading. */
const maxWords = 15
const maxLinks = 2

/** A document that scripts are to fill: it has scripts, and next to no text or links of its own. */
const isShell = ({ links, scripts, text }: KeptFacts): boolean =>
  scripts > 0 &&
  text.words < maxWords &&
  new Set(links.flatMap(({ target }) => (target.followable ? [target.url] : []))).size <= maxLinks

/** Nothing at all to see, or a notice that scripts are needed, and nothing else: no ordinary page is like that. */
const isBlank = ({ asksForScripts, imageCount, links, text }: KeptFacts): boolean =>
  links.length === 0 && imageCount === 0 && (text.words === 0 || asksForScripts)

/**
 * Why what the site says cannot be known without running its scripts, null when it can: its start page is a shell, and so is
 * what it answers on every other path that was read, a path that cannot exist among them; or the shell is blank.
 */
export const needsJavascript = (
  home: KeptFacts | null,
  others: ReadonlyArray<KeptFacts>,
  probe: SoftProbe | null
): string | null => {
  if (home === null || !isShell(home)) return null
  const isSame = ({ mainHash }: { readonly mainHash: string }) => mainHash === home.text.mainHash
  const isAnyPath = probe !== null && probe.status < 300 && probe.text !== null && isSame(probe.text)
  const isEveryPage = others.length > 0 && others.every((facts) => isShell(facts) && isSame(facts.text))
  const isAlike = others.every(isShell)
  if (!isEveryPage && !(isAlike && (isAnyPath || isBlank(home)))) return null
  const where = isEveryPage || isAnyPath ? "on every path" : "on the start page"
  return `${home.text.words} words and ${home.links.length} links ${where}, and ${home.scripts} scripts to draw the rest`
}
