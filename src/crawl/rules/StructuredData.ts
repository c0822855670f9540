import type { StructuredDataBlock } from "../page/StructuredData.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

const protocol = "The Open Graph protocol (ogp.me)"
const find = "Find the head template or plugin that writes the og: properties of these pages."
const among = { among: isEligible, nothing: "no indexable page was crawled" }

/** Checks of previews on social networks. */
export const socialCards: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "open_graph_relative",
      name: "Relative URL in Open Graph tags",
      category: "content",
      severity: "info",
      means: "og:url or og:image is a relative URL.",
      fix: "Write the full URLs, with https:// and the host.",
      source: `${protocol}, Basic metadata and Data types`,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Social networks do not resolve relative URLs, so shared links have no image or count for a different URL.",
        goal: "Write og:url and og:image of each listed page as absolute URLs",
        find,
        steps: [
          "Add the site's base URL from the setting that the canonical uses.",
          "Check a page in a folder, where relative URLs differ.",
          "Fetch the image at the new URL."
        ],
        never: "remove the property"
      }
    },
    ({ visit }) => {
      const { relative } = visit.facts.openGraph
      const [first] = relative
      if (first === undefined) return null
      return {
        detail: relative.map(({ property, value }) => `${property} "${value}"`).join(", "),
        value: first.value,
        elements: relative.map(({ markup, place }) => ({ markup, place, link: null }))
      }
    },
    among
  ),
  perPage(
    {
      id: "open_graph_missing",
      name: "Incomplete Open Graph tags",
      category: "content",
      severity: "info",
      means: "At least one of og:title, og:type, og:image and og:url is missing.",
      fix: "Add all four properties to the head.",
      source: `${protocol}, Basic metadata`,
      needsRendering: true,
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "Social networks guess the title and image of a shared link, or leave them out.",
        goal: "Give each listed page og:title, og:type, og:image and og:url",
        find,
        steps: [
          "Write the four properties in the shared head, each from the page's own data.",
          "Use the canonical for og:url, and a site-wide image if a page has none of its own.",
          "Write them as meta elements with property, not name."
        ],
        never: "give all pages the og:url of the start page"
      }
    },
    ({ visit }) => {
      const { missing } = visit.facts.openGraph
      return missing.length === 0 ? null : `no ${missing.join(", ")}`
    },
    among
  )
]

const data = "Find the template, component or plugin that writes the JSON-LD of these pages."

const isUntyped = ({ hasContext, isEmpty, ok, types }: StructuredDataBlock): boolean =>
  ok && !isEmpty && (!hasContext || types.length === 0)

/** The fault of a page's blocks that meet a condition, with the first one's words and value. */
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

/** Checks of JSON-LD. */
export const structuredData: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "structured_data_syntax",
      name: "Invalid JSON-LD",
      category: "structured_data",
      severity: "warning",
      means: "A JSON-LD block is not valid JSON.",
      fix: "Correct the syntax at the place shown in the details.",
      source: "JSON-LD 1.1 §7; RFC 8259",
      eligibleOnly: true,
      guidance: {
        why: "Search engines ignore the block, so it earns no rich result.",
        goal: "Make every JSON-LD block of the listed pages valid JSON",
        find: data,
        steps: [
          "Go to the line in the evidence: usually an unescaped quote or line break, a trailing comma, or a comment.",
          "Build the block with a JSON serializer instead of a text template, and write < as \\u003c.",
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
    having(() => true, "no indexable page has JSON-LD")
  ),
  perPage(
    {
      id: "structured_data_empty",
      name: "Empty JSON-LD",
      category: "structured_data",
      severity: "info",
      means: "A JSON-LD block is empty: no value, an empty list or object, or an empty @graph.",
      fix: "Fill the block, or remove it if there is nothing to describe.",
      source: "JSON-LD 1.1 §7; Google Search Central, Introduction to structured data markup",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "An empty block does no harm, but usually the data that belongs in it is missing.",
        goal: "Make sure that no JSON-LD block of the listed pages is empty",
        find: data,
        steps: [
          "Find out what the block should describe, and why its data is missing on these pages.",
          "Fill it, or write no script element if there is nothing to describe."
        ],
        never: "fill it with data that the page does not show"
      }
    },
    (page) =>
      blocksThat(
        page,
        ({ isEmpty }) => isEmpty,
        () => ({ what: " is empty" })
      ),
    having(() => true, "no indexable page has JSON-LD")
  ),
  perPage(
    {
      id: "structured_data_untyped",
      name: "JSON-LD without a type",
      category: "structured_data",
      severity: "info",
      means: "A JSON-LD block has no @context or no @type.",
      fix: 'Add "@context": "https://schema.org" and an @type.',
      source: "JSON-LD 1.1 §3.1, §3.5; Google Search Central, General structured data guidelines",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search engines cannot tell what the data describes.",
        goal: "Give every JSON-LD block of the listed pages @context and @type",
        find: data,
        steps: [
          'Add "@context": "https://schema.org" and the type that fits.',
          "Add the properties that the type requires, with values that the page shows.",
          "Check it with the Rich Results Test."
        ],
        never: "describe what the page does not show"
      }
    },
    (page) =>
      blocksThat(page, isUntyped, ({ hasContext, types }) => ({
        what: ` has no ${[...(hasContext ? [] : ["@context"]), ...(types.length === 0 ? ["@type"] : [])].join(" and no ")}`
      })),
    having(({ isEmpty, ok }) => ok && !isEmpty, "no indexable page has valid JSON-LD")
  )
]

/** Checks of the required properties of structured data. */
export const structuredDataTypes: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "structured_data_required",
      name: "Structured data lacks required properties",
      category: "structured_data",
      severity: "warning",
      means:
        "JSON-LD lacks properties that Google requires for its type, or contains relative URLs. Microdata is not checked.",
      fix: "Add the properties listed in the details, with values that the page shows, and write URLs in full.",
      source:
        "Google Search Central, Structured data, guides of Article, Breadcrumb, Event, FAQ, Job posting, Local business, Organization, Product snippet, Recipe, Review snippet and Video",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Without its required properties, a type is not eligible for rich results.",
        goal: "Give the structured data of each listed page all properties that its type requires, and absolute URLs",
        find: "Find the template, component or plugin that writes the JSON-LD of these pages, and the data behind it.",
        steps: [
          "Add each missing property from the data that the page shows. If the evidence lists alternatives, one is enough.",
          "If the page does not have the data, remove the type instead of inventing a value.",
          "Write @id and url with https:// and the host.",
          "Check a page of each template with the Rich Results Test."
        ],
        never: "invent ratings, prices or dates"
      }
    },
    ({ visit }) => {
      const faults = visit.facts.dataFaults
      if (faults.length === 0) return null
      const value = faults.find((fault) => fault.value !== null)?.value
      return { detail: faults.map(({ detail }) => detail).join("; "), ...(value == null ? {} : { value }) }
    },
    {
      among: (page) => isEligible(page) && page.visit.facts.structuredData.some(({ ok }) => ok),
      nothing: "no indexable page has valid JSON-LD"
    }
  )
]
