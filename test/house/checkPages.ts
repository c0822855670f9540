import type { Category } from "../../src/crawl/report/Finding.ts"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import type { Rule } from "../../src/crawl/rules/Rule.ts"
import { exceptions } from "./exceptions.ts"

/** Lines of at most a hundred characters. */
export const wrapped = (text: string, indent = "") => {
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
    wrapped(wrong.join(" ")),
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
