import type { GuidanceTable } from "./Guidance.ts"

const docs = "https://developer.chrome.com/docs/lighthouse/seo"

/** Requirements of search engines. */
export const search: GuidanceTable = {
  "is-crawlable": {
    summary: "Noindex page: search engines do not index it",
    why: "A page that blocks indexing does not appear in search results at all.",
    goal: "Let search engines index the page, if it is meant to be found",
    steps: [
      "First make sure that the block is a mistake: staging, private and filter pages may carry it on purpose. If it is intended, change nothing and report that.",
      "Find its origin in the evidence: a robots meta element, an X-Robots-Tag header, or a Disallow line of robots.txt.",
      "Remove that one directive for this page, also where the environment or a plugin adds it."
    ],
    docs: `${docs}/is-crawlable/`
  },
  "http-status-code": {
    summary: "The page returns an error status",
    why: "Search engines drop pages that return 4xx or 5xx, and visitors may see an error.",
    goal: "Make the page return 200, or redirect it to its replacement",
    steps: [
      "Request the page that the evidence names and confirm the status.",
      "Find the route or server configuration that produces it and fix the cause.",
      "If the content has moved, return 301 to its new URL; if it is gone for good, remove the links to it."
    ],
    docs: `${docs}/http-status-code/`
  },
  "document-title": {
    summary: "The page has no title",
    why: "The title names the page in search results, tabs, bookmarks and screen readers.",
    goal: "Give the page one descriptive title",
    steps: [
      "Find the layout or head component of this route.",
      "Render exactly one title element in the head of the server-sent HTML.",
      "Write what distinguishes this page first, then the site's name; about 60 characters."
    ],
    docs: "https://dequeuniversity.com/rules/axe/4.13/document-title"
  },
  "meta-description": {
    summary: "The page has no description",
    why: "Search engines often show the description under the title; without it they pick some text of the page.",
    goal: "Give the page a description",
    steps: [
      "Find the head template of this route and where its content is edited.",
      "Add one meta element with name=description that says what this page offers, about 150 characters.",
      "Use a text of its own for each page, not one for the whole site."
    ],
    docs: `${docs}/meta-description/`
  },
  "link-text": {
    summary: "Links do not say where they lead",
    why: "Search engines and screen readers use the text of a link to understand its target.",
    goal: "Give the listed links texts that name their target",
    steps: [
      "Find the templates or content of the listed links.",
      'Replace texts such as "more" or "here" with the name of the target.',
      "Where the design needs a short text, add visually hidden words."
    ],
    docs: `${docs}/link-text/`
  },
  "crawlable-anchors": {
    summary: "Links cannot be followed by search engines",
    why: "Crawlers only follow links with a real URL; pages behind other links may never be found.",
    goal: "Turn the listed links into real links, or into buttons",
    steps: [
      "Find the templates that render the listed anchors.",
      "If it navigates, put the target URL into href and let scripts enhance it.",
      "If it acts on the page, use a button element."
    ],
    docs: "https://support.google.com/webmasters/answer/9112205"
  },
  "robots-txt": {
    summary: "The robots.txt file has errors",
    why: "Crawlers may misread a faulty file, and crawl or skip the wrong pages.",
    goal: "Fix the listed lines of robots.txt",
    steps: [
      "Find where robots.txt is kept or generated.",
      "Correct each listed line according to RFC 9309: field, colon, value; directives after a User-agent line.",
      "Serve it as text/plain with status 200, or 404 if nothing is disallowed; never an HTML page or a 5xx."
    ],
    docs: `${docs}/invalid-robots-txt/`
  },
  hreflang: {
    summary: "Language alternates are not valid",
    why: "Search engines may show people the page in the wrong language.",
    goal: "Make the listed hreflang links valid",
    steps: [
      "Find the template that renders the alternate links.",
      "Use BCP 47 codes (language, then region where needed) and absolute URLs.",
      "Let every language version list all versions and itself."
    ],
    docs: `${docs}/hreflang/`
  },
  canonical: {
    summary: "The canonical URL is not valid",
    why: "Search engines may index the wrong one of several URLs of this content.",
    goal: "Declare one valid canonical URL",
    steps: [
      "Find the head template that renders the canonical link.",
      "Render exactly one link with rel=canonical and an absolute https URL of this content.",
      "Point it to a page that returns 200 and is indexable, in the same language, and not to the home page."
    ],
    docs: `${docs}/canonical/`
  },
  "font-size": {
    summary: "Text is too small to read on phones",
    why: "Visitors have to zoom to read text below 12 pixels.",
    goal: "Show at least 60 % of the text with 12 CSS pixels or more",
    steps: [
      "Find the listed styles in the stylesheets.",
      "Raise body text to 16 pixels and small print to at least 12, in rem units.",
      "Check that a mobile viewport is declared."
    ],
    docs: `${docs}/font-size/`
  },
  "tap-targets": {
    summary: "Tap targets are too small or too close",
    why: "People hit the wrong control on a touch screen.",
    goal: "Make the listed targets at least 48 by 48 CSS pixels with 8 pixels between them",
    steps: [
      "Find the styles of the listed controls.",
      "Enlarge the active area with padding or min-width and min-height.",
      "Add space between neighbours."
    ],
    docs: `${docs}/tap-targets/`
  },
  plugins: {
    summary: "Content needs a plug-in",
    why: "Search engines cannot read it and current browsers do not run it.",
    goal: "Replace plug-in content with HTML",
    steps: ["Find the listed object, embed or applet elements.", "Replace them with HTML, video or canvas."],
    docs: `${docs}/plugins/`
  }
}
