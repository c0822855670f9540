import { perPage, type Rule } from "./Rule.ts"
import { indexed, isBlank } from "./Snippets.ts"

const thin = 50
const body = "Find the template of these routes and where their content is edited."

/** Headings, text and images. */
export const content: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "h1_missing",
      name: "Missing h1",
      category: "content",
      severity: "warning",
      means: "The page has no first-level heading with text.",
      fix: "Head the main content with one h1.",
      source: "HTML standard §4.3.11, Headings and outlines; WCAG 2.2 technique H42",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Readers, screen readers and engines take the first heading for the name of the content.",
        goal: "Head the main content of each listed page with one h1 that has text",
        find: `${body} Look for a title that is styled text or an image without alt.`,
        steps: [
          "Make the element that names the content an h1, and keep its looks by its class.",
          "Where it is an image, give the image an alt inside of the h1.",
          "Let the headings below it be h2 and so on."
        ],
        never: "add a hidden h1"
      }
    },
    (page) => (page.visit.facts.firstHeadings.every(isBlank) ? "no h1 with text" : null),
    indexed
  ),
  perPage(
    {
      id: "h1_multiple",
      name: "Several h1",
      category: "content",
      severity: "info",
      means:
        "The page has several first-level headings with text, which is allowed. Readers who go by headings find no single title of the content.",
      fix: "Where one heading is the title of the page, make the others second-level headings.",
      source: "HTML standard §4.3.11, Headings and outlines",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "It is allowed, but who goes by headings finds no single name of the content.",
        goal: "Leave one h1 where one heading names the page",
        find: `${body} Often the site's name in the header is an h1 on every page.`,
        steps: [
          "Decide which heading names the content of the page.",
          "Make the others h2 and keep their looks by their class.",
          "Leave pages alone that hold several equal articles."
        ],
        never: "hide headings from screen readers"
      }
    },
    ({ visit: { facts } }) => {
      // An empty one is no heading to those who go by headings.
      const texts = facts.firstHeadings.filter((text) => !isBlank(text))
      return texts.length > 1 ? { detail: `${texts.length} h1 elements`, value: texts.join(" | ") } : null
    },
    indexed
  ),
  perPage(
    {
      id: "thin_content",
      name: "Thin content",
      category: "content",
      severity: "info",
      means: `The main text has fewer than ${thin} words, code included. Pages drawn by scripts look like this to crawlers that do not run them.`,
      fix: "Say more, or render the content on the server.",
      source: "Google Search Central, Creating helpful, reliable, people-first content",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "A page with next to no text gives engines no reason to show it.",
        goal: "Give each listed page the text that its visitors came for, in its HTML, or no address of its own",
        find: `${body} See whether the text is drawn by scripts only.`,
        steps: [
          "Compare the served HTML with what the browser shows: text that scripts draw belongs into the HTML.",
          "Where there is little to say, merge the page into one that says more, and redirect.",
          "Leave pages alone that are meant to be short, such as a contact form."
        ],
        never: "fill pages with text of no use to readers"
      }
    },
    ({ visit }) => (visit.facts.text.mainWords < thin ? `${visit.facts.text.mainWords} words` : null),
    indexed
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
      eligibleOnly: true,
      guidance: {
        why: "Screen readers and image search cannot know what such an image shows.",
        goal: "Give each image of the listed pages an alt attribute",
        find: "Find the templates and components that write img elements, and where their images are edited.",
        steps: [
          "Say in a few words what the image shows or does; of an image in a link, where the link leads.",
          'Write alt="" for decoration.',
          "Make alt a required property of the image component or field, so that new images have one."
        ],
        never: "use file names or one text for all images"
      }
    },
    ({ visit: { facts } }) =>
      facts.imagesWithoutAlt > 0
        ? { detail: `${facts.imagesWithoutAlt} of ${facts.imageCount} images`, elements: facts.muteImages }
        : null,
    indexed
  )
]
