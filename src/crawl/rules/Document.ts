import { maskedText } from "../page/Credentials.ts"
import { languageFault } from "../page/LanguageTags.ts"
import { plainTag } from "../page/Markup.ts"
import { type Fault, perPage, type Rule } from "./Rule.ts"
import { characters, head, indexed, inHead, isBlank } from "./Snippets.ts"

const guide = "Google Search Central, Control your snippets in search results"
const longDescription = 320

/** Checks of the description in search results. */
export const descriptions: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "description_missing",
      name: "Missing meta description",
      category: "content",
      severity: "warning",
      means: "The page has no meta description.",
      fix: "Add a meta description that sums up the page in one or two sentences.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search engines show the description below the title. Without one, they pick parts of the page text.",
        goal: "Give each listed page its own meta description",
        find: head,
        steps: [
          "Fill it from a summary that the page already has (excerpt, lead or product text).",
          "If there is none, write one or two sentences about what the reader finds there.",
          "Escape quotes, and omit the tag if the value is empty."
        ],
        never: "use the same description on all pages"
      }
    },
    ({ visit }) => (visit.facts.descriptions.every(isBlank) ? inHead("no meta description") : null),
    indexed
  ),
  perPage(
    {
      id: "description_multiple",
      name: "Multiple meta descriptions",
      category: "content",
      severity: "info",
      means: "The page has several meta descriptions.",
      fix: "Keep one.",
      source: guide,
      eligibleOnly: true,
      guidance: {
        why: "Search engines pick one of them, or none.",
        goal: "Keep one meta description on each listed page",
        find: `${head} Two of them write a description here, usually a plugin next to a template.`,
        steps: ["Decide which description belongs to the page.", "Remove the other at its source."],
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
      name: "Long meta description",
      category: "content",
      severity: "info",
      means: `The meta description is longer than ${longDescription} characters.`,
      fix: "Shorten it. Readers see about the first hundred characters.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "No search result shows that much, so the important part may be cut off.",
        goal: "Shorten the descriptions of the listed pages: the first hundred characters carry the message",
        find: head,
        steps: [
          "Put the message into the first sentence.",
          "If the value is the start of the page text, use its first sentence or a summary."
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

/** An unknown language, with the probable one. */
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

const layout = "Find the layout that writes the start of the document."

/** Checks of the whole document: language, viewport, encoding, size. */
export const document: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "language_missing",
      name: "Missing html lang attribute",
      category: "international",
      severity: "warning",
      means: "The html element has no lang attribute.",
      fix: 'Set the page language on the html element, such as lang="en".',
      source: "WCAG 2.2 success criterion 3.1.1; HTML standard §3.2.6.2",
      restsOn: "own",
      guidance: {
        why: "Screen readers and translation tools guess the language, and often guess wrong.",
        goal: "Set the language of each listed page on its html element",
        find: "Find the layout that writes the html element, and where the language of a page is known.",
        steps: [
          'Set lang to the code of the content language, such as lang="en".',
          "On a multilingual site, take it from the page and not from a constant."
        ],
        never: "use the site's language on pages in another language"
      }
    },
    ({ visit: { facts } }) =>
      facts.lang === null
        ? "no lang attribute on html"
        : facts.lang === ""
          ? { detail: "the lang attribute on html is empty", value: "", markup: '<html lang="">' }
          : null
  ),
  perPage(
    {
      id: "language_invalid",
      name: "Invalid html lang attribute",
      category: "international",
      severity: "warning",
      means:
        "The lang attribute of the html element has an unknown language, script or country, such as en-en, english or en_US.",
      fix: "Use a valid language tag, such as en or pt-BR.",
      source:
        "BCP 47 (RFC 5646 §2.1 and §2.2), IANA Language Subtag Registry; HTML standard §3.2.6.2; WCAG 2.2 success criterion 3.1.1",
      restsOn: "own",
      guidance: {
        why: "Screen readers and translation tools do not understand the value, and guess the language.",
        goal: "Set lang on the html element of each listed page to a valid language tag",
        find: "Find the layout that writes the html element, and the setting or variable that it takes the language from.",
        steps: [
          "Start with the language (ISO 639: en, pt, ja). Add script (zh-Hant) or country (pt-BR) only if needed, with hyphens.",
          "Map the site's own language names, such as the locale en_US, to these tags in one place.",
          "On a multilingual site, check a page in each language."
        ],
        never: "remove the attribute"
      }
    },
    ({ visit: { facts } }) => (facts.lang === null || facts.lang === "" ? null : unknownLanguage(facts.lang))
  ),
  perPage(
    {
      id: "viewport_missing",
      name: "Missing viewport meta tag",
      category: "content",
      severity: "warning",
      means: "The page has no viewport meta tag.",
      fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
      source: "Google Search Central, Mobile-first indexing best practices",
      guidance: {
        why: "Phones show the page as a shrunken desktop page.",
        goal: "Set a viewport in the head of each listed page",
        find: layout,
        steps: [
          'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
          "Check the page at a width of 360 pixels and fix what is wider."
        ],
        never: "disable zooming"
      }
    },
    ({ visit }) => (visit.facts.viewport === null ? "no viewport meta tag" : null)
  ),
  perPage(
    {
      id: "quirks_mode",
      name: "Missing or obsolete doctype",
      category: "content",
      severity: "info",
      means: "The page has no standard doctype, so browsers render it in quirks mode.",
      fix: "Begin the document with <!doctype html>.",
      source: "HTML standard §13.2.6.4.1, Quirks Mode standard",
      guidance: {
        why: "In quirks mode, sizes and tables differ from what the CSS says.",
        goal: "Begin each listed page with <!doctype html>",
        find: `${layout} Look for output before the doctype, or an obsolete one.`,
        steps: [
          "Write <!doctype html> as the very first line.",
          "Compare the pages before and after: sizes of boxes, tables and fonts may change."
        ],
        never: "change unrelated styles"
      }
    },
    ({ visit }) => (visit.facts.quirks === "quirks" ? (visit.facts.doctype ? "obsolete doctype" : "no doctype") : null)
  ),
  perPage(
    {
      id: "charset_undeclared",
      name: "Missing character encoding",
      category: "content",
      severity: "warning",
      means: "Neither the Content-Type header nor the first 1024 bytes declare the character encoding.",
      fix: "Send charset=utf-8 in the Content-Type header, or put a meta charset first in the head.",
      source: "HTML standard §4.2.5.4, Specifying the document's character encoding",
      guidance: {
        why: "Browsers and crawlers guess the encoding, and special characters may turn into garbage.",
        goal: "Declare the encoding of each listed page in its header or in the first 1024 bytes",
        find: `${layout} Also check the server's Content-Type for HTML.`,
        steps: [
          "Find out in which encoding the files are stored.",
          'Send Content-Type: text/html; charset=utf-8, or put <meta charset="utf-8"> first in the head.',
          "Check a page with non-ASCII characters."
        ],
        never: "declare UTF-8 for files in another encoding without converting them"
      }
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      return source === "fallback" || source === "meta" ? { detail: `decoded as ${name}`, value: name } : null
    }
  ),
  perPage(
    {
      id: "charset_not_utf8",
      name: "Character encoding is not UTF-8",
      category: "content",
      severity: "info",
      means: "The page uses an encoding other than UTF-8.",
      fix: "Convert the page to UTF-8.",
      source: "HTML standard §4.2.5.4, Specifying the document's character encoding",
      guidance: {
        why: "The HTML standard requires UTF-8. Other encodings lose characters and confuse tools.",
        goal: "Serve each listed page in UTF-8",
        find: "Find where the encoding is set: editor or build, templates, database connection or server header.",
        steps: [
          "Convert files and templates to UTF-8.",
          "Change the declaration in header and meta tag at the same time.",
          "Check pages with non-ASCII characters, and submitted forms."
        ],
        never: "change only the declaration"
      }
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      // An undeclared encoding is a guess, which the check above reports; for plain ASCII the guess equals UTF-8.
      return name === "utf-8" || source === "fallback" ? null : { detail: name, value: name }
    }
  ),
  perPage(
    {
      id: "page_over_2mb",
      name: "HTML over 2 MiB",
      category: "performance",
      severity: "warning",
      means: "The HTML is longer than 2 MiB. Findable and search engines stop there.",
      fix: "Move data and scripts out of the document, or split the page.",
      source: "Google Search Central, Googlebot, file size limit",
      guidance: {
        why: "Content and links after the limit do not count, and the page loads slowly.",
        goal: "Bring the HTML of each listed page well below 2 MiB",
        find: "Find what fills the page: inlined images, script data, styles, or a list of everything.",
        steps: [
          "Measure what takes the most space in the served HTML.",
          "Move images, styles and data into separate files, and split long lists into pages.",
          "Do not rely on compression: the limit applies to the uncompressed HTML."
        ],
        never: "hide content behind a script"
      }
    },
    ({ visit }) => (visit.cut ? `${visit.bytes ?? 0} bytes` : null)
  ),
  perPage(
    {
      id: "markup_too_deep",
      name: "HTML nested too deeply",
      category: "performance",
      severity: "info",
      means: "The HTML is so large or deeply nested that Findable analyzed only its beginning.",
      fix: "Close the elements that are left open, and flatten the markup.",
      source: "HTML standard §13.2, Parsing HTML documents",
      guidance: {
        why: "Parsers give up on such pages, so the rest of the content may not count.",
        goal: "Make each listed page parseable to its end",
        find: "Find the loop that opens elements without closing them, or a template that includes itself.",
        steps: [
          "Validate the served HTML and find the first element that is never closed.",
          "Close it where it is written.",
          "Flatten wrappers that contain a single element."
        ],
        never: "cut the page off"
      }
    },
    ({ visit }) => (visit.facts.parsedWholly ? null : "only the beginning was analyzed")
  )
]
