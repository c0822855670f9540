import type { GuidanceTable } from "./Guidance.ts"

const layout = "Find the layout that writes the beginning of the document."
const data = "Find the template, component or plugin that writes the JSON-LD of these pages."

/** The document, its data and its connection. */
export const document = {
  viewport_missing: {
    why: "Phones show a page without it as a shrunken desktop page.",
    goal: "Set a viewport in the head of each listed page",
    find: layout,
    steps: [
      'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
      "Look at the page at 360 pixels and repair what is wider."
    ],
    never: "forbid zooming"
  },
  quirks_mode: {
    why: "Browsers draw such a page by the rules of the 1990s, so sizes and tables differ from what styles say.",
    goal: "Begin each listed page with <!doctype html>",
    find: `${layout} Look for output before the DOCTYPE, or an old one.`,
    steps: [
      "Write <!doctype html> as the very first line.",
      "Compare the pages before and after by eye: sizes of boxes, tables and fonts may change."
    ],
    never: "change styles that have nothing to do with it"
  },
  charset_undeclared: {
    why: "Browsers and crawlers guess the encoding, and letters turn into others.",
    goal: "Declare the encoding of each listed page in its header, or in the first 1024 bytes",
    find: `${layout} And the server's Content-Type for HTML.`,
    steps: [
      "Find out in which encoding the files are really stored.",
      'Send Content-Type: text/html; charset=utf-8, or write <meta charset="utf-8"> first in the head.',
      "Look at a page with letters outside of ASCII."
    ],
    never: "declare UTF-8 for files in another encoding without converting them"
  },
  charset_not_utf8: {
    why: "The standard requires UTF-8; other encodings lose characters and confuse tools.",
    goal: "Serve each listed page in UTF-8",
    find: "Find where the encoding is set: editor or build, templates, database connection, server header.",
    steps: [
      "Convert files and templates to UTF-8.",
      "Change the declaration in header and meta at the same time.",
      "Look at pages with letters outside of ASCII, and at forms that are sent."
    ],
    never: "change the declaration alone"
  },
  page_over_2mb: {
    why: "Engines read no further than that, so the end of the page does not count; and it is slow to load.",
    goal: "Bring the HTML of each listed page well below 2 MiB",
    find: "Find what fills the page: inlined images, data for scripts, styles, or a list of everything.",
    steps: [
      "Measure what takes the most room in the served HTML.",
      "Move images, styles and data into files of their own; split long lists into pages.",
      "Compression does not help: the limit is on the uncompressed text."
    ],
    never: "hide content behind a script"
  },
  markup_too_deep: {
    why: "Only the beginning of such a page is read.",
    goal: "Make each listed page readable to its end",
    find: "Find the loop that opens elements without closing them, or a template that nests itself.",
    steps: [
      "Validate the served HTML and look at the first element that is never closed.",
      "Close it where it is written.",
      "Flatten wrappers that hold one element each."
    ],
    never: "cut the page off"
  },
  structured_data_syntax: {
    why: "A block that is no JSON earns no rich result.",
    goal: "Make every JSON-LD block of the listed pages valid JSON",
    find: data,
    steps: [
      "Go to the line in the evidence: mostly an unescaped quote or line break, a trailing comma, or a comment.",
      "Build the block with a JSON serialiser and not with a text template; write < as \\u003c.",
      "Parse the block as JSON in a test."
    ],
    never: "remove the block"
  },
  structured_data_untyped: {
    why: "Without @context and @type nothing says what the data describe.",
    goal: "Let every JSON-LD block of the listed pages name @context and @type",
    find: data,
    steps: [
      'Add "@context": "https://schema.org" and the type that fits.',
      "Give the type the properties that its documentation requires, with values that the page shows.",
      "Check it with a rich results test."
    ],
    never: "describe what the page does not show"
  },
  mixed_content: {
    why: "Browsers block such parts or mark the page as not secure.",
    goal: "Load every part of the listed pages over https",
    find: "Search templates, styles, content and settings for the http:// addresses of the evidence.",
    steps: [
      "Check that each address answers over https.",
      "Write it with https, or relative to the root where it is the site's own.",
      "Replace parts whose host has no https."
    ],
    never: "remove https from the page, or rely on upgrade-insecure-requests alone"
  },
  page_over_http: {
    why: "Browsers call such a page not secure, and what is sent can be read and changed on the way.",
    goal: "Serve each listed page over https, and redirect its http address there",
    find: "Find where TLS ends (server, proxy, CDN or hosting) and which addresses the site writes for itself.",
    steps: [
      "Set up a certificate that renews itself.",
      "Redirect http to https with 301 or 308, keeping path and query.",
      "Change base address, canonicals, sitemap and links to https."
    ],
    never: "redirect all http addresses to the start page"
  }
} satisfies GuidanceTable
