import { content as guidance } from "./guidance/Content.ts"
import { perPage, type Rule } from "./Rule.ts"

const titles = "Google Search Central, Influencing your title links; HTML standard §4.2.2"
const snippets = "Google Search Central, Control your snippets in search results"
const longTitle = 70
const longDescription = 320
const thin = 50

/** Characters as readers count them: those outside the basic plane are two units of a string but one character. */
const characters = (text: string): number => [...text].length
const isBlank = (text: string | undefined | null): boolean => text == null || text.trim() === ""

export const content: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_missing",
      category: "content",
      severity: "critical",
      means: "The page has no title, or an empty one. Search results and browser tabs have nothing to show.",
      fix: "Add one title element to the head that says what the page is about.",
      source: titles,
      needsRendering: true,
      guidance: guidance.title_missing
    },
    ({ visit }) =>
      isBlank(visit.facts.title) ? (visit.facts.title === null ? "no title element" : "empty title") : null
  ),
  perPage(
    {
      id: "title_multiple",
      category: "content",
      severity: "warning",
      means: "The document has several title elements; only the first counts.",
      fix: "Keep one.",
      source: "HTML standard §4.2.2, at most one title in a document",
      guidance: guidance.title_multiple
    },
    ({ visit }) => (visit.facts.titles > 1 ? `${visit.facts.titles} titles` : null)
  ),
  perPage(
    {
      id: "title_outside_head",
      category: "content",
      severity: "warning",
      means: "The title stands outside the head, often because an invalid element ended the head early.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      guidance: guidance.title_outside_head
    },
    ({ visit }) => (visit.facts.title !== null && !visit.facts.titleInHead ? visit.facts.title : null)
  ),
  perPage(
    {
      id: "title_long",
      category: "content",
      severity: "info",
      means: `The title is longer than ${longTitle} characters, so search results cut it off.`,
      fix: "Put the words that matter first, and shorten the rest.",
      source: titles,
      needsRendering: true,
      guidance: guidance.title_long
    },
    ({ visit }) => {
      const length = characters(visit.facts.title ?? "")
      return length > longTitle ? `${length} characters` : null
    }
  ),
  perPage(
    {
      id: "description_missing",
      category: "content",
      severity: "warning",
      means: "The page has no meta description, so engines compose the snippet from its text.",
      fix: "Add a meta description that sums the page up in a sentence or two.",
      source: snippets,
      needsRendering: true,
      guidance: guidance.description_missing
    },
    ({ visit }) => (visit.facts.descriptions.every(isBlank) ? "no meta description" : null)
  ),
  perPage(
    {
      id: "description_multiple",
      category: "content",
      severity: "info",
      means: "The page has several meta descriptions.",
      fix: "Keep one.",
      source: snippets,
      guidance: guidance.description_multiple
    },
    ({ visit }) => (visit.facts.descriptions.length > 1 ? `${visit.facts.descriptions.length} descriptions` : null)
  ),
  perPage(
    {
      id: "description_long",
      category: "content",
      severity: "info",
      means: `The meta description is longer than ${longDescription} characters, more than any snippet shows.`,
      fix: "Shorten it; the first hundred or so characters are what readers see.",
      source: snippets,
      needsRendering: true,
      guidance: guidance.description_long
    },
    ({ visit }) => {
      const length = characters(visit.facts.descriptions[0] ?? "")
      return length > longDescription ? `${length} characters` : null
    }
  ),
  perPage(
    {
      id: "h1_missing",
      category: "content",
      severity: "warning",
      means: "The page has no first-level heading with text.",
      fix: "Head the main content with one h1.",
      source: "HTML standard §4.3.11, Headings and outlines; WCAG 2.2 technique H42",
      needsRendering: true,
      guidance: guidance.h1_missing
    },
    (page) => (page.visit.facts.firstHeadings.every(isBlank) ? "no h1 with text" : null)
  ),
  perPage(
    {
      id: "h1_multiple",
      category: "content",
      severity: "info",
      means:
        "The page has several first-level headings, which is allowed. Readers who go by headings find no single title of the content.",
      fix: "Where one heading is the title of the page, make the others second-level headings.",
      source: "HTML standard §4.3.11, Headings and outlines",
      needsRendering: true,
      guidance: guidance.h1_multiple
    },
    ({ visit: { facts } }) => (facts.firstHeadings.length > 1 ? `${facts.firstHeadings.length} h1 elements` : null)
  ),
  perPage(
    {
      id: "thin_content",
      category: "content",
      severity: "info",
      means: `The main text has fewer than ${thin} words. Pages drawn by scripts look like this to crawlers that do not run them.`,
      fix: "Say more, or render the content on the server.",
      source: "Google Search Central, Creating helpful, reliable, people-first content",
      needsRendering: true,
      guidance: guidance.thin_content
    },
    ({ visit }) => (visit.facts.text.mainWords < thin ? `${visit.facts.text.mainWords} words` : null)
  ),
  perPage(
    {
      id: "image_alt_missing",
      name: "Images without alt",
      category: "content",
      severity: "warning",
      means: "Images have no alt attribute, so screen readers and image search cannot know what they show.",
      fix: "Describe each image in alt; leave alt empty for decoration.",
      source: "WCAG 2.2 success criterion 1.1.1; HTML standard §4.8.4.4",
      needsRendering: true,
      guidance: guidance.image_alt_missing
    },
    ({ visit }) =>
      visit.facts.imagesWithoutAlt > 0 ? `${visit.facts.imagesWithoutAlt} of ${visit.facts.imageCount} images` : null
  )
]
