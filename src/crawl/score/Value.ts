import type { Severity } from "../report/Finding.ts"
import type { ScoreFactor } from "../report/SiteScore.ts"

/** The share of a page's worth that a failing check leaves. */
const keeps: Readonly<Record<Severity, number>> = { critical: 0.5, warning: 0.85, info: 0.97 }

/** The share of the whole value that a failing check leaves when it is charged once for the site. */
const keepsOnce = (severity: Severity): number => 1 - (1 - keeps[severity]) / 2

/** The share of the whole value that a failing check leaves for one URL outside of the assessed pages, by the number of known pages. */
const keepsOutside = (severity: Severity, known: number): number => 1 - (1 - keeps[severity]) / Math.max(1, known)

/** One failure of a check. */
export interface Fault {
  readonly rule: string
  readonly severity: Severity
  /** Other pages have all the failing elements too, so the site may be charged once. */
  readonly isShared: boolean
}

const product = (parts: ReadonlyArray<number>): number => parts.reduce((total, part) => total * part, 1)

/** Maximum checks with all combinations weighed; each further check, which no usual site has, is weighed alone. */
const maxWeighed = 10

/** Faults by where they count. */
interface Books {
  /** The faults of each assessed page that is not down. */
  readonly pages: ReadonlyArray<ReadonlyArray<Fault>>
  /** The faults of URLs outside of the assessed pages. */
  readonly outside: ReadonlyArray<Fault>
  readonly known: number
}

/** A check that may be charged once. */
interface Candidate {
  readonly rule: string
  readonly severity: Severity
  /** The share that its shared faults outside of the assessed pages leave. */
  readonly outside: number
}

const candidatesOf = ({ known, outside, pages }: Books): ReadonlyArray<Candidate> => {
  const found = new Map<string, Candidate>()
  for (const { isShared, rule, severity } of pages.flat())
    if (isShared && !found.has(rule)) found.set(rule, { rule, severity, outside: 1 })
  for (const { isShared, rule, severity } of outside) {
    if (!isShared) continue
    const before = found.get(rule)?.outside ?? 1
    found.set(rule, { rule, severity, outside: before * keepsOutside(severity, known) })
  }
  return [...found.values()].sort(
    (a, b) => keeps[a.severity] - keeps[b.severity] || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
  )
}

/** Whether one charge for the site takes less than the check's faults on the pages, for any choice on other checks. */
const isCheaperAlone = ({ pages }: Books, { outside, rule, severity }: Candidate): boolean => {
  let all = 0
  let having = 0
  for (const faults of pages) {
    const worth = product(faults.flatMap(({ isShared, severity }) => (isShared ? [] : [keeps[severity]])))
    all += worth
    if (faults.some((fault) => fault.isShared && fault.rule === rule)) having += worth
  }
  return keepsOnce(severity) * all > (all - (1 - keeps[severity]) * having) * outside
}

/** The summed worth of the pages, by the set of checks with shared faults on them: a bit for each. */
const byRules = (
  pages: Books["pages"],
  bits: ReadonlyMap<string, number>,
  once: ReadonlyMap<string, Severity>
): ReadonlyArray<readonly [rules: number, worth: number]> => {
  const sums = new Map<number, number>()
  for (const faults of pages) {
    let rules = 0
    let worth = 1
    for (const { isShared, rule, severity } of faults) {
      const bit = isShared ? bits.get(rule) : undefined
      if (bit !== undefined) rules |= bit
      else if (!isShared || !once.has(rule)) worth *= keeps[severity]
    }
    sums.set(rules, (sums.get(rules) ?? 0) + worth)
  }
  return [...sums]
}

/** A choice is better only beyond the rounding errors of sums. */
const margin = 1 + 1e-12

/**
 * The checks whose shared faults are charged once for the site: the choice with the highest value. Faults of other checks on a page change how much one check
 * takes there, so all combinations are weighed; similar pages are weighed together.
 */
