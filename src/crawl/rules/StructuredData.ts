import type { StructuredDataBlock } from "../page/StructuredData.ts"
import type { Fault } from "./Fault.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

const data = "Find the template, component or plugin that writes the JSON-LD of these pages."

const isUntyped = ({ hasContext, isEmpty, ok, types }: StructuredDataBlock): boolean =>
  ok && !isEmpty && (!hasContext || types.length === 0)

/** What is wrong with the blocks of a page of which something holds: the words and the value are those of the first. */
const blocksThat = (
  { visit }: ReadPage,
  holds: (block: StructuredDataBlock) => boolean,
  wordsFor: (block: StructuredDataBlock) => Pick<Fault, "value"> & { readonly what: string }
): Fault | null => {
  const blocks = visit.facts.structuredData
  const index = blocks.findIndex(holds)
  const first = blocks[index]
  if (first === undefined) return null
  const { value, what } = wordsFor(first)
  const elements = blocks.flatMap((block) =>
    holds(block) && block.markup !== null ? [{ markup: block.markup, place: block.place, link: null }] : []
  )
  return { detail: `block ${index + 1} of ${blocks.length}${what}`, value, elements }
}

const having = (holds: (block: StructuredDataBlock) => boolean, nothing: string) => ({
  among: (page: ReadPage) => isEligible(page) && page.visit.facts.structuredData.some(holds),
  nothing
})

/** JSON-LD. */
export const structuredData: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "structured_data_syntax",
      name: "Structured data that does not parse",
      category: "structured_data",
      severity: "warning",
      means: "A JSON-LD block is no valid JSON, so engines ignore it.",
      fix: "Correct the syntax at the place named in the evidence.",
      source: "JSON-LD 1.1 §7; RFC 8259",
      eligibleOnly: true,
      guidance: {
        why: "A block that is no JSON earns no rich result.",
        goal: "Make every JSON-LD block of the listed pages valid JSON",
        find: data,
        steps: [
          "Go to the line in the evidence: mostly an unescaped quote or line break, a trailing comma, or a comment.",
          "Build the block with a JSON serialiser and not with a text template; write < as \\u003c.",
          "Parse the block as JSON in a test."
        ],
        never: "remove the block"
      }
    },
    (page) =>
      blocksThat(
        page,
        ({ ok }) => !ok,
        ({ error }) => ({ value: error?.excerpt, what: `: ${error?.message ?? ""}, line ${error?.line ?? 1}` })
      ),
    having(() => true, "no page that may be indexed has JSON-LD")
  ),
  perPage(
    {
      id: "structured_data_empty",
      name: "Structured data is empty",
      category: "structured_data",
      severity: "info",
      means: "A JSON-LD block holds nothing: no value, an empty list or object, or an empty @graph.",
      fix: "Fill the block, or leave it away where there is nothing to describe.",
      source: "JSON-LD 1.1 §7; Google Search Central, Introduction to structured data markup",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "It does no harm and describes nothing: mostly data that was meant to be there is missing.",
        goal: "Let no JSON-LD block of the listed pages be empty",
        find: data,
        steps: [
          "See what the block should describe, and why its data are missing on these pages.",
          "Fill it, or write no script element where there is nothing to describe."
        ],
        never: "fill it with what the page does not show"
      }
    },
    (page) =>
      blocksThat(
        page,
        ({ isEmpty }) => isEmpty,
        () => ({ what: " is empty" })
      ),
    having(() => true, "no page that may be indexed has JSON-LD")
  ),
  perPage(
    {
      id: "structured_data_untyped",
      name: "Structured data without a type",
      category: "structured_data",
      severity: "info",
      means: "A JSON-LD block names no @context or no @type, so nothing says what it describes.",
      fix: 'Add "@context": "https://schema.org" and an @type.',
      source: "JSON-LD 1.1 §3.1, §3.5; Google Search Central, General structured data guidelines",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Without @context and @type nothing says what the data describe.",
        goal: "Let every JSON-LD block of the listed pages name @context and @type",
        find: data,
        steps: [
          'Add "@context": "https://schema.org" and the type that fits.',
          "Give the type the properties that its documentation requires, with values that the page shows.",
          "Check it with a rich results test."
        ],
        never: "describe what the page does not show"
      }
    },
    (page) =>
      blocksThat(page, isUntyped, ({ hasContext, types }) => ({
        what: ` has no ${[...(hasContext ? [] : ["@context"]), ...(types.length === 0 ? ["@type"] : [])].join(" and no ")}`
      })),
    having(({ isEmpty, ok }) => ok && !isEmpty, "no page that may be indexed has JSON-LD that can be read")
  )
]
