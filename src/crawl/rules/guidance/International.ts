import type { GuidanceTable } from "./Guidance.ts"

const find =
  "Find where hreflang is made: head template, SEO plugin, Link header or sitemap, and the list of languages that it reads."

/** Languages and their versions. */
export const international = {
  hreflang_invalid: {
    why: "An annotation that engines cannot read is ignored, and people are shown the wrong language.",
    goal: "Write every hreflang of the listed pages as a language with an optional region, and its address in full",
    find,
    steps: [
      "Use ISO 639-1 for the language and ISO 3166-1 for the region: en-GB for British English, ja for Japanese, zh-Hant for the script.",
      "Map the site's own names of languages to these in one place.",
      "Write absolute addresses, and x-default for the page that serves everybody else."
    ],
    never: "use a country alone as a language"
  },
  hreflang_conflicting: {
    why: "With two addresses for one language engines use neither.",
    goal: "Give each language one address on each listed page",
    find: `${find} Two of them write annotations here, or two entries have the same code.`,
    steps: [
      "List all annotations of the page with their origin.",
      "Keep one place that writes them.",
      "Name the region too (en-GB, en-US) where both pages are meant."
    ],
    never: "give two languages one address to get rid of the conflict"
  },
  hreflang_self_missing: {
    why: "Engines expect the set of versions to be complete on each page, itself included.",
    goal: "Let each listed page name itself among its versions",
    find,
    steps: [
      "Do not leave out the current language where the list is written.",
      "Write the same list, in the same order, on all versions."
    ],
    never: "replace the canonical by it"
  },
  hreflang_no_return: {
    why: "Without the return engines ignore the pair.",
    goal: "Let every version of the listed pages name all versions",
    find,
    steps: [
      "Make the list once for each page, from its translations, and write it on all of them.",
      "Check addresses of both sides letter by letter: scheme, host, slash.",
      "Leave out languages in which the page does not exist."
    ],
    never: "remove annotations of versions that exist"
  },
  hreflang_to_unindexable: {
    why: "A version that redirects, fails or may not be indexed is dropped from the set.",
    goal: "Let every hreflang of the listed pages name a page that answers 200, may be indexed, and is its own canonical",
    find,
    steps: [
      "Request each address in the evidence and see what it answers.",
      "Write the address at which the version is served, or leave the language out where it has none.",
      "Let the canonical of a version name itself, not the version in the main language."
    ],
    never: "point all languages at the start page"
  },
  language_missing: {
    why: "Translators and screen readers guess the language, and guess wrong.",
    goal: "Name the language of each listed page on its html element",
    find: "Find the layout that writes the html element, and where the language of a page is known.",
    steps: [
      'Write lang with the code of the content\'s language, such as lang="en".',
      "On a site with several languages take it from the page, not from a constant."
    ],
    never: "write the language of the site on pages in another one"
  }
} satisfies GuidanceTable
