import type { Category, PagePlace, Severity } from "../report/Finding.ts"
import type { Changeable } from "../report/Rendering.ts"
import { basics, byScripts, differenceOn, perRendered } from "./Rendering.ts"
import type { Guidance, Rule } from "./Rule.ts"
import { quoted } from "./Targets.ts"

const find =
  "Compare the HTML that the server sends with the page in a browser, and find the script or component that writes the value."

interface Change {
  readonly id: string
  readonly name: string
  readonly category: Category
  readonly severity: Severity
  readonly what: Changeable
  /** Whether the rule is about values that raw HTML lacks, or about those that it has. */
  readonly of: "added" | "changed"
  readonly means: string
  readonly fix: string
  readonly guidance: Guidance
  readonly place: PagePlace
  readonly markup: string
}

/** A rule about one value of a page that its scripts add or change. */
const change = ({ markup, of, place, what, ...text }: Change): Rule =>
  perRendered({ ...text, source: basics }, (page, scripted) => {
    const found = differenceOn(page, what)
    if (found === null || (found.raw === null) !== (of === "added")) return null
    const after = found.rendered === null ? "nothing" : quoted(found.rendered)
    const detail =
      found.raw === null ? `after scripts: ${after}` : `${quoted(found.raw)} in HTML, ${after} after scripts`
    return byScripts(scripted, detail, { markup, place })
  })

/** The two rules on a short text of a page. */
const pair = (
  what: "description" | "h1" | "title",
  label: string,
  place: PagePlace,
  markup: string
): ReadonlyArray<Rule> => [
  change({
    id: `${what}_changed_by_script`,
    name: `JavaScript changes the ${label}`,
    category: "content",
    severity: "info",
    what,
    of: "changed",
    place,
    markup,
    means: `The ${label} of these pages differs between the HTML and the page after scripts.`,
    fix: `Send the final ${label} in the HTML.`,
    guidance: {
      why: `Google uses the ${label} after rendering. Link previews and engines that do not render use the one in the HTML.`,
      goal: `Send the same ${label} in the HTML as scripts set`,
      find,
      steps: [
        `Write the final ${label} on the server or in the build.`,
        "Let the script change it only when the visitor moves to another route."
      ],
      never: "send a placeholder and rely on the script"
    }
  }),
  change({
    id: `${what}_only_rendered`,
    name: `Only JavaScript adds the ${label}`,
    category: "content",
    severity: "info",
    what,
    of: "added",
    place,
    markup,
    means: `The HTML of these pages has no ${label}. A script adds it.`,
    fix: `Send the ${label} in the HTML.`,
    guidance: {
      why: `Google reads the ${label} after rendering. Link previews and engines that do not render find none.`,
      goal: `Send the ${label} of the listed pages in the HTML`,
      find,
      steps: [`Render the ${label} on the server or in the build.`, "Check the HTML of each route without a browser."],
      never: "send the same text for every route"
    }
  })
]

