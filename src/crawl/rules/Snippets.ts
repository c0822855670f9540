import { type Fault, isEligible, perPage, type Rule } from "./Rule.ts"

const titles = "Google Search Central, Influencing your title links; HTML standard §4.2.2"
const longTitle = 70

/** Characters as readers count them: those outside the basic plane are two units of a string but one character. */
export const characters = (text: string): number => [...text].length
export const isBlank = (text: string | undefined | null): boolean => text == null || text.trim() === ""

/** Where the guidance of titles and descriptions looks for their origin. */
export const head =
  "Find the head template, layout or SEO component of these routes, and where its values come from: front matter, database or code."

/** Rules about content speak of pages that may be indexed. */
export const indexed = { among: isEligible, nothing: "no page may be indexed" }

/** A fault of what the head says. */
export const inHead = (detail: string, value?: string): Fault => ({ detail, value, place: "head" })

/** The title of a page. */
export const snippets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_missing",
      name: "Missing title",
      category: "content",
      severity: "critical",
      means: "The page has no title, or an empty one. Search results and browser tabs have nothing to show.",
      fix: "Add one title element to the head that says what the page is about.",
      source: titles,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "The title is the link of a search result and the name of the tab: without one, engines make something up.",
        goal: "Give each listed page one title in the head that says what the page is about",
        find: head,
        steps: [
          "See whether the element is missing, empty, or filled in only by a script.",
          "Fill it from the page's own name, such as the heading or the product, and fail the build when there is none.",
          "Keep it distinct from other pages, with the words that matter first."
        ],
        never: "give all pages the site's name as title"
      }
    },
    ({ visit }) =>
      isBlank(visit.facts.title) ? inHead(visit.facts.title === null ? "no title element" : "empty title") : null,
    indexed
  ),
  perPage(
    {
      id: "title_multiple",
      name: "Several titles",
      category: "content",
      severity: "warning",
      means: "The document has several title elements; only the first counts.",
      fix: "Keep one.",
      source: "HTML standard §4.2.2, at most one title in a document",
      eligibleOnly: true,
      guidance: {
        why: "Only the first title counts, and it is often not the one that was meant.",
        goal: "Leave one title element on each listed page",
        find: `${head} Two of them write a title here, or an inline SVG has one that stands outside of the svg element.`,
        steps: [
          "Decide which title is right for the page.",
          "Remove the other from its origin.",
          "Check that the remaining one stands in the head."
        ],
        never: "empty one of them instead of removing it"
      }
    },
    ({ visit }) =>
      visit.facts.titles > 1 ? { detail: `${visit.facts.titles} titles`, value: visit.facts.title ?? "" } : null,
    indexed
  ),
  perPage(
    {
      id: "title_outside_head",
      name: "Title outside of the head",
      category: "content",
      severity: "warning",
      means: "The title stands outside the head, often because an invalid element ended the head early.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      eligibleOnly: true,
      guidance: {
        why: "Engines may ignore a title in the body.",
        goal: "Put the title of the listed pages into the head",
        find: "Find where the title is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Look at the element tree as the browser builds it and find the first element of the body.",
          "Move what ended the head into the body, or write the title before it.",
          "Check canonical, robots meta and hreflang too: they stand behind the same element."
        ],
        never: "set the title by a script"
      }
    },
    ({ visit }) =>
      visit.facts.title !== null && !visit.facts.titleInHead
        ? { detail: "the title stands in the body", value: visit.facts.title }
        : null,
    indexed
  ),
  perPage(
    {
      id: "title_long",
      name: "Long title",
      category: "content",
      severity: "info",
      means: `The title is longer than ${longTitle} characters, so search results cut it off.`,
      fix: "Put the words that matter first, and shorten the rest.",
      source: titles,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search results cut long titles off, and what distinguishes the page may be in the part that is lost.",
        goal: "Shorten the titles of the listed pages so that what distinguishes them is seen",
        find: head,
        steps: [
          "Put the words that matter first.",
          "Shorten or drop what is the same on all pages, such as the site's name and slogan, where the template appends it.",
          "Keep titles distinct."
        ],
        never: "cut titles off at a number of characters"
      }
    },
    ({ visit }) => {
      const length = characters(visit.facts.title ?? "")
      return length > longTitle ? inHead(`${length} characters`, visit.facts.title ?? "") : null
    },
    indexed
  )
]
