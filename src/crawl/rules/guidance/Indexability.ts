import type { GuidanceTable } from "./Guidance.ts"

const meant =
  "Make sure that the state is a mistake before you change it: staging, private and filter pages may be hidden on purpose. If it is meant, change nothing and say so."

const origin =
  "Find the origin: a robots meta element in a layout or SEO plugin, or an X-Robots-Tag header of server, CDN or middleware."

/** What asks search engines not to read or not to index. */
export const indexability = {
  robots_unreachable: {
    why: "Crawlers must treat a site whose robots.txt fails as forbidden, all of it.",
    goal: "Make /robots.txt answer 200 with the rules, or 404 when there are none",
    find: "Find what serves /robots.txt: a static file, a route, or the edge; and what else answers there (login, firewall, maintenance).",
    steps: [
      "Request /robots.txt without cookies and look at the status.",
      "Serve it as a static file outside of authentication, rate limits and rendering.",
      "Exempt it from maintenance pages that answer 503."
    ],
    never: "add rules that disallow more than before"
  },
  robots_truncated: {
    why: "Rules behind the first 500 KiB are not read, so pages are crawled or left out by chance.",
    goal: "Bring robots.txt below 500 KiB with the same effect",
    find: "Find what generates robots.txt, and which list it writes line by line.",
    steps: [
      "Group the lines by their beginning and replace each group by one pattern with * and $.",
      "Keep pages out of the index with noindex on the page, where the list served that end.",
      "Compare what the old and the new file allow for a sample of addresses."
    ],
    never: "drop rules only because they stand at the end"
  },
  start_blocked: {
    why: "Crawlers cannot read the start page, nor find the site from it.",
    goal: "Let robots.txt allow the start page",
    find: "Find the line in the evidence: in a static robots.txt, a route that generates it, or a setting such as 'discourage search engines'.",
    steps: [
      meant,
      "Remove or narrow the line; a rule of staging must not reach production, so make it depend on the environment.",
      "Read the file again as it is served, and check which group applies to *."
    ],
    never: "add an Allow for one crawler only"
  },
  start_hidden: {
    why: "The start page leaves the search results, and with it the way most people find the site.",
    goal: "Let the start page be indexed, with itself as its canonical",
    find: `${origin} Or a canonical of the start page that names another address.`,
    steps: [
      meant,
      "Remove noindex from the start page, or make it depend on the environment.",
      "Let its canonical name the address at which it is served."
    ],
    never: "answer the start page differently to crawlers"
  },
  blocked_but_linked: {
    why: "Engines cannot read a forbidden page, yet may show its bare address because it is linked.",
    goal: "Decide for each listed URL between crawling, noindex, and no link",
    find: "Find the line of robots.txt in the evidence, and what links to the listed addresses.",
    steps: [
      meant,
      "To keep a page out of the index: allow it in robots.txt and send noindex. To save crawling (filters, sorting): leave it forbidden and do not link to it, or by forms only.",
      "To be found: narrow the rule so that it allows the page."
    ],
    never: "forbid and noindex at once: what is not read shows no noindex"
  },
  noindex_page: {
    why: "These pages do not appear in search results.",
    goal: "Leave noindex only on pages that are not to be found",
    find: origin,
    steps: [
      meant,
      "Remove the directive from pages that should be found; in a layout, make it a property of the page and not of all pages.",
      "Where it comes from a header, look at server, CDN and middleware in turn."
    ],
    never: "hide the directive from crawlers only"
  },
  noindex_with_canonical: {
    why: "One directive says that the page should vanish, the other that it stands for another: engines pick one.",
    goal: "Keep either noindex or the foreign canonical on each listed page",
    find: `${origin} And what writes the canonical of these pages.`,
    steps: [
      "Decide whether the page is a copy of the canonical page or a page of its own that is not to be found.",
      "A copy: remove noindex. A page of its own: let the canonical name the page itself, or leave it away.",
      "Where both come from one component, let it never write both."
    ],
    never: "remove both where the page is private"
  },
  robots_meta_outside_head: {
    why: "A robots meta in the body is ignored, so the page is treated as if it were not there.",
    goal: "Put the robots meta of the listed pages into the head",
    find: "Find where the element is written, and which element before it ended the head: text, div, img, iframe or a noscript with such content.",
    steps: [
      "Parse the served page as a browser does (the element tree of developer tools) and find the first element of the body.",
      "Move the element that ended the head into the body, or write the robots meta before it.",
      "Check title, canonical and hreflang too: they stand behind the same element."
    ],
    never: "write the same meta twice"
  },
  robots_directives_conflict: {
    why: "The most restrictive directive wins, which is mostly not what was meant.",
    goal: "Keep one meaning in the robots directives of each listed page",
    find: "Find all origins: metas of layout and page, plugins, and X-Robots-Tag headers.",
    steps: [
      "List every directive of the page with where it comes from.",
      "Decide whether the page is to be indexed.",
      "Let one place decide, and remove the others."
    ],
    never: "add a third directive to outvote the others"
  },
  robots_txt_html: {
    why: "None of the rules and sitemaps that robots.txt should name is read.",
    goal: "Make /robots.txt answer with a plain text file, or 404",
    find: "Find what answers /robots.txt: mostly a catch-all rewrite to an application, or an error page with status 200.",
    steps: [
      "Serve a static file there, before the catch-all.",
      "Send Content-Type: text/plain.",
      "Name the sitemap in it by its full address."
    ],
    never: "disallow everything while you set it up"
  },
  robots_txt_lines: {
    why: "Lines that no engine reads have no effect, whatever their author expects of them.",
    goal: "Make every line of robots.txt a rule that engines read, or remove it",
    find: "Find the file or route that robots.txt is made from, and the lines in the evidence.",
    steps: [
      "Correct misspelt names (User-agent, Disallow, Allow, Sitemap) and put rules behind a User-agent line.",
      "Replace Noindex lines by noindex on the pages, which must then be crawlable.",
      "Read the file again as it is served, and check some addresses against it."
    ],
    never: "widen a Disallow while you correct its spelling without checking what it then blocks"
  },
  robots_directive_unreadable: {
    why: "A directive that is not understood is ignored.",
    goal: "Write the robots directives of the listed pages so that engines understand them",
    find: origin,
    steps: [
      'Separate directives by commas ("noindex, nofollow") and spell them as documented.',
      meant,
      "Where the value is put together in code, join with commas and test the result."
    ],
    never: "make a page noindex by correcting a directive that is not wanted"
  },
  noindex_file: {
    why: "Files with this header do not appear in search results.",
    goal: "Leave noindex only on files that are not to be found",
    find: "Find the server, CDN or storage rule that sends X-Robots-Tag for the listed files; rules by extension or folder reach further than meant.",
    steps: [
      meant,
      "Narrow the rule, so that it spares files which should be found.",
      "Request a file and read its headers again."
    ],
    never: "move the files to another address to escape the rule"
  }
} satisfies GuidanceTable