/** Values of pages that only their scripts set, or that their scripts change. */
export const renderedMeta: ReadonlyArray<Rule> = [
  change({
    id: "canonical_changed_by_script",
    name: "JavaScript changes the canonical",
    category: "canonicals",
    severity: "critical",
    what: "canonical",
    of: "changed",
    place: "head",
    markup: '<link rel="canonical">',
    means: "A script changes, doubles or removes the canonical that the HTML of these pages has.",
    fix: "Send the right canonical in the HTML, and leave it alone in scripts.",
    guidance: {
      why: "Search engines get two canonicals for one page and may index the wrong URL.",
      goal: "Send one canonical in the HTML that scripts do not change",
      find: "Find the template that writes the canonical, and the script or tag manager that changes it.",
      steps: [
        "Decide which URL is canonical for each listed page.",
        "Write that URL on the server or in the build.",
        "Remove the code that adds, changes or removes the canonical in the browser."
      ],
      never: "set a second canonical to overrule the first"
    }
  }),
  change({
    id: "canonical_only_rendered",
    name: "Only JavaScript adds the canonical",
    category: "canonicals",
    severity: "info",
    what: "canonical",
    of: "added",
    place: "head",
    markup: '<link rel="canonical">',
    means: "The HTML of these pages has no canonical. A script adds it.",
    fix: "Send the canonical in the HTML.",
    guidance: {
      why: "Google reads a canonical after rendering but recommends to send it in the HTML. Other engines may miss it.",
      goal: "Send the canonical of the listed pages in the HTML",
      find,
      steps: [
        "Write the canonical on the server or in the build, with the full URL of the route.",
        "Check the HTML of each route without a browser."
      ],
      never: "send the canonical of the start page for every route"
    }
  }),
  ...pair("title", "title", "head", "<title>"),
  ...pair("description", "meta description", "head", '<meta name="description">'),
  ...pair("h1", "main heading", "main", "<h1>"),
  perRendered(
    {
      id: "content_only_rendered",
      name: "Content only after JavaScript",
      category: "content",
      severity: "warning",
      means: "At least 50 words of these pages, more than a tenth of the HTML's text, appear only after scripts.",
      fix: "Send the main content in the HTML, by server rendering or static generation.",
      source: basics,
      guidance: {
        why: "Google indexes this content later, after rendering. Many other engines and AI crawlers never see it.",
        goal: "Send the main content of the listed pages in the HTML",
        find: "Find how the page is rendered: the entry HTML, the client-side router and the framework's rendering mode.",
        steps: [
          "Turn on server rendering or static generation for public routes.",
          "Load the data of the page on the server, and let scripts hydrate it.",
          "Compare the words of the HTML with the words in a browser."
        ],
        never: "serve different HTML to crawlers than to visitors"
      }
    },
    (page, scripted) => {
      const found = differenceOn(page, "words")
      if (found === null || scripted.wordsOnlyRendered === 0) return null
      const detail = `${found.raw ?? 0} words in HTML, ${found.rendered ?? 0} after scripts`
      return byScripts(scripted, detail, { markup: "<body>", place: "main" })
    }
  ),
  change({
    id: "hreflang_only_rendered",
    name: "Only JavaScript adds hreflang",
    category: "international",
    severity: "warning",
    what: "hreflang",
    of: "added",
    place: "head",
    markup: '<link rel="alternate" hreflang>',
    means: "The HTML of these pages has no hreflang. A script adds it.",
    fix: "Send hreflang in the HTML, in headers or in the sitemap.",
    guidance: {
      why: "Search engines may not see the language versions, or see them late and without the links back.",
      goal: "Send the hreflang links of the listed pages in the HTML",
      find,
      steps: [
        "Write the hreflang links on the server, or list them in the sitemap.",
        "Check that each language version links back."
      ],
      never: "leave hreflang to a tag manager"
    }
  }),
  change({
    id: "hreflang_changed_by_script",
    name: "JavaScript changes hreflang",
    category: "international",
    severity: "info",
    what: "hreflang",
    of: "changed",
    place: "head",
    markup: '<link rel="alternate" hreflang>',
    means: "The hreflang links of these pages differ between the HTML and the page after scripts.",
    fix: "Send the final hreflang links in the HTML.",
    guidance: {
      why: "Search engines get two lists of language versions for one page.",
      goal: "Send the same hreflang links in the HTML as scripts leave",
      find,
      steps: [
        "Decide which language versions exist, and write them on the server.",
        "Remove the script that changes the links."
      ],
      never: "keep two sources of hreflang"
    }
  }),
  perRendered(
    {
      id: "structured_data_only_rendered",
      name: "Structured data only after JavaScript",
      category: "structured_data",
      severity: "info",
      means: "Types of structured data on these pages appear only after scripts.",
      fix: "Send structured data in the HTML, above all for products.",
      source: "Google Search Central, Generate structured data with JavaScript",
      guidance: {
        why: "Google reads it after rendering, which is slower and less reliable for products. Others may miss it.",
        goal: "Send the structured data of the listed pages in the HTML",
        find: "Search the scripts and the tag manager for application/ld+json and schema.org.",
        steps: [
          "Write the JSON-LD on the server or in the build, from the same data as the page.",
          "Test a listed page with the Rich Results Test."
        ],
        never: "describe content that the page does not show"
      }
    },
    (_, scripted) =>
      scripted.typesOnlyRendered.length === 0
        ? null
        : byScripts(scripted, `only after scripts: ${scripted.typesOnlyRendered.slice(0, 20).join(", ")}`, {
            markup: '<script type="application/ld+json">',
            place: "head"
          })
  )
]
