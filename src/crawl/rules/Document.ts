import { maskedText } from "../page/Credentials.ts"
import { languageFault } from "../page/LanguageTags.ts"
import { plainTag } from "../page/Markup.ts"
import { type Fault, perPage, type Rule } from "./Rule.ts"
import { characters, head, indexed, inHead, isBlank } from "./Snippets.ts"

const guide = "Google Search Central, Control your snippets in search results"
const longDescription = 320

/** The text under a search result. */
export const descriptions: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "description_missing",
      name: "Missing description",
      category: "content",
      severity: "warning",
      means: "The page has no meta description, so engines compose the snippet from its text.",
      fix: "Add a meta description that sums the page up in a sentence or two.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
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
    ({ visit }) => (visit.facts.descriptions.every(isBlank) ? inHead("no meta description") : null),
    indexed
  ),
  perPage(
    {
      id: "description_multiple",
      name: "Several descriptions",
      category: "content",
      severity: "info",
      means: "The page has several meta descriptions.",
      fix: "Keep one.",
      source: guide,
      eligibleOnly: true,
      guidance: {
        why: "Engines pick one of several descriptions, or none.",
        goal: "Leave one meta description on each listed page",
        find: `${head} Two of them write a description here, mostly a plugin beside a template.`,
        steps: ["Decide which of them is the page's own.", "Remove the other from its origin."],
        never: "join them into one"
      }
    },
    ({ visit: { facts } }) =>
      facts.descriptions.length > 1
        ? inHead(`${facts.descriptions.length} descriptions`, facts.descriptions.join(" | "))
        : null,
    indexed
  ),
  perPage(
    {
      id: "description_long",
      name: "Long description",
      category: "content",
      severity: "info",
      means: `The meta description is longer than ${longDescription} characters, more than any snippet shows.`,
      fix: "Shorten it; the first hundred or so characters are what readers see.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
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
      return length > longDescription ? inHead(`${length} characters`, visit.facts.descriptions[0]) : null
    },
    indexed
  )
]

/** A language that is none, and the one that was probably meant. */
const unknownLanguage = (lang: string): Fault | null => {
  const fault = languageFault(lang)
  if (fault === null) return null
  const likely = fault.likely === null ? "" : `, likely ${fault.likely}`
  const value = `${fault.why}${likely}`
  return {
    detail: `"${lang}": ${value}`,
    value: lang,
    elements: [{ markup: plainTag("html", { lang: maskedText(lang) }), place: "head", link: null, value }]
  }
}

const layout = "Find the layout that writes the beginning of the document."

