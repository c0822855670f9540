import { hammingDistance, saysNotFound, type TextFacts } from "../page/Texts.ts"
import { isShell } from "../render/Choice.ts"
import type { Run } from "../run/Run.ts"
import type { SoftProbe } from "../visit/CheckAddress.ts"
import type { KeptFacts, KeptText, Visit } from "../visit/Visit.ts"

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

/**
 * What a hint that a page with status 200 is an error page rests on. Title, headings and text are one observation, for a page
 * about an error says the same in all of them: what the page says (`words`), that it reads like the site's error page
 * (`likeness`), that it says next to nothing (`emptiness`), and that it leads nowhere of its own are different ones.
 * A document without anything (`blank`) is two at once.
 */
interface SoftSignal {
  readonly kind: "words" | "likeness" | "emptiness" | "blank"
  readonly text: string
}

const thin = 30
/** Words of a page that says next to nothing besides its headings. */
const bare = 20
const near = 3

/** Whether two texts are the same page text in all but a few words; very short texts say nothing. */
const resembles = (a: KeptText, b: TextFacts | null): boolean =>
  b !== null &&
  a.mainWords >= 5 &&
  (a.mainHash === b.mainHash || (a.mainWords >= thin && hammingDistance(a.simhash, b.simhash) <= near))

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

/** Whether the headings are too short to be nearly all words of the page, whatever they say: a word has a character and a blank at least. */
const saysMore = ({ firstHeadings, secondHeadings, text }: KeptFacts): boolean =>
  text.mainWords -
    firstHeadings.reduce((length, heading) => length + heading.length + 1, secondHeadings.length + 1) / 2 >=
  bare

/** Links that lead to where the start page does not lead already: an error page has only those of the template. */
const ownLinks = (facts: KeptFacts, home: KeptFacts | null): number => {
  const known = new Set([facts.url, home?.url])
  for (const { target } of home?.links ?? []) if (target.followable) known.add(target.url)
  return new Set(facts.links.flatMap(({ target }) => (target.followable && !known.has(target.url) ? [target.url] : [])))
    .size
}

/** What of an HTML answer looks like an error page, but for its links; `like` says that it reads like the answer to an impossible path. */
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
 * What makes an HTML answer look like an error page, in words; null when it does not. An error page reads like the site's own
 * answer to an impossible path and says so or says little; or it says so, and has next to no content and no link of its own;
 * or it is empty. `home` is the start page, which an error page does not resemble.
 */
const suspicion = (
  facts: KeptFacts,
  bytes: number | null,
  probe: SoftProbe | null,
  home: KeptFacts | null
): string | null => {
  // A site that answers every path with its front page (client-side routing) says nothing by answering like the probe.
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

/** What makes a page look like an error page in disguise, in words; null when it does not. */
export const suspicionOf = ({ found, frontier }: Run, { bytes, facts }: Visit): string | null => {
  if (facts === null) return null
  const home = frontier.find(found.start.href)?.visit?.facts ?? null
  return suspicion(facts, bytes, found.probe, home)
}

/** Suspected soft 404 pages that were not yet fetched again, with the suspicion; the start page never is one. */
export const softNotFoundCandidates = (run: Run): ReadonlyMap<string, string> => {
  const suspects = new Map<string, string>()
  for (const { url, visit } of run.frontier.records()) {
    if (visit === null || url === run.found.start.href || run.found.soft.has(url)) continue
    const suspicion = suspicionOf(run, visit)
    if (suspicion !== null) suspects.set(url, suspicion)
  }
  return suspects
}
