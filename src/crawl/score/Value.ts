import type { Severity } from "../report/Finding.ts"
import type { ScoreFactor } from "../report/SiteScore.ts"

/** What a failing rule leaves of a page's worth. */
const keeps: Readonly<Record<Severity, number>> = { critical: 0.5, warning: 0.85, info: 0.97 }

/** What a factor leaves of the whole value. */
const factors: Readonly<Record<ScoreFactor, number>> = {
  no_eligible_page: 0.1,
  start_unavailable: 0.3,
  mostly_hidden: 0.45,
  needs_javascript: 0.45
}

/** A rule that fails, once. */
export interface Fault {
  readonly rule: string
  readonly severity: Severity
}

/** A page with a verdict; one that is down counts as 0, whatever other rules find. */
export type KnownPage = { readonly isStart: boolean; readonly refersToUnverified: boolean } & (
  | { readonly state: "up" | "hidden"; readonly faults: ReadonlyArray<Fault> }
  | { readonly state: "down"; readonly rule: string }
)

/** What the value is computed from. */
export interface ScoreLedger {
  /** Pages that may be indexed, that are down, or that are hidden. */
  readonly pages: ReadonlyArray<KnownPage>
  /** Known URLs that redirect. */
  readonly redirects: number
  /** Faults of URLs that are no pages: redirects and files. */
  readonly outside: ReadonlyArray<Fault>
  /** Faults that no URL is to blame for. */
  readonly site: ReadonlyArray<Fault>
  readonly needsJavascript: boolean
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

const product = (parts: ReadonlyArray<number>): number => parts.reduce((total, part) => total * part, 1)

const worthOf = (page: KnownPage): number =>
  page.state === "down" ? 0 : product(page.faults.map(({ severity }) => keeps[severity]))

/** The pages that the mean is taken over: those assessed, or, when everything known is hidden, the hidden ones. */
export const assessedOf = ({ pages }: ScoreLedger): ReadonlyArray<KnownPage> => {
  const assessed = pages.filter(({ state }) => state !== "hidden")
  return assessed.length > 0 ? assessed : pages
}

/** The factor that applies with the smallest value. */
const factorOf = ({ needsJavascript, pages }: ScoreLedger): Value["factor"] => {
  const hidden = pages.filter(({ state }) => state === "hidden").length
  const applies: Readonly<Record<ScoreFactor, boolean>> = {
    no_eligible_page: pages.every(({ state }) => state !== "up"),
    start_unavailable: pages.some(({ isStart, state }) => isStart && state !== "up"),
    mostly_hidden: 2 * hidden > pages.length,
    needs_javascript: needsJavascript
  }
  const names = ["no_eligible_page", "start_unavailable", "mostly_hidden", "needs_javascript"] as const
  const name = names.find((each) => applies[each])
  return name === undefined ? null : { name, value: factors[name] }
}

/** A fault outside the pages, with what it leaves of the value. */
interface Charge {
  readonly rule: string
  readonly leaves: number
}

const charges = (ledger: ScoreLedger): ReadonlyArray<Charge> => {
  const known = ledger.pages.length + ledger.redirects
  const inside = new Set(assessedOf(ledger))
  const hidden = ledger.pages.flatMap((page) => (inside.has(page) || page.state === "down" ? [] : page.faults))
  return [
    ...[...hidden, ...ledger.outside].map(({ rule, severity }) => ({
      rule,
      leaves: 1 - (1 - keeps[severity]) / Math.max(1, known)
    })),
    ...ledger.site.map(({ rule, severity }) => ({ rule, leaves: 1 - (1 - keeps[severity]) / 2 }))
  ]
}

/** Shares a loss among the faults that made it, by how much each takes on a logarithmic scale. */
const share = (bill: Map<string, number>, loss: number, faults: ReadonlyArray<Charge>): void => {
  const whole = faults.reduce((sum, { leaves }) => sum + Math.log(leaves), 0)
  for (const { leaves, rule } of faults) bill.set(rule, (bill.get(rule) ?? 0) + (loss * Math.log(leaves)) / whole)
}

/**
 * The exact value of a site, 0..1; null when no page has a verdict.
 *
 * - A page is worth the product of what its failing rules leave (`keeps`), a page that is down nothing. The value is the mean over the assessed pages.
 * - A fault of a URL outside of them (a hidden page, a redirect, a file) leaves `1 − w ÷ known pages` of it, w being what the severity takes; one that no URL
 *   is to blame for leaves `1 − w ÷ 2`.
 * - Then at most one factor, the smallest that applies.
 */
export const valueOf = (ledger: ScoreLedger): Value | null => {
  const assessed = assessedOf(ledger)
  if (assessed.length === 0) return null
  const bill = new Map<string, number>()
  let earned = 0
  for (const page of assessed) {
    const worth = worthOf(page)
    earned += worth
    const down = page.state === "down" ? [{ rule: page.rule, leaves: 0.5 }] : []
    const faults = page.state === "down" ? [] : page.faults
    const all = faults.map(({ rule, severity }) => ({ rule, leaves: keeps[severity] }))
    share(bill, (1 - worth) / assessed.length, [...down, ...all])
  }
  const mean = earned / assessed.length
  const outside = charges(ledger)
  const kept = product(outside.map(({ leaves }) => leaves))
  share(bill, mean * (1 - kept), outside)
  const factor = factorOf(ledger)
  // A factor may have the name of the rule that it follows from: what the rule itself cost is booked under it already.
  if (factor !== null) bill.set(factor.name, (bill.get(factor.name) ?? 0) + mean * kept * (1 - factor.value))
  return { value: mean * kept * (factor?.value ?? 1), mean, factor, lost: bill }
}
