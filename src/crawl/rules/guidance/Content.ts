import type { GuidanceTable } from "./Guidance.ts"

const head =
  "Find the head template, layout or SEO component of these routes, and where its values come from: front matter, database or code."
const body = "Find the template of these routes and where their content is edited."

/** Titles, descriptions, headings and text. */
export const content = {
  title_missing: {
    why: "The title is the link of a search result and the name of the tab: without one, engines make something up.",
    goal: "Give each listed page one title in the head that says what the page is about",
    find: head,
    steps: [
      "See whether the element is missing, empty, or filled in only by a script.",
      "Fill it from the page's own name, such as the heading or the product, and fail the build when there is none.",
      "Keep it distinct from other pages, with the words that matter first."
    ],
    never: "give all pages the site's name as title"
  },
  title_multiple: {
    why: "Only the first title counts, and it is often not the one that was meant.",
    goal: "Leave one title element on each listed page",
    find: `${head} Two of them write a title here, or an inline SVG has one that stands outside of the svg element.`,
    steps: [
      "Decide which title is right for the page.",
      "Remove the other from its origin.",
      "Check that the remaining one stands in the head."
    ],
    never: "empty one of them instead of removing it"
  },
  title_outside_head: {
    why: "Engines may ignore a title in the body.",
    goal: "Put the title of the listed pages into the head",
    find: "Find where the title is written, and which element before it ended the head: text, div, img, iframe or a noscript with such content.",
    steps: [
      "Look at the element tree as the browser builds it and find the first element of the body.",
      "Move what ended the head into the body, or write the title before it.",
      "Check canonical, robots meta and hreflang too: they stand behind the same element."
    ],
    never: "set the title by a script"
  },
  title_long: {
    why: "Search results cut long titles off, and what distinguishes the page may be in the part that is lost.",
    goal: "Shorten the titles of the listed pages so that what distinguishes them is seen",
    find: head,
    steps: [
      "Put the words that matter first.",
      "Shorten or drop what is the same on all pages, such as the site's name and slogan, where the template appends it.",
      "Keep titles distinct."
    ],
    never: "cut titles off at a number of characters"
  },
  description_missing: {
    why: "The description is the text under a search result; without one engines take pieces of the page.",
    goal: "Give each listed page a meta description of its own",
    find: head,
    steps: [
      "Fill it from a summary that the page has already (excerpt, lead, product text).",
      "Where there is none, write a sentence or two that say what the reader finds there.",
      "Escape quotes, and leave the element away where the value is empty."
    ],
    never: "give all pages one description"
  },
  description_multiple: {
    why: "Engines pick one of several descriptions, or none.",
    goal: "Leave one meta description on each listed page",
    find: `${head} Two of them write a description here, mostly a plugin beside a template.`,
    steps: ["Decide which of them is the page's own.", "Remove the other from its origin."],
    never: "join them into one"
  },
  description_long: {
    why: "No search result shows that much; what matters may be in the part that is lost.",
    goal: "Shorten the descriptions of the listed pages so that the first hundred characters say what matters",
    find: head,
    steps: [
      "Say what matters in the first sentence.",
      "Where the value is the beginning of the text, take its first sentence or a summary of its own."
    ],
    never: "cut descriptions off in the middle of a word"
  },
  h1_missing: {
    why: "Readers, screen readers and engines take the first heading for the name of the content.",
    goal: "Head the main content of each listed page with one h1 that has text",
    find: `${body} Look for a title that is styled text or an image without alt.`,
    steps: [
      "Make the element that names the content an h1, and keep its looks by its class.",
      "Where it is an image, give the image an alt inside of the h1.",
      "Let the headings below it be h2 and so on."
    ],
    never: "add a hidden h1"
  },
  h1_multiple: {
    why: "It is allowed, but who goes by headings finds no single name of the content.",
    goal: "Leave one h1 where one heading names the page",
    find: `${body} Often the site's name in the header is an h1 on every page.`,
    steps: [
      "Decide which heading names the content of the page.",
      "Make the others h2 and keep their looks by their class.",
      "Leave pages alone that hold several equal articles."
    ],
    never: "hide headings from screen readers"
  },
  thin_content: {
    why: "A page with next to no text gives engines no reason to show it.",
    goal: "Give each listed page the text that its visitors came for, in its HTML, or no address of its own",
    find: `${body} See whether the text is drawn by scripts only.`,
    steps: [
      "Compare the served HTML with what the browser shows: text that scripts draw belongs into the HTML.",
      "Where there is little to say, merge the page into one that says more, and redirect.",
      "Leave pages alone that are meant to be short, such as a contact form."
    ],
    never: "fill pages with text of no use to readers"
  },
  image_alt_missing: {
    why: "Screen readers and image search cannot know what such an image shows.",
    goal: "Give each image of the listed pages an alt attribute",
    find: "Find the templates and components that write img elements, and where their images are edited.",
    steps: [
      "Say in a few words what the image shows or does; of an image in a link, where the link leads.",
      'Write alt="" for decoration.',
      "Make alt a required property of the image component or field, so that new images have one."
    ],
    never: "use file names or one text for all images"
  },
  title_duplicate: {
    why: "Results with one title look the same, and engines may take the pages for copies.",
    goal: "Give each listed page a title of its own",
    find: `${head} Pages of one template mostly share a constant or an empty variable.`,
    steps: [
      "See for each group whether the pages are the same content at several addresses, or different pages.",
      "Different: put what distinguishes them first (name, place, page number).",
      "The same: name one as canonical, or redirect to it."
    ],
    never: "append numbers or ids to make titles differ"
  },
  description_duplicate: {
    why: "One text under several results is no help to choose.",
    goal: "Give each listed page a description of its own, or none",
    find: `${head} A default of the site is the usual origin.`,
    steps: [
      "Fill the description from the page's own summary.",
      "Where there is none, leave the element away: engines then take a piece of the text."
    ],
    never: "vary one text by exchanged words"
  },
  content_duplicate: {
    why: "Engines keep one of pages with the same text, and not always the one you want.",
    goal: "Leave each text at one address, or let the copies name that address as canonical",
    find: "Find what makes several addresses of one page: parameters, slashes, upper case, print versions, categories, or routes that share a record.",
    steps: [
      "Choose the address that should be found: the one that is linked most and stands in the sitemap.",
      "Redirect the others to it with 301, or let their canonical name it where they must stay.",
      "Link to that address only."
    ],
    never: "noindex all of them, or change words so that the texts differ"
  },
  content_near_duplicate: {
    why: "Pages that say almost the same compete with each other in the results.",
    goal: "Merge the listed pages, set them apart, or name one as canonical",
    find: "Find the template of these pages and compare their main text: mostly only a name, a place or a colour differs.",
    steps: [
      "Decide whether each page answers a question of its own.",
      "If so, write what only this page can say, and shorten what all repeat.",
      "If not, merge them into one page and redirect, or let the variants name one as canonical."
    ],
    never: "exchange words so that the texts look different"
  }
} satisfies GuidanceTable
