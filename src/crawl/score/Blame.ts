import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { severityRank } from "../report/Finding.ts"
import { isShared } from "../rules/Causes.ts"
import type { Failure, FaultyElement } from "../rules/Fault.ts"
import type { Checked } from "../rules/Findings.ts"
import type { Fault } from "./Charge.ts"

/** What the failing rules say, by whom they blame. */
export interface Blame {
  readonly byUrl: ReadonlyMap<string, ReadonlyArray<Fault>>
  /** Pages that are down, with the rule that says so. */
  readonly down: ReadonlyMap<string, string>
  readonly site: ReadonlyArray<Fault>
}

const failuresOf = ({ check }: Checked): ReadonlyArray<Failure> => (check._tag === "Assessed" ? check.failures : [])

/** Cost of booking a failure and an element, in characters. */
const worthOfFailure = 16
const worthOfElement = 16

type Owner = (url: string, link: string) => string | undefined

/** The rule that charges a link of a page with what it contains: the most severe one that names it, of equal ones the first. */
function* ownersOf(checks: ReadonlyArray<Checked>): Steps<Owner> {
  const owners = new Map<string, Map<string, string>>()
  for (const checked of checks.toSorted((a, b) => severityRank[a.rule.severity] - severityRank[b.rule.severity])) {
    yield* each(failuresOf(checked), ({ elements = [], url }) => {
      for (const { link } of elements) {
        if (link === null) continue
        const known = owners.get(url) ?? new Map<string, string>()
        owners.set(url, known)
        if (!known.has(link)) known.set(link, checked.rule.id)
      }
      return 1 + elements.length * worthOfElement
    })
  }
  return (url, link) => owners.get(url)?.get(link)
}

/** What a rule charges a URL with; null when all elements that it names are charged by more severe rules. */
const faultOf = (
  { causes, rule }: Checked,
  { elements = [], url }: Failure,
  ownerOf: Owner
): Pick<Fault, "isShared"> | null => {
  const isOwn = ({ link }: FaultyElement) => link === null || ownerOf(url, link) === rule.id
  const own = elements.filter(isOwn)
  if (elements.length > 0 && own.length === 0) return null
  return { isShared: own.length > 0 && own.every((element) => isShared(causes, element)) }
}

/** Books what the rules found; rules that are reported only are left out. */
export function* blameOf(all: ReadonlyArray<Checked>): Steps<Blame> {
  const checks = all.filter(({ rule }) => rule.isCharged !== false)
  const ownerOf = yield* ownersOf(checks)
  const byUrl = new Map<string, Array<Fault>>()
  const down = new Map<string, string>()
  const site: Array<Fault> = []
  const book = (checked: Checked, failure: Failure) => {
    const { id, scope, severity } = checked.rule
    const charge = faultOf(checked, failure, ownerOf)
    if (charge === null) return
    const fault = { rule: id, severity, ...charge }
    const known = byUrl.get(failure.url)
    if (scope === "site") site.push(fault)
    else if (scope === "down") down.set(failure.url, id)
    else if (known === undefined) byUrl.set(failure.url, [fault])
    else known.push(fault)
  }
  for (const checked of checks) {
    yield* each(failuresOf(checked), (failure) => {
      book(checked, failure)
      return worthOfFailure + (failure.elements?.length ?? 0) * worthOfElement
    })
  }
  return { byUrl, down, site }
}
