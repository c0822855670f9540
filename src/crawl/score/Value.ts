import type { Severity } from "../report/Finding.ts"
import type { ScoreFactor } from "../report/SiteScore.ts"

/** What a failing rule leaves of a page's worth. */
const keeps: Readonly<Record<Severity, number>> = { critical: 0.5, warning: 0.85, info: 0.97 }

/** What a failing rule leaves of the whole value when it is charged once for the site. */
const keepsOnce = (severity: Severity): number => 1 - (1 - keeps[severity]) / 2

/** What it leaves of the whole value for one URL outside of the assessed pages, by the number of known pages. */
const keepsOutside = (severity: Severity, known: number): number => 1 - (1 - keeps[severity]) / Math.max(1, known)

/** A rule that fails, once. */
export interface Fault {
  readonly rule: string
  readonly severity: Severity
  /** All that fails it are elements that other pages have as well, so that the rule may be charged once for the site. */
  readonly isShared: boolean
}

const product = (parts: ReadonlyArray<number>): number => parts.reduce((total, part) => total * part, 1)

/** Rules for which every combination of choices is weighed; of further ones, which no usual site has, each is weighed alone. */
const maxWeighed = 10

/** What faults are booked on. */
interface Books {
  /** The faults of each assessed page that is not down. */
  readonly pages: ReadonlyArray<ReadonlyArray<Fault>>
  /** The faults of URLs outside of the assessed pages. */
  readonly outside: ReadonlyArray<Fault>
  readonly known: number
}

/** A rule that may be charged once. */
interface Candidate {
  readonly rule: string
  readonly severity: Severity
  /** What its shared faults outside of the assessed pages leave. */
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

/** Whether one factor takes less than the faults of a rule on the pages do, whatever is chosen for other rules. */
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

/** The worth of the pages, added up by which of the rules they have shared faults of: a bit for each. */
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

/** A choice is better only if it shows in more than the rounding of sums. */
const margin = 1 + 1e-12

/**
 * The rules whose shared faults are charged as one factor for the site, because that takes less than the faults on the pages do: those by which the value
 * is highest. What one rule takes on the pages depends on what others do there, so all combinations are weighed; pages that are alike are weighed together.
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

/** What a factor leaves of the whole value, the smallest first. */
const factors: ReadonlyArray<readonly [ScoreFactor, number]> = [
  ["start_blocked", 0.1],
  ["no_eligible_page", 0.1],
  ["start_unavailable", 0.3],
  ["mostly_hidden", 0.45],
  ["needs_javascript", 0.45]
]

/** A page with a verdict; one that is down counts as 0, whatever other rules find. */
export type KnownPage = {
  readonly isStart: boolean
  /** It links to a page that could not be verified: by a link that other pages have as well, or by one of its own. */
  readonly refersToUnverified: "no" | "shared" | "own"
} & (
  | { readonly state: "up" | "hidden"; readonly faults: ReadonlyArray<Fault> }
  | { readonly state: "down"; readonly rule: string }
)

/** What the value is computed from. */
export interface ScoreLedger {
  /** Pages that may be indexed, that are down, or that are hidden. */
  readonly pages: ReadonlyArray<KnownPage>
  /** Known URLs that redirect. */
  readonly redirects: number
  /** Faults of URLs that are no known pages: redirects, files, and pages that the sitemap alone names. */
  readonly outside: ReadonlyArray<Fault>
  /** Faults that no URL is to blame for. */
  readonly site: ReadonlyArray<Fault>
  readonly needsJavascript: boolean
  /** Search engines may not read the start page; `unread`: this crawler could not read it either. */
  readonly blockedStart: "no" | "read" | "unread"
  readonly unverified: number
  readonly isStartUnverified: boolean
}

interface Value {
  /** 0..1. */
  readonly value: number
  readonly mean: number
  readonly factor: { readonly name: ScoreFactor; readonly value: number } | null
  /** Shares of 1 by rule; with the value they add up to 1. */
  readonly lost: ReadonlyMap<string, number>
}

/** The pages that the mean is taken over: those assessed, or, when everything known is hidden, the hidden ones. */
export const assessedOf = ({ pages }: ScoreLedger): ReadonlyArray<KnownPage> => {
  const assessed = pages.filter(({ state }) => state !== "hidden")
  return assessed.length > 0 ? assessed : pages
}

/** The factor that applies with the smallest value. */
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

/** A fault with what it leaves. */
interface Charge {
  readonly rule: string
  readonly leaves: number
}

/** The charges of one page; a page that is down is worth nothing by the rule that says so. */
const chargesOn = (page: KnownPage, isCharged: (fault: Fault) => boolean): ReadonlyArray<Charge> =>
  page.state === "down"
    ? [{ rule: page.rule, leaves: 0 }]
    : page.faults.filter(isCharged).map(({ rule, severity }) => ({ rule, leaves: keeps[severity] }))

const left = (charges: ReadonlyArray<Charge>): number => product(charges.map(({ leaves }) => leaves))

/** Shares a loss among the charges that made it, by how much each takes on a logarithmic scale; one that takes all takes the loss. */
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
 * - A page is worth the product of what its failing rules leave (`keeps`), a page that is down nothing. The value is the mean over the assessed pages.
 * - A fault of a URL outside of them (a hidden page, a redirect, a file) leaves `1 − w ÷ known pages` of it, w being what the severity takes; one that no URL
 *   is to blame for leaves `1 − w ÷ 2`.
 * - Shared faults of a rule, on elements that several pages have, leave what they leave on these pages or `1 − w ÷ 2` of the whole, whichever is more.
 * - Then at most one factor, the smallest that applies.
 */
export const valueOf = (ledger: ScoreLedger): Value | null => {
  const assessed = assessedOf(ledger)
  if (assessed.length === 0) return null
  const known = ledger.pages.length + ledger.redirects
  const inside = new Set(assessed)
  const beside = [...ledger.pages.filter((page) => !inside.has(page)).flatMap(faultsOf), ...ledger.outside]
  // A single page has nothing in common with others.
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
