import type { EvidenceItem, Finding } from "../../../crawl/report/Finding.ts"
import type { Guidance } from "../../../crawl/rules/Rule.ts"

/** What the evidence of a finding may show to be something else than the rule's own guidance repairs. */
interface Case {
  readonly holds: (item: EvidenceItem) => boolean
  readonly goal: string
  /** What it is that the steps are for, in the words of the evidence. */
  readonly name: string
  readonly steps: Guidance["steps"]
  readonly never: string
}

/** A canonical or a redirect from one language to another takes the copy out of the index (Google Search Central, Localized versions of your pages). */
const languageCopies: Case = {
  holds: ({ detail }) => detail.includes("language copies without hreflang"),
  goal: "Tie the listed language copies to each other by hreflang",
  name: "language copies",
  steps: [
    "Leave each copy at its own address, with itself as canonical.",
    "Let each copy name all others and itself by link rel=alternate hreflang in the head, or let the sitemap do so for all of them.",
    "Give title, description and text in the language of the copy where they are not translated yet."
  ],
  never: "name a page in another language as canonical, redirect one language to another, or noindex a copy"
}

const cases: ReadonlyArray<Case> = [languageCopies]

/** The guidance of a rule with the repair that fits what was found: in place of its own where all evidence is of one case, else beside it. */
export const fitted = (guidance: Guidance, { evidence: { items } }: Finding): Guidance => {
  const found = cases.find(({ holds }) => items.some(holds))
  if (found === undefined) return guidance
  const { goal, holds, name, never, steps } = found
  if (items.every(holds)) return { ...guidance, goal, never, steps }
  const [first, ...rest] = guidance.steps
  return {
    ...guidance,
    never: `${guidance.never}, or, of ${name}, ${never}`,
    steps: [
      `Of those that the evidence calls ${name}: ${steps.join(" ")} The other steps are for the rest.`,
      first,
      ...rest
    ]
  }
}
