import { document as documentGuidance } from "./guidance/Document.ts"
import { international as internationalGuidance } from "./guidance/International.ts"
import { perPage, type Rule } from "./Rule.ts"

/** This machine itself, where nothing can listen in (RFC 6761 §6.3, RFC 6890). */
const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

export const document: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "language_missing",
      category: "international",
      severity: "warning",
      means: "The html element has no lang attribute, so translators and screen readers guess the language.",
      fix: 'Write the page\'s language, such as lang="en", on the html element.',
      source: "WCAG 2.2 success criterion 3.1.1; HTML standard §3.2.6.2",
      restsOn: "own",
      guidance: internationalGuidance.language_missing
    },
    ({ visit }) => (visit.facts.lang === null || visit.facts.lang === "" ? "no lang on html" : null)
  ),
  perPage(
    {
      id: "viewport_missing",
      category: "content",
      severity: "warning",
      means: "The page does not set a viewport, so phones show it as a shrunken desktop page.",
      fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
      source: "Google Search Central, Mobile-first indexing best practices",
      guidance: documentGuidance.viewport_missing
    },
    ({ visit }) => (visit.facts.viewport === null ? "no viewport meta" : null)
  ),
  perPage(
    {
      id: "quirks_mode",
      category: "content",
      severity: "info",
      means: "Without a standard DOCTYPE browsers draw the page by the rules of the 1990s.",
      fix: "Begin the document with <!doctype html>.",
      source: "HTML standard §13.2.6.4.1, Quirks Mode standard",
      guidance: documentGuidance.quirks_mode
    },
    ({ visit }) => (visit.facts.quirks === "quirks" ? (visit.facts.doctype ? "obsolete DOCTYPE" : "no DOCTYPE") : null)
  ),
  perPage(
    {
      id: "charset_undeclared",
      category: "content",
      severity: "warning",
      means:
        "Neither the header nor the first 1024 bytes say how the page is encoded, so letters may turn into others.",
      fix: "Send charset=utf-8 in the Content-Type, or put a meta charset first in the head.",
      source: "HTML standard §4.2.5.4, Specifying the document's character encoding",
      guidance: documentGuidance.charset_undeclared
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      return source === "fallback" || source === "meta" ? `read as ${name}` : null
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
      guidance: documentGuidance.charset_not_utf8
    },
    ({ visit }) => {
      const { name, source } = visit.facts.encoding
      // An undeclared encoding is a guess, which the rule above reports; for plain ASCII the guess is as good as UTF-8.
      return name === "utf-8" || source === "fallback" ? null : name
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
      guidance: documentGuidance.page_over_2mb
    },
    ({ visit }) => (visit.cut ? `${visit.bytes ?? 0} bytes` : null)
  ),
  perPage(
    {
      id: "markup_too_deep",
      category: "performance",
      severity: "info",
      means: "The markup is so large or deeply nested that only its beginning was read.",
      fix: "Close the elements that are left open, and flatten the markup.",
      source: "HTML standard §13.2, Parsing HTML documents",
      guidance: documentGuidance.markup_too_deep
    },
    ({ visit }) => (visit.facts.parsedWholly ? null : "parsed in part")
  ),
  perPage(
    {
      id: "structured_data_syntax",
      category: "structured_data",
      severity: "warning",
      means: "A JSON-LD block is no valid JSON, so engines ignore it.",
      fix: "Correct the syntax at the place named in the evidence.",
      source: "JSON-LD 1.1 §7; RFC 8259",
      guidance: documentGuidance.structured_data_syntax
    },
    ({ visit }) => {
      const faulty = visit.facts.structuredData.find(({ ok }) => !ok)
      return faulty?.error == null ? null : `${faulty.error.message}, line ${faulty.error.line}`
    },
    { among: ({ visit }) => visit.facts.structuredData.length > 0, nothing: "no page has JSON-LD" }
  ),
  perPage(
    {
      id: "structured_data_untyped",
      category: "structured_data",
      severity: "info",
      means: "A JSON-LD block names no @context or no @type, so nothing says what it describes.",
      fix: 'Add "@context": "https://schema.org" and an @type.',
      source: "JSON-LD 1.1 §3.1, §3.5; Google Search Central, General structured data guidelines",
      needsRendering: true,
      guidance: documentGuidance.structured_data_untyped
    },
    ({ visit }) => {
      const blocks = visit.facts.structuredData
      const index = blocks.findIndex(({ hasContext, ok, types }) => ok && (!hasContext || types.length === 0))
      return index === -1 ? null : `block ${index + 1} of ${blocks.length}`
    },
    {
      among: ({ visit }) => visit.facts.structuredData.some(({ ok }) => ok),
      nothing: "no page has JSON-LD that can be read"
    }
  ),
  perPage(
    {
      id: "mixed_content",
      category: "security",
      severity: "warning",
      means: "An https page loads parts over http, which browsers block or mark as not secure.",
      fix: "Address the parts by https.",
      source: "W3C Mixed Content §4",
      guidance: documentGuidance.mixed_content
    },
    ({ visit }) => visit.facts.insecureResources[0]?.raw ?? null,
    { among: ({ url }) => url.startsWith("https:"), nothing: "no page was served over https" }
  ),
  perPage(
    {
      id: "page_over_http",
      name: "Page served over HTTP",
      category: "security",
      severity: "warning",
      means: "The page is served without encryption; browsers call it not secure.",
      fix: "Serve the site over https and redirect http to it.",
      source: "Google Search Central, Secure your site with HTTPS; RFC 9110 §4.2.2",
      guidance: documentGuidance.page_over_http
    },
    ({ url }) => (url.startsWith("http:") && !isLoopback(new URL(url)) ? "http" : null)
  )
]
