import { perPage, type Rule } from "./Rule.ts"
import { characters, head, indexed, inHead, isBlank } from "./Snippets.ts"

const guide = "Google Search Central, Control your snippets in search results"
const longDescription = 320

/** The text under a search result. */
export const descriptions: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "description_missing",
      name: "Missing description",
      category: "content",
      severity: "warning",
      means: "The page has no meta description, so engines compose the snippet from its text.",
      fix: "Add a meta description that sums the page up in a sentence or two.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "The description is the text under a search result; without one engines take pieces of the page.",
        goal: "Give each listed page a meta description of its own",
        find: head,
        steps: [
          "Fill it from a summary that the page has already (excerpt, lead, product text).",
          "Where there is none, write a sentence or two that say what the reader finds there.",
          "Escape quotes, and leave the element away where the value is empty."
        ],
        never: "give all pages one description"
      }
    },
    ({ visit }) => (visit.facts.descriptions.every(isBlank) ? inHead("no meta description") : null),
    indexed
  ),
  perPage(
    {
      id: "description_multiple",
      name: "Several descriptions",
      category: "content",
      severity: "info",
      means: "The page has several meta descriptions.",
      fix: "Keep one.",
      source: guide,
      eligibleOnly: true,
      guidance: {
        why: "Engines pick one of several descriptions, or none.",
        goal: "Leave one meta description on each listed page",
        find: `${head} Two of them write a description here, mostly a plugin beside a template.`,
        steps: ["Decide which of them is the page's own.", "Remove the other from its origin."],
        never: "join them into one"
      }
    },
    ({ visit: { facts } }) =>
      facts.descriptions.length > 1
        ? inHead(`${facts.descriptions.length} descriptions`, facts.descriptions.join(" | "))
        : null,
    indexed
  ),
  perPage(
    {
      id: "description_long",
      name: "Long description",
      category: "content",
      severity: "info",
      means: `The meta description is longer than ${longDescription} characters, more than any snippet shows.`,
      fix: "Shorten it; the first hundred or so characters are what readers see.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "No search result shows that much; what matters may be in the part that is lost.",
        goal: "Shorten the descriptions of the listed pages so that the first hundred characters say what matters",
        find: head,
        steps: [
          "Say what matters in the first sentence.",
          "Where the value is the beginning of the text, take its first sentence or a summary of its own."
        ],
        never: "cut descriptions off in the middle of a word"
      }
    },
    ({ visit }) => {
      const length = characters(visit.facts.descriptions[0] ?? "")
      return length > longDescription ? inHead(`${length} characters`, visit.facts.descriptions[0]) : null
    },
    indexed
  )
]