/** The document as a whole: language, viewport, encoding, size. */
export const document: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "language_missing",
      name: "Missing language",
      category: "international",
      severity: "warning",
      means: "The html element has no lang attribute, so translators and screen readers guess the language.",
      fix: 'Write the page\'s language, such as lang="en", on the html element.',
      source: "WCAG 2.2 success criterion 3.1.1; HTML standard §3.2.6.2",
      restsOn: "own",
      guidance: {
        why: "Translators and screen readers guess the language, and guess wrong.",
        goal: "Name the language of each listed page on its html element",
        find: "Find the layout that writes the html element, and where the language of a page is known.",
        steps: [
          'Write lang with the code of the content\'s language, such as lang="en".',
          "On a site with several languages take it from the page, not from a constant."
        ],
        never: "write the language of the site on pages in another one"
      }
    },
    ({ visit: { facts } }) =>
      facts.lang === null
        ? "no lang on html"
        : facts.lang === ""
          ? { detail: "lang on html is empty", value: "", markup: '<html lang="">' }
          : null
  ),
  perPage(
    {
      id: "language_invalid",
      name: "Invalid language",
      category: "international",
      severity: "warning",
      means:
        "The lang attribute of the html element names no language, script or country that there is (en-en, english, en_US), so translators and screen readers guess the language.",
      fix: "Write a language tag, such as en or pt-BR.",
      source:
        "BCP 47 (RFC 5646 §2.1 and §2.2), IANA Language Subtag Registry; HTML standard §3.2.6.2; WCAG 2.2 success criterion 3.1.1",
      restsOn: "own",
      guidance: {
        why: "Translators and screen readers do not know what the value means, and guess the language.",
        goal: "Let lang on the html element of each listed page be a language tag of registered parts",
        find: "Find the layout that writes the html element, and the setting or the variable from which it takes the language.",
        steps: [
          "Write the language first (ISO 639: en, pt, ja), and only where it matters a script (zh-Hant) and a country (pt-BR), with hyphens between them.",
          "Map the site's own names of languages, such as en_US of a program's locale, to these in one place.",
          "On a site with several languages check a page in each."
        ],
        never: "remove the attribute"
      }
    },
    ({ visit: { facts } }) => (facts.lang === null || facts.lang === "" ? null : unknownLanguage(facts.lang))
  ),
  perPage(
    {
      id: "viewport_missing",
      name: "Missing viewport",
      category: "content",
      severity: "warning",
      means: "The page does not set a viewport, so phones show it as a shrunken desktop page.",
      fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
      source: "Google Search Central, Mobile-first indexing best practices",
      guidance: {
        why: "Phones show a page without it as a shrunken desktop page.",
        goal: "Set a viewport in the head of each listed page",
        find: layout,
        steps: [
          'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
          "Look at the page at 360 pixels and repair what is wider."
        ],
        never: "forbid zooming"
      }
    },
    ({ visit }) => (visit.facts.viewport === null ? "no viewport meta" : null)
  ),
  perPage(
    {
      id: "quirks_mode",
      name: "Quirks mode",
      category: "content",
      severity: "info",
      means: "Without a standard DOCTYPE browsers draw the page by the rules of the 1990s.",
      fix: "Begin the document with <!doctype html>.",
      source: "HTML standard §13.2.6.4.1, Quirks Mode standard",
      guidance: {
        why: "Browsers draw such a page by the rules of the 1990s, so sizes and tables differ from what styles say.",
        goal: "Begin each listed page with <!doctype html>",
        find: `${layout} Look for output before the DOCTYPE, or an old one.`,
        steps: [
          "Write <!doctype html> as the very first line.",
          "Compare the pages before and after by eye: sizes of boxes, tables and fonts may change."
        ],
        never: "change styles that have nothing to do with it"
      }
    },
    ({ visit }) => (visit.facts.quirks === "quirks" ? (visit.facts.doctype ? "obsolete DOCTYPE" : "no DOCTYPE") : null)
  ),
  perPage(
    {
      id: "charset_undeclared",
      name: "Undeclared charset",
      category: "content",
      severity: "warning",
      means:
        "Neither the header nor the first 1024 bytes say how the page is encoded, so letters may turn into others.",
      fix: "Send charset=utf-8 in the Content-Type, or put a meta charset first in the head.",
      source: "HTML standard §4.2.5.4, Specifying the document's character encoding",
      guidance: {
        why: "Browsers and crawlers guess the encoding, and letters turn into others.",
        goal: "Declare the encoding of each listed page in its header, or in the first 1024 bytes",
        find: `${layout} And the server's Content-Type for HTML.`,
        steps: [
          "Find out in which encoding the files are really stored.",
          'Send Content-Type: text/html; charset=utf-8, or write <meta charset="utf-8"> first in the head.',
          "Look at a page with letters outside of ASCII."
        ],
        never: "declare UTF-8 for files in another encoding without converting them"
      }
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      return source === "fallback" || source === "meta" ? { detail: `read as ${name}`, value: name } : null
    }
  ),
  perPage(
    {
      id: "charset_not_utf8",
      name: "Charset is not UTF-8",
      category: "content",
      severity: "info",
      means: "The page is encoded in something else than UTF-8, which the standard requires of documents.",
      fix: "Convert the page to UTF-8.",
      source: "HTML standard §4.2.5.4, Specifying the document's character encoding",
      guidance: {
        why: "The standard requires UTF-8; other encodings lose characters and confuse tools.",
        goal: "Serve each listed page in UTF-8",
        find: "Find where the encoding is set: editor or build, templates, database connection, server header.",
        steps: [
          "Convert files and templates to UTF-8.",
          "Change the declaration in header and meta at the same time.",
          "Look at pages with letters outside of ASCII, and at forms that are sent."
        ],
        never: "change the declaration alone"
      }
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      // An undeclared encoding is a guess, which the rule above reports; for plain ASCII the guess is as good as UTF-8.
      return name === "utf-8" || source === "fallback" ? null : { detail: name, value: name }
    }
  ),
  perPage(
    {
      id: "page_over_2mb",
      name: "Page longer than 2 MB",
      category: "performance",
      severity: "warning",
      means: "The HTML is longer than 2 MiB; search engines, and this crawl, read no further.",
      fix: "Move data and scripts out of the document, or split the page.",
      source: "Google Search Central, Googlebot, file size limit",
      guidance: {
        why: "Engines read no further than that, so the end of the page does not count; and it is slow to load.",
        goal: "Bring the HTML of each listed page well below 2 MiB",
        find: "Find what fills the page: inlined images, data for scripts, styles, or a list of everything.",
        steps: [
          "Measure what takes the most room in the served HTML.",
          "Move images, styles and data into files of their own; split long lists into pages.",
          "Compression does not help: the limit is on the uncompressed text."
        ],
        never: "hide content behind a script"
      }
    },
    ({ visit }) => (visit.cut ? `${visit.bytes ?? 0} bytes` : null)
  ),
  perPage(
    {
      id: "markup_too_deep",
      name: "Markup too deep to read",
      category: "performance",
      severity: "info",
      means: "The markup is so large or deeply nested that only its beginning was read.",
      fix: "Close the elements that are left open, and flatten the markup.",
      source: "HTML standard §13.2, Parsing HTML documents",
      guidance: {
        why: "Only the beginning of such a page is read.",
        goal: "Make each listed page readable to its end",
        find: "Find the loop that opens elements without closing them, or a template that nests itself.",
        steps: [
          "Validate the served HTML and look at the first element that is never closed.",
          "Close it where it is written.",
          "Flatten wrappers that hold one element each."
        ],
        never: "cut the page off"
      }
    },
    ({ visit }) => (visit.facts.parsedWholly ? null : "parsed in part")
  )
]
