import type { Severity } from "../report/Finding.ts"
import { type Fault, keeps, keepsOnce, keepsOutside, product } from "./Charge.ts"

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
export const chargedOnce = (books: Books): ReadonlyMap<string, Severity> => {
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
