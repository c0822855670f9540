import { hammingDistance } from "../page/Fingerprint.ts"
import type { TextFacts } from "../page/TextFacts.ts"
import type { KeptFacts } from "../visit/KeptFacts.ts"
import type { SoftProbe } from "../visit/Probe.ts"

/** A hint that a page with status 200 is an error page; two of them, one strong, make a suspicion. */
export interface SoftSignal {
  readonly strong: boolean
  readonly text: string
}

const phrases =
  /\b404\b|(?:page|file|site|article|product|document|url|content) (?:was |is |could |can )?(?:not|n't)(?: be)? found|not found|(?:does not|doesn['’]t|do not) exist|no longer (?:available|exists)|(?:page|produit|article) (?:introuvable|non trouvée?)|nicht gefunden|existiert nicht|no (?:se )?(?:ha )?encontrad[ao]|no existe|não (?:foi )?encontrad[ao]|non trovat[ao]|niet gevonden|ikke funnet|ikke fundet|hittades inte|ei löydy|nie znaleziono|nenalezen[ao]|не найден[ао]?|не існує|bulunamadı|見つかりません|找不到|不存在|찾을 수 없/iu

const thin = 30
/** Error pages are short: a longer text that speaks of errors is an article about them. */
const brief = 100
const near = 3

/** Whether two texts are the same page text in all but a few words; very short texts say nothing. */
const resembles = (a: TextFacts, b: TextFacts | null): boolean =>
  b !== null &&
  a.mainWords >= 5 &&
  (a.mainHash === b.mainHash || (a.mainWords >= thin && hammingDistance(a.simhash, b.simhash) <= near))

/** What makes an HTML answer look like an error page; `home` is the start page, which an error page does not resemble. */
export const softSignals = (
  facts: KeptFacts,
  bytes: number | null,
  probe: SoftProbe | null,
  home: KeptFacts | null
): ReadonlyArray<SoftSignal> => {
  const headings = facts.headings.filter(({ level }) => level <= 2).map(({ text }) => text)
  const named = [facts.title ?? "", ...headings].some((text) => phrases.test(text))
  // A site that answers every path with its front page (client-side routing) says nothing by answering like the probe.
  const catchAll = home !== null && probe !== null && resembles(home.text, probe.text)
  const like = probe !== null && !catchAll && resembles(facts.text, probe.text)
  const isEmpty = facts.text.words === 0 && facts.imageCount === 0 && facts.resources.length === 0
  const isBrief = facts.text.mainWords < brief
  const signals: ReadonlyArray<readonly [holds: boolean, signal: SoftSignal]> = [
    [like, { strong: true, text: "reads like the answer to a path that cannot exist" }],
    [named, { strong: true, text: "title or heading says that nothing was found" }],
    [isEmpty, { strong: true, text: "the document has no content" }],
    [
      isBrief && !named && phrases.test(facts.text.excerpt),
      { strong: false, text: "the text says that nothing was found" }
    ],
    [
      isBrief && named && phrases.test(withoutHeadings(facts, headings)),
      { strong: false, text: "the text says so too" }
    ],
    [facts.text.mainWords < thin && !isEmpty, { strong: false, text: `only ${facts.text.mainWords} words of text` }],
    [isEmpty && (bytes === 0 || facts.title === null), { strong: false, text: "not even a title" }]
  ]
  return signals.flatMap(([holds, signal]) => (holds ? [signal] : []))
}

const withoutHeadings = (facts: KeptFacts, headings: ReadonlyArray<string>): string =>
  headings.reduce((text, heading) => text.replace(heading, ""), facts.text.excerpt)

/** Two signals, at least one of them strong (DESIGN §6). */
export const isSuspect = (signals: ReadonlyArray<SoftSignal>): boolean =>
  signals.length >= 2 && signals.some(({ strong }) => strong)
