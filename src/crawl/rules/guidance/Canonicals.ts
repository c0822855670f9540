import type { GuidanceTable } from "./Guidance.ts"

const find =
  "Find where the canonical of these pages is made: head template, SEO plugin or component, or a Link header of the server."

const own =
  "Make it from the address at which the page is served: absolute, https where the site is, without tracking parameters."

/** Which address a page calls its own. */
export const canonicals = {
  canonical_missing: {
    why: "Without a canonical engines choose among the addresses of a page themselves (with parameters, slashes, hosts).",
    goal: "Let each listed page name its own address as canonical",
    find,
    steps: [
      "Add one link rel=canonical to the shared head template.",
      own,
      "Check a page with a query string: its canonical is the address without it, if both show the same."
    ],
    never: "give all pages one canonical"
  },
  canonical_conflicting: {
    why: "Engines ignore canonicals that contradict each other, all of them.",
    goal: "Let each listed page name one canonical",
    find: `${find} Two of them write one here.`,
    steps: [
      "List every canonical of the page, head and header, with its origin.",
      "Keep the one that is right and remove the other origin, mostly a plugin beside a template.",
      own
    ],
    never: "make both name the same wrong address"
  },
  canonical_invalid: {
    why: "A canonical that cannot be read is ignored.",
    goal: "Let each listed page name a full http(s) address as canonical",
    find: `${find} Look for a value that is empty, a template expression that was not filled in, or an address without a scheme.`,
    steps: [
      "Repair what computes the value, and leave the element away when there is none.",
      own,
      "Add a test that renders such a page and parses its canonical."
    ],
    never: "remove the canonical from all pages"
  },
  canonical_relative: {
    why: "A relative canonical changes its meaning with the base, the host and every copy of the page.",
    goal: "Write the canonicals of the listed pages as absolute addresses",
    find,
    steps: ["Take scheme and host from the site's configuration, not from the request's Host header.", own],
    never: "add a base element to make it absolute"
  },
  canonical_fragment: {
    why: "Engines drop what stands behind #, so the canonical names another address than was meant.",
    goal: "Write the canonicals of the listed pages without a fragment",
    find: `${find} Single-page applications often take the router's address.`,
    steps: ["Cut the value at #.", "Where the fragment tells pages apart, give these pages paths of their own."],
    never: "encode the # so that it passes"
  },
  canonical_outside_head: {
    why: "A canonical in the body is ignored.",
    goal: "Put the canonical of the listed pages into the head",
    find: "Find where the element is written, and which element before it ended the head: text, div, img, iframe or a noscript with such content.",
    steps: [
      "Look at the element tree as the browser builds it and find the first element of the body.",
      "Move what ended the head into the body, or write the canonical before it.",
      "Check title, robots meta and hreflang too: they stand behind the same element."
    ],
    never: "write a second canonical into the head and leave the first"
  },
  canonical_to_error: {
    why: "The page asks to be replaced by one that does not exist, so both may leave the index.",
    goal: "Let each listed page name a page that answers 200 as canonical",
    find: `${find} Look for a path that was renamed, or a host or slash that the server does not serve.`,
    steps: [
      "Request the address that is named and see why it fails.",
      "Where the page is the only one with its content, let it name itself.",
      "Where another page is meant, name the address that it has today."
    ],
    never: "let the missing address answer 200 with an empty page"
  },
  canonical_to_redirect: {
    why: "The page names an address as preferred that leads elsewhere.",
    goal: "Let each listed page name the address where the redirect ends",
    find: `${find} Mostly scheme, host (www) or trailing slash differ from what the server serves.`,
    steps: [
      "Follow the address that is named to its end.",
      "Build canonicals with the same scheme, host and slash as the server answers at.",
      "Correct sitemap and links, which mostly come from the same setting."
    ],
    never: "remove the redirect"
  },
  canonical_to_hidden: {
    why: "The page gives its place to one that may not be indexed, so neither is found.",
    goal: "Let each listed page name a page that may be indexed and crawled",
    find: `${find} And the noindex or robots.txt line of the page that is named.`,
    steps: [
      "Decide which of the two pages should be found.",
      "Make that page indexable, and let both name it.",
      "Where neither should be found, remove the canonical and keep noindex."
    ],
    never: "remove noindex from a page that is private"
  },
  canonical_chain: {
    why: "Engines may stop at any page of a chain of canonicals.",
    goal: "Let each listed page name the last page of the chain",
    find,
    steps: [
      "Follow the canonicals from the listed page to one that names itself.",
      "Name that page on all pages of the chain.",
      "Where the last page is not what was meant, correct its canonical first."
    ],
    never: "close the chain into a circle"
  },
  canonical_cross_site: {
    why: "The other site gets the credit, and this page leaves the index.",
    goal: "Leave canonicals to other sites only where the content belongs there",
    find: `${find} Staging hosts, old domains and copied templates are the usual origin.`,
    steps: [
      "Find out whether the other host belongs to the same owner, and whether the content is syndicated from there.",
      "Where it is not, let the page name its own address.",
      own
    ],
    never: "change canonicals of content that was licensed from the other site"
  }
} satisfies GuidanceTable
