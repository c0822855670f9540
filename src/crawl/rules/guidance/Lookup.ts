import { availability } from "./Availability.ts"
import { canonicals } from "./Canonicals.ts"
import { content } from "./Content.ts"
import { document } from "./Document.ts"
import type { Guidance, GuidanceTable } from "./Guidance.ts"
import { indexability } from "./Indexability.ts"
import { international } from "./International.ts"
import { links } from "./Links.ts"
import { redirects } from "./Redirects.ts"
import { sitemaps } from "./Sitemaps.ts"

/** Guidance for every rule of the catalogue. */
export const guidance: GuidanceTable = {
  ...availability,
  ...redirects,
  ...indexability,
  ...canonicals,
  ...content,
  ...links,
  ...sitemaps,
  ...international,
  ...document
}

/** A result of another version may name a rule that this one does not know. */
const unknown: Guidance = {
  why: "The crawl that found this knows a rule that this version does not.",
  goal: "Make the rule pass on the listed URLs",
  find: "Find what generates the listed pages.",
  steps: ["Read what the evidence says of each URL.", "Repair its origin."],
  never: "change what the evidence does not speak of"
}

/** How a fault of the rule is repaired. */
export const guidanceOf = (rule: string): Guidance => guidance[rule] ?? unknown
