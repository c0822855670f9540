import type { Category } from "../../src/crawl/report/Finding.ts"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import type { Rule } from "../../src/crawl/rules/Rule.ts"

/** The cases in which an issue of a check may be intended, which the crawl cannot know. */
const exceptions: Readonly<Record<string, string>> = {
  address_twins:
    "Both URLs may be wanted where another system links to one of them; then a canonical says which is the page.",
  ai_bots_blocked: "Blocking AI crawlers is a choice. If it is yours, ignore the issue: it takes no points.",
  blocked_but_linked: "Links to blocked URLs are normal for carts, searches and filters that no engine should crawl.",
  bot_challenge:
    "The firewall may let Google through by its IP addresses. Confirm with a URL inspection in Search Console.",
  canonical_cross_site: "It is right for syndicated content, where the original stands on the other site.",
  canonical_missing:
    "A site without duplicate URLs loses nothing. The canonical protects against URLs that others invent.",
  connection_lost: "One lost connection says little. Crawl again before you change anything.",
  content_duplicate: "Print versions and regional copies may be meant; a canonical or hreflang then says so.",
  content_near_duplicate:
    "Product variants and local pages resemble each other by nature. Check whether each serves a search of its own.",
  dead_end: "A landing page without links may be meant. Search engines find no way on from it.",
  description_missing: "Google often writes its own snippet, and for long-tail pages it may be better than yours.",
  endless_addresses:
    "Findable counts patterns of URLs. If every combination is a page that people search for, it is no issue.",
  external_link_broken: "Some sites return errors to crawlers and show the page to people. Open the link in a browser.",
  h1_multiple: "HTML allows it. If the headings are a clear outline, leave them.",
  hreflang_missing:
    "Findable compares URLs. Pages whose paths look like languages but are something else need no hreflang.",
  image_dimensions_missing: "A style sheet may keep the space; this crawl does not load style sheets.",
  image_heavy: "Large photos may be the content. Serve them resized and lazily loaded.",
  language_missing: "Search engines detect the language themselves; screen readers do not.",
  link_to_redirect: "Links to a redirect work. Fix them when you edit the page anyway, navigation first.",
  missing_page_answers_200:
    "An application that draws its routes by scripts often does this. Google sees a soft 404 on each.",
  mostly_hidden: "Members' areas and archives may be hidden on purpose. Then crawl the public part alone.",
  needs_javascript:
    "The crawl sees the HTML alone. If you render for crawlers on the server, check that this crawler gets it too.",
  noindex_file: "Files are often kept out of the index on purpose.",
  noindex_page: "Thank-you pages, searches and filters are often kept out of the index on purpose.",
  orphan_page: "Landing pages of campaigns may be without links on purpose; then leave them out of the sitemap.",
  page_deep: "Archives are deep by nature. Pages that should rank should not be.",
  page_not_in_sitemap: "A sitemap may list the important pages alone. Engines find linked pages without it.",
  page_timed_out: "The server may have been busy for a moment. Crawl again before you change anything.",
  rate_limited: "The limit may be for unknown crawlers alone. Check the server's log for Googlebot.",
  redirect_offsite: "It is right after a move to another domain.",
  redirect_temporary: "It is right for what is temporary: a sale, a language choice, a sign-in.",
  response_slow: "The time is measured from the crawler's machine. Compare with field data before you invest.",
  sitemap_lastmod_implausible: "A site that was published as a whole may have one date for all pages, once.",
  sitemap_missing: "A small site whose pages are all linked needs none.",
  soft_404:
    "It is inferred from texts and structure. A short page about errors can look like one: open each page first.",
  thin_content: "Contact pages, galleries and tools are short by nature. Words are a sign and not the goal.",
  title_duplicate: "Pages of a numbered sequence may share their title, and are left out of this check.",
  title_long: "Google cuts by width and not by letters. If the first words say it, a long title does no harm."
}

/** Wraps lines at a hundred characters. */
const wrapped = (text: string, indent = "") => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line === "") line = word
    else if (line.length + 1 + word.length <= 100) line = `${line} ${word}`
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line].join("\n")
}

const item = (mark: string, text: string) => wrapped(`${mark} ${text}`, " ".repeat(mark.length + 1))

const weights = { critical: "halves", warning: "takes 15 % of", info: "takes 3 % of" } as const

const costs = ({ isCharged, scope, severity }: Rule) => {
  if (isCharged === false) return "This issue takes no points."
  if (scope === "down") return "A page with this issue counts as 0 in the score."
  if (scope === "page") return `This issue ${weights[severity]} the value of each page that has it.`
  return "This issue lowers the score of the site as a whole."
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`

/** The page of a check, by its path from the folder of checks. */
export const pageOf = (rule: Rule): string => {
  const { category, fix, guidance, id, means, name = id, needsRendering, severity, source } = rule
  const wrong = [
    exceptions[id],
    needsRendering === true
      ? "On a site that needs JavaScript this check is not applicable, because the crawl runs no scripts."
      : undefined
  ].filter((text) => text !== undefined)
  return [
    `# ${name}`,
    `\`${id}\` · ${category.replace("_", " ")} · ${severity}`,
    wrapped(means),
    "## Why it matters",
    wrapped(
      `${guidance === undefined ? "" : `${guidance.why} `}${costs(rule)} [How the score works](../../explanation/score.md).`
    ),
    "## How to fix it",
    wrapped(fix),
    ...(guidance === undefined
      ? []
      : [
          [guidance.find, ...guidance.steps].map((text, index) => item(`${index + 1}.`, text)).join("\n"),
          wrapped(`Goal: ${sentence(guidance.goal)}`),
          wrapped(`Never ${guidance.never}.`)
        ]),
    "## When it is wrong",
    wrapped(
      wrong.length > 0
        ? wrong.join(" ")
        : "The check reports what the site says. Where that is meant, leave it; where the report is not what you see, open the details of the issue first."
    ),
    "## Source",
    wrapped(sentence(source)),
    wrapped("All checks: [table](README.md).")
  ].join("\n\n")
}

const categories: Readonly<Record<Category, string>> = {
  availability: "Availability",
  redirects: "Redirects",
  indexability: "Indexability",
  canonicals: "Canonicals",
  content: "Content",
  links: "Links",
  sitemaps: "Sitemaps",
  international: "Languages",
  performance: "Performance",
  structured_data: "Structured data",
  security: "Security"
}

/** The table of all checks, by category. */
export const checksByCategory = (
  table: (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => string
) =>
  Object.entries(categories)
    .map(([category, title]) => {
      const rows = catalogue
        .filter((rule) => rule.category === category)
        .map(({ id, means, name = id, severity }) => [
          `[${name}](${id}.md)`,
          severity,
          `\`${id}\``,
          means.replaceAll("|", "\\|")
        ])
      return `## ${title}\n\n${table(["check", "severity", "id", "what it means"], rows)}`
    })
    .join("\n\n")

export const exceptionsWithoutCheck = Object.keys(exceptions).filter((id) => !catalogue.some((rule) => rule.id === id))
