import type { ScoreFactor } from "../report/SiteScore.ts"
import { type Fault, keeps, keepsOnce, keepsOutside, product } from "./Charge.ts"
import { chargedOnce } from "./ChargedOnce.ts"

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
