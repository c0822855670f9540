import type { Guidance } from "./Guidance.ts"

/** Documentation of an axe rule; Lighthouse's accessibility audits carry the names of the rules. */
export const axeDocs = (rule: string): string => `https://dequeuniversity.com/rules/axe/4.13/${rule}`

/** Guidance for controls that assistive technology cannot name. */
export const nameless = (rule: string, what: string, how: string): Guidance => ({
  summary: `${what} have no accessible name`,
  why: "Screen readers announce them by their type only, so people who cannot see the page do not know what they are for.",
  goal: `Give the listed ${what.toLowerCase()} a name that says what they are for`,
  steps: [
    "Find the component or template that renders each listed element; repair shared components once.",
    how,
    "Translate the name like every other text, and keep a visible label part of the name."
  ],
  docs: axeDocs(rule)
})

/** Guidance for ARIA that contradicts the specification. */
export const wrongAria = (rule: string, summary: string, goal: string, how: string): Guidance => ({
  summary,
  why: "Assistive technology ignores or misreads wrong ARIA, and then presents the element as something that it is not.",
  goal,
  steps: [
    "Find the component or template that renders each listed element.",
    how,
    "Prefer a native HTML element with the same meaning: it needs no ARIA."
  ],
  docs: axeDocs(rule)
})

/** Guidance for one rule about the structure or the use of a page. */
export const structure = (
  rule: string,
  summary: string,
  why: string,
  goal: string,
  ...steps: Guidance["steps"]
): Guidance => ({
  summary,
  why,
  goal,
  steps,
  docs: axeDocs(rule)
})

/** The cost of a wrong structure. */
export const lostStructure =
  "Screen readers present content by its structure; where that is wrong, people lose the overview."

/** First step of most repairs. */
export const findElements = "Find the component or template that renders each listed element."
