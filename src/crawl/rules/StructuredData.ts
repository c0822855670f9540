import type { StructuredDataBlock } from "../page/StructuredData.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

const protocol = "The Open Graph protocol (ogp.me)"
const find = "Find the head template, or the plugin, that writes the og: properties of these pages."
const among = { among: isEligible, nothing: "no page that may be indexed was read" }

/** How pages look where they are shared. */
export const socialCards: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "open_graph_relative",
      name: "Relative addresses in Open Graph",
      category: "content",
      severity: "info",
      means:
        "og:url or og:image is written as a relative address, which services that show shared links do not resolve.",
      fix: "Write the addresses in full, with https:// and the host.",
      source: `${protocol}, Basic metadata and Data types`,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "A shared link is shown without its image, or counted for another address.",
        goal: "Write og:url and og:image of each listed page as absolute addresses",
        find,
        steps: [
          "Put the base address of the site in front, from the configuration that the canonical uses.",
          "Check the property on a page below a folder, where relative addresses differ.",
          "Fetch the image at the new address."
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
      name: "Open Graph incomplete",
      category: "content",
      severity: "info",
      means:
        "Of the four properties that Open Graph requires, og:title, og:type, og:image and og:url, some are missing, so services choose themselves what a shared link shows.",
      fix: "Write all four properties in the head.",
      source: `${protocol}, Basic metadata`,
      needsRendering: true,
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "Where the page is shared, its title and image are guessed or left out.",
        goal: "Give each listed page og:title, og:type, og:image and og:url",
        find,
        steps: [
          "Write the four properties in the shared head, each from the data of the page.",
          "Take og:url from the canonical, and an image of the site where a page has none of its own.",
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

/** What types of structured data must say. */
export const structuredDataTypes: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "structured_data_required",
      name: "Structured data incomplete",
      category: "structured_data",
      severity: "warning",
      means:
        "JSON-LD lacks properties that Google requires for its type, or names itself by a relative address, so it earns no rich result. Microdata is not looked at.",
      fix: "Add the properties named in the evidence, with values that the page shows, and write addresses in full.",
      source:
        "Google Search Central, Structured data, guides of Article, Breadcrumb, Event, FAQ, Job posting, Local business, Organization, Product snippet, Recipe, Review snippet and Video",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "A type without its required properties is left out of rich results.",
        goal: "Give the structured data of each listed page all properties that its type requires, and absolute addresses",
        find: "Find the template, component or plugin that writes the JSON-LD of these pages, and the data that it is made from.",
        steps: [
          "Add each missing property from the data that the page shows. One of several is enough where the evidence says so.",
          "Where the page does not have the data, take the type out instead of inventing a value.",
          "Write @id and url with https:// and the host.",
          "Check a page of each template with the rich results test."
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
      nothing: "no page that may be indexed has JSON-LD that can be read"
    }
  )
]
