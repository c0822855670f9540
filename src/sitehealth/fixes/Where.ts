import type { Category } from "../../crawl/report/Finding.ts"

/** How a fault of a category is found and repaired in code, whatever the rule: our own words, never a value of the site. */
export interface Where {
  readonly why: string
  /** Where its source is looked for. */
  readonly find: string
  /** What is done after the rule's own repair. */
  readonly after: string
}

export const whereOf: Readonly<Record<Category, Where>> = {
  availability: {
    why: "Visitors and search engines get nothing from a page that does not answer, and links to it are wasted.",
    find: "Find the route, rewrite, deployment rule or content entry that should serve each listed path.",
    after: "Request each listed URL, without cookies, and look at the status itself, not at what a browser shows."
  },
  redirects: {
    why: "Each redirect costs visitors time and crawlers a request, and a wrong one leads them away from the page that was meant.",
    find: "Find the rule that redirects: server or hosting configuration, middleware, framework redirects, or a meta refresh in a template.",
    after: "Follow each listed URL hop by hop, and correct links and sitemap entries that still name the old address."
  },
  indexability: {
    why: "What search engines are told not to index, or cannot read, does not appear in search results.",
    find: "Find the origin: a robots meta element in a template, an X-Robots-Tag header of the server, or a line of robots.txt.",
    after:
      "Make sure that the state is a mistake before you change it: staging, private and filter pages may be hidden on purpose. If it is intended, change nothing and say so."
  },
  canonicals: {
    why: "A canonical that is missing or wrong lets search engines choose another address, or drop the page.",
    find: "Find where the canonical of these pages is made: head template, SEO plugin or component, or a Link header of the server.",
    after: "Make it from the address at which the page is served, absolute and without tracking parameters."
  },
  content: {
    why: "Title, description, headings and text are what search engines show and what people choose a result by.",
    find: "Find the head template or layout of these routes, and where their content is edited.",
    after:
      "Write for each page what distinguishes it; one text for all pages only moves the fault to the rules about duplicates."
  },
  links: {
    why: "Crawlers and people reach pages through links; one that leads nowhere or says nothing is lost to both.",
    find: "Search templates, navigation, footers and content for the addresses and link texts of the evidence.",
    after: "Repair a link that stands in shared navigation once, where it is generated."
  },
  sitemaps: {
    why: "A sitemap tells search engines which pages to fetch; a wrong one makes them trust it less, or miss pages.",
    find: "Find what generates the sitemap: build step, framework route, plugin or static file; and the Sitemap line of robots.txt.",
    after:
      "Generate it from the pages that answer 200, may be indexed and are their own canonical; then fetch it and read it."
  },
  international: {
    why: "Language annotations that do not fit together are ignored, so people are shown the wrong language version.",
    find: "Find where lang and hreflang are made: the html element of the layout, the head template, or the sitemap.",
    after: "Check that each version names all versions, itself included, with absolute addresses that answer 200."
  },
  structured_data: {
    why: "Structured data that cannot be read earns no rich result.",
    find: "Find the template or plugin that writes the JSON-LD of these pages.",
    after: "Parse the block as JSON and compare its values with what the page shows."
  },
  security: {
    why: "Pages that load or link insecure addresses are marked as unsafe by browsers, or parts of them are blocked.",
    find: "Search templates, content, styles and server configuration for http:// addresses and for the redirect to https.",
    after: "Make sure that the https address answers before you change a reference to it."
  },
  performance: {
    why: "Large or slow pages are left by visitors and fetched less often by crawlers.",
    find: "Find what makes these answers large or slow: the query behind the route, inlined data, missing compression or caching.",
    after: "Measure before and after, three times each, and compare the medians."
  }
}
