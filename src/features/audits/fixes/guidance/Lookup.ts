import type { Category } from "../../Domain.ts"
import { accessibilityAria } from "./AccessibilityAria.ts"
import { accessibilityNames } from "./AccessibilityNames.ts"
import { accessibilityPage } from "./AccessibilityPage.ts"
import { accessibilityStructure } from "./AccessibilityStructure.ts"
import { aliases } from "./Aliases.ts"
import type { Guidance } from "./Guidance.ts"
import { headers } from "./Headers.ts"
import { images } from "./Images.ts"
import { loading } from "./Loading.ts"
import { script } from "./Script.ts"
import { search } from "./Search.ts"
import { trust } from "./Trust.ts"

const known = new Map<string, Guidance>(
  [
    loading,
    script,
    images,
    search,
    trust,
    headers,
    accessibilityNames,
    accessibilityAria,
    accessibilityPage,
    accessibilityStructure
  ].flatMap((table) => Object.entries(table))
)

const reasons: Record<Category, string> = {
  performance: "It makes the page slower to load or to react.",
  accessibility: "It keeps some people from using the page.",
  best_practices: "It weakens the safety or the reliability of the page.",
  seo: "It makes the page harder to find in search."
}

/** Guidance for an unknown check, from the words of its id. */
const fallback = (auditId: string, category: Category): Guidance => {
  const words = auditId.replace(/-insight$/, "").replace(/[-_]+/g, " ")
  return {
    summary: `The check "${words}" fails`,
    why: reasons[category],
    goal: "Make the Lighthouse check that the evidence names pass",
    steps: [
      "Read the public Lighthouse documentation of this check and find what the evidence shows in the code.",
      "Change the source that produces it, in the smallest way that makes the check pass."
    ]
  }
}

/** Whether a check has its own guidance; any other id is untrusted text of the report. */
export const isGuided = (auditId: string): boolean => known.has(auditId) || Object.hasOwn(aliases, auditId)

/** Guidance for a failed check: constant text, except for the id of an unknown check. */
export const guidanceFor = (auditId: string, category: Category): Guidance =>
  known.get(auditId) ??
  known.get(Object.hasOwn(aliases, auditId) ? (aliases[auditId] ?? "") : "") ??
  fallback(auditId, category)

/** The ids that have guidance of their own. */
export const guidedAudits: ReadonlyArray<string> = [...known.keys(), ...Object.keys(aliases)]
