import type { GuidanceTable } from "./Guidance.ts"

const find = "Search templates, navigation, footers and content for the addresses and link texts of the evidence."
const once = "Repair a link that stands in shared navigation once, where it is generated."

/** Links between pages. */
export const links = {
  broken_link: {
    why: "Who follows the link arrives at an error; crawlers lose the way to whatever stood behind it.",
    goal: "Make every link of the listed pages lead to a page that answers below 400",
    find,
    steps: [
      "Look for the page that was meant: a typing error, a renamed path, or a page that is gone.",
      "Write the address of the page that exists, or take the link out; where many others link to the old address, redirect it to the new one.",
      once
    ],
    never: "let the missing address answer 200 with an empty or error page"
  },
  link_invalid: {
    why: "An address that cannot be parsed leads nowhere, for people and for crawlers.",
    goal: "Make every link of the listed pages an address that parses",
    find: `${find} Look for a doubled scheme, a space in the host, or a template expression that was not filled in.`,
    steps: [
      "Correct the address, or what computes it.",
      "Encode values that come from data before they are put into an address.",
      once
    ],
    never: "take links out whose target is known"
  },
  link_script: {
    why: "Crawlers do not press buttons: what only a script opens is not found.",
    goal: "Give every link of the listed pages an address in href that leads to what its script opens",
    find: `${find} Look for href="javascript:…" and for click handlers that set the location.`,
    steps: [
      "Put the address into href and keep the script as an addition that prevents the default.",
      "Make a control that leads nowhere, such as a toggle, a button.",
      "With a client-side router use its link component, which writes a real href."
    ],
    never: 'write href="#" instead'
  },
  link_text_missing: {
    why: "Nothing tells people with a screen reader, or engines, where the link leads.",
    goal: "Give every link of the listed pages words, or its image an alternative text",
    find,
    steps: [
      "Of a link around an image or icon, say in alt or aria-label where it leads.",
      "Take out links that are empty by mistake, such as a wrapper without content.",
      once
    ],
    never: 'give all of them one text such as "link"'
  },
  link_nofollow_internal: {
    why: "Such a link withholds from a page of your own what it would pass on.",
    goal: "Leave nofollow, ugc and sponsored only on links that lead away from the site or were written by visitors",
    find: `${find} A helper or filter that adds rel to all links is the usual origin.`,
    steps: [
      "Let the helper spare addresses of the site's own host.",
      "To keep crawlers out of a path, use robots.txt; to keep a page out of the index, noindex.",
      "Keep the tokens on what visitors write."
    ],
    never: "remove rel from links that visitors wrote"
  },
  dead_end: {
    why: "Visitors and crawlers stop at a page that leads nowhere.",
    goal: "Let each listed page link to other pages of the site",
    find: "Find the template of these pages: mostly one without the shared navigation, such as a landing page, a document or an error page.",
    steps: [
      "Include the shared navigation or a link to the start page.",
      "Link to pages on the same subject where there are some.",
      "Check that the links are in the HTML and not drawn by scripts only."
    ],
    never: "add hidden links"
  },
  page_deep: {
    why: "Pages many clicks away are found late by crawlers and seldom by people.",
    goal: "Bring each listed page nearer to the start page",
    find: "Find how people get to these pages: category and list pages, their paging, and the navigation.",
    steps: [
      "Link from a hub near the start to the pages that matter most.",
      "Let long lists link to several of their pages (1, 2, 3 … last), or show more entries on each.",
      "Link between pages on the same subject."
    ],
    never: "link to all pages from the footer"
  },
  orphan_page: {
    why: "A page without links is found by the sitemap alone, and people do not find it at all.",
    goal: "Let each listed page be linked from a page of the site, or take it out of the sitemap",
    find: "Find where such pages should be listed: navigation, category pages, lists; and what puts them into the sitemap.",
    steps: [
      "Decide whether the page is still wanted.",
      "Wanted: link to it from the page that lists its kind.",
      "Not wanted: remove it from the sitemap, and redirect or delete it."
    ],
    never: "add a hidden page of links"
  },
  endless_addresses: {
    why: "Crawlers spend their time in addresses without end, and see real pages later.",
    goal: "Let no link of the site lead into addresses without end",
    find: "Find what makes the addresses of the evidence: relative links without a leading slash, filters, calendars, or session ids.",
    steps: [
      "Make relative links absolute, and answer 404 for paths that repeat themselves.",
      "Keep sessions in cookies. Let calendars end where there are no entries.",
      "Do not link to combinations of filters, and disallow their parameters in robots.txt."
    ],
    never: "disallow the pages that the lists lead to"
  }
} satisfies GuidanceTable
