import { isEligible, perPage, type Rule } from "./Rule.ts"

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
