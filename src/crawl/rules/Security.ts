import { counted, resourceElements } from "./Elements.ts"
import { perPage, type Rule } from "./Rule.ts"

/** This machine itself, where nothing can listen in (RFC 6761 §6.3, RFC 6890). */
const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** The connection that a page and its parts come over. */
export const security: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "mixed_content",
      name: "Mixed content",
      category: "security",
      severity: "warning",
      means: "An https page loads parts over http, which browsers block or mark as not secure.",
      fix: "Address the parts by https.",
      source: "W3C Mixed Content §4",
      guidance: {
        why: "Browsers block such parts or mark the page as not secure.",
        goal: "Load every part of the listed pages over https",
        find: "Search templates, styles, content and settings for the http:// addresses of the evidence.",
        steps: [
          "Check that each address answers over https.",
          "Write it with https, or relative to the root where it is the site's own.",
          "Replace parts whose host has no https."
        ],
        never: "remove https from the page, or rely on upgrade-insecure-requests alone"
      }
    },
    ({ visit: { facts } }) => {
      const [first] = facts.insecureResources
      return first === undefined
        ? null
        : {
            detail: counted(
              facts.insecureResources.map(({ raw }) => raw),
              "parts"
            ),
            value: first.raw,
            elements: resourceElements(facts.insecureResources)
          }
    },
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
      guidance: {
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
    },
    ({ url }) => (url.startsWith("http:") && !isLoopback(new URL(url)) ? "http" : null)
  )
]