const chargedOnce = (books: Books): ReadonlyMap<string, Severity> => {
  const candidates = candidatesOf(books)
  const weighed = candidates.slice(0, maxWeighed)
  const once = new Map<string, Severity>()
  for (const each of candidates.slice(maxWeighed)) if (isCheaperAlone(books, each)) once.set(each.rule, each.severity)
  const groups = byRules(books.pages, new Map(weighed.map(({ rule }, index) => [rule, 1 << index])), once)
  const chosen = (choice: number, index: number): boolean => (choice & (1 << index)) !== 0
  const left = Array.from({ length: 1 << weighed.length }, (_, rules) =>
    product(weighed.map(({ severity }, index) => (chosen(rules, index) ? keeps[severity] : 1)))
  )
  const valueOf = (choice: number): number =>
    groups.reduce((sum, [rules, worth]) => sum + worth * (left[rules & ~choice] ?? 1), 0) *
    product(weighed.map(({ outside, severity }, index) => (chosen(choice, index) ? keepsOnce(severity) : outside)))
  let best = 0
  let highest = valueOf(0)
  for (let choice = 1; choice < left.length; choice++) {
    const value = valueOf(choice)
    if (value <= highest * margin) continue
    best = choice
    highest = value
  }
  for (const [index, { rule, severity }] of weighed.entries()) if (chosen(best, index)) once.set(rule, severity)
  return once
}

/** The share of the whole value that each factor leaves, smallest first. */
const factors: ReadonlyArray<readonly [ScoreFactor, number]> = [
  ["start_blocked", 0.1],
  ["no_eligible_page", 0.1],
  ["start_unavailable", 0.3],
  ["mostly_hidden", 0.45],
  ["needs_javascript", 0.45]
]

/** A page with a verdict; a page that is down counts as 0, with or without other issues. */
export type KnownPage = {
  readonly isStart: boolean
  /** Scripts fill the page, and it could not be rendered: its content is unverified. */
  readonly isUnseen?: boolean
  /** Whether the page links to an unverified page: by a link that other pages have too (`shared`), or by one of its own. */
  readonly refersToUnverified: "no" | "shared" | "own"
} & (
  | { readonly state: "up" | "hidden"; readonly faults: ReadonlyArray<Fault> }
  | { readonly state: "down"; readonly rule: string }
)

/** The input of the score's value. */
export interface ScoreLedger {
  /** Indexable pages, pages that are down, and hidden pages. */
  readonly pages: ReadonlyArray<KnownPage>
  /** Number of known URLs that redirect. */
  readonly redirects: number
  /** Faults of other URLs than known pages: redirects, files, and pages that only the sitemap names. */
  readonly outside: ReadonlyArray<Fault>
  /** Faults without a URL to charge. */
  readonly site: ReadonlyArray<Fault>
  readonly needsJavascript: boolean
  /** Whether the start page is closed to search engines; `unread`: to this crawler too. */
  readonly blockedStart: "no" | "read" | "unread"
  readonly unverified: number
  readonly isStartUnverified: boolean
}

interface Value {
  /** 0..1. */
  readonly value: number
  readonly mean: number
  readonly factor: { readonly name: ScoreFactor; readonly value: number } | null
  /** Shares of 1 by check; shares and value add up to 1. */
  readonly lost: ReadonlyMap<string, number>
}

/** The pages for the mean: all but hidden and unseen ones; the unseen ones when there are no others, and then the hidden ones. */
export const assessedOf = ({ pages }: ScoreLedger): ReadonlyArray<KnownPage> => {
  const shown = pages.filter(({ state }) => state !== "hidden")
  const seen = shown.filter(({ isUnseen }) => isUnseen !== true)
  return [seen, shown, pages].find(({ length }) => length > 0) ?? pages
}

/** The applicable factor with the smallest value. */
const factorOf = ({ blockedStart, needsJavascript, pages }: ScoreLedger): Value["factor"] => {
  const hidden = pages.filter(({ state }) => state === "hidden").length
  const applies: Readonly<Record<ScoreFactor, boolean>> = {
    start_blocked: blockedStart !== "no",
    no_eligible_page: pages.every(({ state }) => state !== "up"),
    start_unavailable: pages.some(({ isStart, state }) => isStart && state !== "up"),
    mostly_hidden: 2 * hidden > pages.length,
    needs_javascript: needsJavascript
  }
  const found = factors.find(([name]) => applies[name])
  return found === undefined ? null : { name: found[0], value: found[1] }
}

