import { perPage, type Rule } from "./Rule.ts"

const titles = "Google Search Central, Influencing your title links; HTML standard §4.2.2"
const descriptions = "Google Search Central, Control your snippets in search results"
const longTitle = 70
const longDescription = 320

/** Characters as readers count them: those outside the basic plane are two units of a string but one character. */
const characters = (text: string): number => [...text].length
export const isBlank = (text: string | undefined | null): boolean => text == null || text.trim() === ""

/** Where the guidance of titles and descriptions looks for their origin. */
export const head =
  "Find the head template, layout or SEO component of these routes, and where its values come from: front matter, database or code."

/** What search results show of a page: title and description. */
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
      isBlank(visit.facts.title) ? (visit.facts.title === null ? "no title element" : "empty title") : null
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
    ({ visit }) => (visit.facts.titles > 1 ? `${visit.facts.titles} titles` : null)
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
      guidance: {
        why: "Engines may ignore a title in the body.",
        goal: "Put the title of the listed pages into the head",
        find: "Find where the title is written, and which element before it ended the head: text, div, img, iframe or a noscript with such content.",
        steps: [
          "Look at the element tree as the browser builds it and find the first element of the body.",
          "Move what ended the head into the body, or write the title before it.",
          "Check canonical, robots meta and hreflang too: they stand behind the same element."
        ],
        never: "set the title by a script"
      }
    },
    ({ visit }) => (visit.facts.title !== null && !visit.facts.titleInHead ? visit.facts.title : null)
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
      return length > longTitle ? `${length} characters` : null
    }
  ),
  perPage(
    {
      id: "description_missing",
      name: "Missing description",
      category: "content",
      severity: "warning",
      means: "The page has no meta description, so engines compose the snippet from its text.",
      fix: "Add a meta description that sums the page up in a sentence or two.",
      source: descriptions,
      needsRendering: true,
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
    ({ visit }) => (visit.facts.descriptions.every(isBlank) ? "no meta description" : null)
  ),
  perPage(
    {
      id: "description_multiple",
      name: "Several descriptions",
      category: "content",
      severity: "info",
      means: "The page has several meta descriptions.",
      fix: "Keep one.",
      source: descriptions,
      guidance: {
        why: "Engines pick one of several descriptions, or none.",
        goal: "Leave one meta description on each listed page",
        find: `${head} Two of them write a description here, mostly a plugin beside a template.`,
        steps: ["Decide which of them is the page's own.", "Remove the other from its origin."],
        never: "join them into one"
      }
    },
    ({ visit }) => (visit.facts.descriptions.length > 1 ? `${visit.facts.descriptions.length} descriptions` : null)
  ),
  perPage(
    {
      id: "description_long",
      name: "Long description",
      category: "content",
      severity: "info",
      means: `The meta description is longer than ${longDescription} characters, more than any snippet shows.`,
      fix: "Shorten it; the first hundred or so characters are what readers see.",
      source: descriptions,
      needsRendering: true,
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
      return length > longDescription ? `${length} characters` : null
    }
  )
]
