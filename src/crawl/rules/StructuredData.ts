import { perPage, type Rule } from "./Rule.ts"

const data = "Find the template, component or plugin that writes the JSON-LD of these pages."

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
    ({ visit }) => {
      const faulty = visit.facts.structuredData.find(({ ok }) => !ok)
      return faulty?.error == null ? null : `${faulty.error.message}, line ${faulty.error.line}`
    },
    { among: ({ visit }) => visit.facts.structuredData.length > 0, nothing: "no page has JSON-LD" }
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
    ({ visit }) => {
      const blocks = visit.facts.structuredData
      const index = blocks.findIndex(({ hasContext, ok, types }) => ok && (!hasContext || types.length === 0))
      return index === -1 ? null : `block ${index + 1} of ${blocks.length}`
    },
    {
      among: ({ visit }) => visit.facts.structuredData.some(({ ok }) => ok),
      nothing: "no page has JSON-LD that can be read"
    }
  )
]