/** A fault with the share that it leaves. */
interface Charge {
  readonly rule: string
  readonly leaves: number
}

/** The charges of one page; the check that reports a page as down takes all its worth. */
const chargesOn = (page: KnownPage, isCharged: (fault: Fault) => boolean): ReadonlyArray<Charge> =>
  page.state === "down"
    ? [{ rule: page.rule, leaves: 0 }]
    : page.faults.filter(isCharged).map(({ rule, severity }) => ({ rule, leaves: keeps[severity] }))

const left = (charges: ReadonlyArray<Charge>): number => product(charges.map(({ leaves }) => leaves))

/** Shares a loss among its charges in proportion to the logarithms of their effects; a charge that takes everything gets the whole loss. */
const share = (bill: Map<string, number>, loss: number, charges: ReadonlyArray<Charge>): void => {
  const add = (rule: string, part: number) => bill.set(rule, (bill.get(rule) ?? 0) + part)
  const [all] = charges.filter(({ leaves }) => leaves === 0)
  if (all !== undefined) return void add(all.rule, loss)
  const whole = charges.reduce((sum, { leaves }) => sum + Math.log(leaves), 0)
  for (const { leaves, rule } of charges) add(rule, (loss * Math.log(leaves)) / whole)
}

const faultsOf = (page: KnownPage): ReadonlyArray<Fault> => (page.state === "down" ? [] : page.faults)

/**
 * The exact value of a site, 0..1; null when no page has a verdict.
 *
 * - A page is worth the product of the shares that its failing checks leave (`keeps`); a page that is down is worth nothing. The value is the mean over the
 *   assessed pages.
 * - A fault of another URL (a hidden page, a redirect, a file) leaves `1 − w ÷ known pages`, where w is the share that the severity takes; a fault without a
 *   URL to charge leaves `1 − w ÷ 2`.
 * - Shared faults of a check, on elements of several pages, count on each page or once with `1 − w ÷ 2`, whichever leaves more.
 * - At most one factor applies, the smallest.
 */
export const valueOf = (ledger: ScoreLedger): Value | null => {
  const assessed = assessedOf(ledger)
  if (assessed.length === 0) return null
  const known = ledger.pages.length + ledger.redirects
  const inside = new Set(assessed)
  const beside = [...ledger.pages.filter((page) => !inside.has(page)).flatMap(faultsOf), ...ledger.outside]
  // A single page shares nothing with others.
  const once =
    assessed.length === 1
      ? new Map<string, Fault["severity"]>()
      : chargedOnce({
          pages: assessed.filter(({ state }) => state !== "down").map(faultsOf),
          outside: beside,
          known
        })
  const isCharged = ({ isShared, rule }: Fault): boolean => !isShared || !once.has(rule)
  const bill = new Map<string, number>()
  let earned = 0
  for (const page of assessed) {
    const charges = chargesOn(page, isCharged)
    const worth = left(charges)
    earned += worth
    share(bill, (1 - worth) / assessed.length, charges)
  }
  const mean = earned / assessed.length
  const whole: ReadonlyArray<Charge> = [
    ...beside.filter(isCharged).map(({ rule, severity }) => ({ rule, leaves: keepsOutside(severity, known) })),
    ...ledger.site.map(({ rule, severity }) => ({ rule, leaves: keepsOnce(severity) })),
    ...[...once].map(([rule, severity]) => ({ rule, leaves: keepsOnce(severity) }))
  ]
  const kept = left(whole)
  share(bill, mean * (1 - kept), whole)
  const factor = factorOf(ledger)
  if (factor !== null) bill.set(factor.name, (bill.get(factor.name) ?? 0) + mean * kept * (1 - factor.value))
  return { value: mean * kept * (factor?.value ?? 1), mean, factor, lost: bill }
}
