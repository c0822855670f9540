import type { GuidanceTable } from "./Guidance.ts"

const find =
  "Find what generates the sitemap: build step, framework route, plugin or static file; and the Sitemap line of robots.txt."
const again = "Generate the sitemap again, fetch it as it is served, and read it."
const source = "Let the generator take only pages that answer 200, may be indexed, and are their own canonical."

/** Sitemaps and what they list. */
export const sitemaps = {
  sitemap_missing: {
    why: "Pages that are linked badly may never be found, and changes are seen later.",
    goal: "Publish a sitemap of the pages that should be found",
    find: "Find how the site is built: most frameworks and systems have a sitemap generator or plugin.",
    steps: [
      "Generate /sitemap.xml in the build or by a route, with absolute addresses.",
      source,
      "Name it in robots.txt: Sitemap: and its full address."
    ],
    never: "write the list by hand where pages come and go"
  },
  sitemap_invalid: {
    why: "Engines skip entries, or the whole file, when it does not follow the protocol.",
    goal: "Make the sitemap readable in full",
    find,
    steps: [
      "Correct the problems that the evidence names: mostly unescaped &, a missing namespace, output before the XML declaration, or HTML in its place.",
      "Split files above 50,000 addresses or 50 MB, and list them in an index.",
      again
    ],
    never: "drop the entries that cannot be written correctly without knowing why"
  },
  sitemap_values_invalid: {
    why: "Dates that cannot be read are ignored, so changed pages are fetched later.",
    goal: "Write lastmod, priority and changefreq so that they can be read, or leave them away",
    find,
    steps: [
      "Write lastmod as 2024-05-31 or 2024-05-31T10:00:00+00:00, from the date at which the content changed.",
      "Write priority as 0.0 to 1.0 and changefreq as one of the seven words, or leave both away: most engines ignore them.",
      again
    ],
    never: "set lastmod of all pages to the time of the build"
  },
  sitemap_named_but_absent: {
    why: "Engines look for a file that does not exist, and nothing of the kind is read.",
    goal: "Make every sitemap that is named answer, or name it no more",
    find,
    steps: [
      "Request the address that is named and see why it fails: wrong host, path, or a build that does not publish it.",
      "Publish the file there, or correct or remove the line.",
      "Check addresses inside of a sitemap index too."
    ],
    never: "publish an empty sitemap"
  },
  sitemap_foreign_urls: {
    why: "Engines ignore addresses of other hosts in a sitemap.",
    goal: "List only addresses of the sitemap's own host",
    find: `${find} A base address of staging, of http, or without www is the usual origin.`,
    steps: [
      "Set the generator's base address to the one at which the site is served.",
      "Move addresses of other hosts into sitemaps of their own there.",
      again
    ],
    never: "redirect the other host only for the sitemap's sake"
  },
  sitemap_lists_errors: {
    why: "Engines trust a sitemap less when it lists what is not there.",
    goal: "List no page that answers an error",
    find,
    steps: [
      "Restore or redirect pages that went by mistake.",
      "Take the others out of what the generator reads: drafts, deleted records, old routes.",
      again
    ],
    never: "let missing pages answer 200"
  },
  sitemap_lists_redirects: {
    why: "Engines are sent to addresses that are not pages.",
    goal: "List the addresses at which the pages are served",
    find: `${find} Scheme, host (www) and trailing slash of its addresses mostly differ from the server's.`,
    steps: [
      "Set base address and slash of the generator as the server wants them.",
      "List the targets of moved pages.",
      again
    ],
    never: "remove the redirects"
  },
  sitemap_lists_noindex: {
    why: "The sitemap asks engines to index what the page forbids.",
    goal: "List no page that asks not to be indexed",
    find: `${find} And the origin of noindex on the listed pages.`,
    steps: [
      "Decide for each page whether it should be found.",
      "If so, remove its noindex. If not, let the generator leave such pages out.",
      again
    ],
    never: "remove noindex from all of them at once"
  },
  sitemap_lists_canonicalised: {
    why: "The sitemap names copies, where the pages themselves name their original.",
    goal: "List the canonical pages only",
    find,
    steps: [
      "Check that the canonicals of the listed pages are right.",
      "Let the generator leave out pages whose canonical is another, and list that one.",
      again
    ],
    never: "change canonicals to suit the sitemap"
  },
  sitemap_lists_blocked: {
    why: "The sitemap asks engines to fetch what robots.txt forbids.",
    goal: "List only addresses that robots.txt allows",
    find: `${find} And the line of robots.txt that forbids the listed addresses.`,
    steps: [
      "Decide for each address whether it should be crawled.",
      "If so, narrow the rule. If not, let the generator leave it out.",
      again
    ],
    never: "remove a Disallow that protects private pages"
  },
  page_not_in_sitemap: {
    why: "Pages outside of the sitemap are found and refreshed later.",
    goal: "List each listed page in the sitemap",
    find,
    steps: [
      "Find out why the generator misses the pages: a content type, a route, a date or a language that it does not read.",
      "Add that source.",
      source,
      again
    ],
    never: "add the addresses by hand to a generated file"
  }
} satisfies GuidanceTable
