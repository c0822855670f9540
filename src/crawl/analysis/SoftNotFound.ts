import { hammingDistance, saysNotFound, type TextFacts } from "../page/Texts.ts"
import { isShell } from "../render/Choice.ts"
import type { Run } from "../run/Run.ts"
import type { SoftProbe } from "../visit/CheckAddress.ts"
import type { KeptFacts, KeptText, Visit } from "../visit/Visit.ts"

/** An empty page, or only a notice that scripts are needed: no ordinary page looks like this. */
const isBlank = ({ asksForScripts, imageCount, links, text }: KeptFacts): boolean =>
  links.length === 0 && imageCount === 0 && (text.words === 0 || asksForScripts)

/**
 * Why the site needs its scripts, null when it does not: the start page is a shell, and all other fetched pages, or an impossible path, show the same shell;
 * or all pages are shells and the start page is blank.
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

/**
 * Evidence that a page with status 200 is an error page. Title, headings and text count as one signal, because an error page repeats itself: `words` is an
 * error text, `likeness` a resemblance to the site's error page, `emptiness` a lack of text or of own links. `blank` (nothing at all) counts twice.
 */
interface SoftSignal {
  readonly kind: "words" | "likeness" | "emptiness" | "blank"
  readonly text: string
}

const thin = 30
/** A page with fewer words besides its headings is almost empty. */
const bare = 20
const near = 3

/** Whether two texts differ in a few words at most; very short texts never match. */
const resembles = (a: KeptText, b: TextFacts | null): boolean =>
  b !== null &&
  a.mainWords >= 5 &&
  (a.mainHash === b.mainHash || (a.mainWords >= thin && hammingDistance(a.simhash, b.simhash) <= near))

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

/** Whether the page has at least `bare` words besides its headings, where a word takes two characters (one and a blank) at least. */
const saysMore = ({ firstHeadings, secondHeadings, text }: KeptFacts): boolean =>
  text.mainWords -
    firstHeadings.reduce((length, heading) => length + heading.length + 1, secondHeadings.length + 1) / 2 >=
  bare

/** Links that the start page does not have: an error page has only the template's links. */
const ownLinks = (facts: KeptFacts, home: KeptFacts | null): number => {
  const known = new Set([facts.url, home?.url])
  for (const { target } of home?.links ?? []) if (target.followable) known.add(target.url)
  return new Set(facts.links.flatMap(({ target }) => (target.followable && !known.has(target.url) ? [target.url] : [])))
    .size
}

/** Signs of an error page in an HTML response, except for links; `like` says that it resembles the response to an impossible path. */
const signalsOf = (
  facts: KeptFacts,
  bytes: number | null,
  like: boolean,
  isEmpty: boolean
): ReadonlyArray<SoftSignal> => {
  const headings = [...facts.firstHeadings, ...facts.secondHeadings.split("\n")]
  const named = [facts.title ?? "", ...headings].some(saysNotFound)
  const own = Math.max(0, facts.text.mainWords - wordsIn(headings.join(" ")))
  const signals: ReadonlyArray<readonly [holds: boolean, signal: SoftSignal]> = [
    [like, { kind: "likeness", text: "similar to the response for a path that cannot exist" }],
    [named, { kind: "words", text: "title or heading says “not found”" }],
    [!named && like && facts.saysNotFound, { kind: "words", text: "the text says “not found”" }],
    [isEmpty && (bytes === 0 || facts.title === null), { kind: "blank", text: "the page is empty" }],
    [
      !isEmpty && like && facts.text.mainWords < thin,
      { kind: "emptiness", text: `${facts.text.mainWords} words in total` }
    ],
    [
      !isEmpty && !like && own < bare,
      {
        kind: "emptiness",
        text: own === 0 ? "no text except headings" : `only ${own} words except headings`
      }
    ]
  ]
  return signals.flatMap(([holds, signal]) => (holds ? [signal] : []))
}

/**
 * Why an HTML response looks like an error page, in words; null when it does not. The page resembles the response to an impossible path and says so or says
 * little; or it says so, and has almost no content and no link of its own; or it is empty. `home` is the start page, which no error page resembles.
 */
const suspicion = (
  facts: KeptFacts,
  bytes: number | null,
  probe: SoftProbe | null,
  home: KeptFacts | null
): string | null => {
  // A site that answers every path with its front page (client-side routing) always resembles its probe, so the resemblance proves nothing.
  const catchAll = home !== null && probe !== null && resembles(home.text, probe.text)
  const like = probe !== null && !catchAll && resembles(facts.text, probe.text)
  const isEmpty = facts.text.words === 0 && facts.imageCount === 0 && !facts.hasResources
  if (!like && !isEmpty && saysMore(facts)) return null
  const signals = signalsOf(facts, bytes, like, isEmpty)
  const has = (kind: SoftSignal["kind"]) => signals.some((signal) => signal.kind === kind)
  const isEnough = has("likeness") ? has("words") || has("emptiness") : has("blank")
  if (!isEnough && !(has("words") && has("emptiness"))) return null
  const leadsNowhere = ownLinks(facts, home) === 0
  if (!isEnough && !leadsNowhere) return null
  return [...signals.map(({ text }) => text), ...(leadsNowhere ? ["no links except navigation"] : [])].join("; ")
}

/** Why a page looks like a soft 404, in words; null when it does not. */
export const suspicionOf = ({ found, frontier }: Run, { bytes, facts }: Visit): string | null => {
  if (facts === null) return null
  const home = frontier.find(found.start.href)?.visit?.facts ?? null
  return suspicion(facts, bytes, found.probe, home)
}

/** Suspected soft 404s that were not yet fetched again, with the suspicion; never the start page. */
export const softNotFoundCandidates = (run: Run): ReadonlyMap<string, string> => {
  const suspects = new Map<string, string>()
  for (const { url, visit } of run.frontier.records()) {
    if (visit === null || url === run.found.start.href || run.found.soft.has(url)) continue
    const suspicion = suspicionOf(run, visit)
    if (suspicion !== null) suspects.set(url, suspicion)
  }
  return suspects
}
