import { type Fault, isEligible, perPage, type Rule } from "./Rule.ts"

const titles = "Google Search Central, Influencing your title links; HTML standard §4.2.2"
const longTitle = 70

/** Characters as readers count them: a character outside the basic plane is two units of a string. */
export const characters = (text: string): number => [...text].length
export const isBlank = (text: string | undefined | null): boolean => text == null || text.trim() === ""

/** Where guidance looks for the origin of titles and descriptions. */
export const head =
  "Find the head template, layout or SEO component of these routes, and the source of its values: front matter, database or code."

/** Content checks look at indexable pages. */
export const indexed = { among: isEligible, nothing: "no page is indexable" }

/** A fault of the head. */
export const inHead = (detail: string, value?: string): Fault => ({ detail, value, place: "head" })

/** Checks of the title. */
export const snippets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_missing",
      name: "Missing title",
      category: "content",
      severity: "critical",
      means: "The page has no title, or an empty one.",
      fix: "Add one title element to the head that says what the page is about.",
      source: titles,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "The title is the link in search results and the name of the browser tab. Without one, search engines make something up.",
        goal: "Give each listed page one title in the head that says what the page is about",
        find: head,
        steps: [
          "Check whether the element is missing, empty, or only filled by a script.",
          "Fill it from the page's own name, such as heading or product, and fail the build if there is none.",
          "Keep titles unique, with the important words first."
        ],
        never: "use the site's name as the title of all pages"
      }
    },
    ({ visit }) =>
      isBlank(visit.facts.title) ? inHead(visit.facts.title === null ? "no title element" : "empty title") : null,
    indexed
  ),
  perPage(
    {
      id: "title_multiple",
      name: "Multiple titles",
      category: "content",
      severity: "warning",
      means: "The page has several title elements.",
      fix: "Keep one.",
      source: "HTML standard §4.2.2, at most one title in a document",
      eligibleOnly: true,
      guidance: {
        why: "Only the first title counts, and it is often the wrong one.",
        goal: "Keep one title element on each listed page",
        find: `${head} Two of them write a title here, or the title of an inline SVG is outside the svg element.`,
        steps: [
          "Decide which title is right for the page.",
          "Remove the other at its source.",
          "Check that the remaining one is in the head."
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
      name: "Title outside the head",
      category: "content",
      severity: "warning",
      means: "The title is outside the head, often because an invalid element ended the head early.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      eligibleOnly: true,
      guidance: {
        why: "Search engines may ignore a title in the body.",
        goal: "Put the title of the listed pages into the head",
        find: "Find where the title is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Check the element tree as the browser builds it, and find the first element of the body.",
          "Move the element that ended the head into the body, or put the title before it.",
          "Check canonical, robots meta tag and hreflang too: they come after the same element."
        ],
        never: "set the title by a script"
      }
    },
    ({ visit }) =>
      visit.facts.title !== null && !visit.facts.titleInHead
        ? { detail: "the title is in the body", value: visit.facts.title }
        : null,
    indexed
  ),
  perPage(
    {
      id: "title_long",
      name: "Long title",
      category: "content",
      severity: "info",
      means: `The title is longer than ${longTitle} characters.`,
      fix: "Put the important words first, and shorten the rest.",
      source: titles,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search results cut long titles off, often including the words that distinguish the page.",
        goal: "Shorten the titles of the listed pages until their distinguishing words are visible",
        find: head,
        steps: [
          "Put the important words first.",
          "Shorten or drop what all pages share, such as site name and slogan, in the template that appends it.",
          "Keep titles unique."
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
