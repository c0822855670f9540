import { describe, expect } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { names } from "../../src/app/node/Settings.ts"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import { isChoosable, Plan, projectsAtMost, scopes } from "../../src/features/accounts/Domain.ts"
import { retryDelays } from "../../src/features/webhooks/Domain.ts"
import { codes } from "../../src/foundation/http/ApiError.ts"
import { helpOf } from "../../src/foundation/terminal/CommandLine.ts"
import * as cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { helpPages } from "../help.ts"
import { strayWords } from "../words.ts"
import { checksByCategory, pageOf } from "./checkPages.ts"
import { commandsByGroup } from "./commands.ts"
import { exceptions } from "./exceptions.ts"

// Declarations generate the README's tables: `UPDATE_README=1 bun test test/house/readme.test.ts` writes them.

const root = resolve(import.meta.dir, "../..")
const reference = "src/guides/reference"
/** The guide that has a table. */
const guideOf = {
  commands: `${reference}/commands.md`,
  errors: `${reference}/api.md`,
  plans: `${reference}/accounts.md`,
  rendering: "src/guides/explanation/crawler.md",
  retries: `${reference}/webhooks.md`,
  rules: `${reference}/checks/README.md`,
  scopes: `${reference}/accounts.md`,
  settings: `${reference}/settings.md`
}
const it = suite(cluster.layer, { timeout: 60_000 })

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number>>) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const errors = table(
  ["code", "status", "when"],
  Object.entries(codes).map(([code, { meaning, status }]) => [`\`${code}\``, status, meaning])
)

const scopeRows = table(
  ["scope", "grants", "by name"],
  Object.entries(scopes).map(([scope, grant]) => [`\`${scope}\``, grant, isChoosable(scope) ? "yes" : "no"])
)

/** Every check of a crawl with its meaning, from the catalogue. */
const rules = checksByCategory(table)

const rendering = table(
  ["not applicable on a site that needs JavaScript"],
  [
    [
      catalogue
        .filter(({ needsRendering }) => needsRendering === true)
        .map(({ id }) => `\`${id}\``)
        .join(", ")
    ]
  ]
)

/** A delay in the largest unit that divides it. */
const duration = (milliseconds: number) => {
  const units = [
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1000]
  ] as const
  const [name, size] = units.find(([, size]) => milliseconds % size === 0) ?? ["ms", 1]
  return `${milliseconds / size} ${name}`
}

const retries = table(
  ["after failed attempt", ...retryDelays.map((_, index) => `${index + 1}`), `${retryDelays.length + 1}`],
  [["next attempt after", ...retryDelays.map(duration), "none: `failed`"]]
)

/** A default as a person would set it. */
const asText = (expression: string) =>
  expression
    .replace(/ as const$/, "")
    .replace(/^new URL\("(.*)"\)$/, "$1")
    .replace(/^Duration\.(\w+)\((\d+)\)$/, "$2 $1")
    .replace(/^LogLevel\.(\w+)$/, (_, level: string) => level.toLowerCase())
    .replace(/^"(.*)"$/, "$1")

/** Settings by purpose, the essential ones first. Each group takes the settings that earlier groups left. */
const groups: ReadonlyArray<readonly [title: string, names: RegExp]> = [
  ["Essential", /^(?:DATABASE_URL|FINDABLE_(?:DATA_DIR|FIRST_KEY_FILE|HOST|MASTER_KEY|PORT|PUBLIC_URL))$/],
  ["Network and security", /TRUSTED_PROXIES|CORS_ORIGINS|PRIVATE_NETWORKS|OLD_MASTER_KEY/],
  ["Processes and load", /ROLE|REUSE_PORT|AT_ONCE|NICENESS|READ_TIMEOUT|IMPORT_MAX_BYTES/],
  ["Database", /DATABASE|PREPARED/],
  ["What is kept", /RETENTION/],
  ["Logs and traces", /LOG|OTLP|TRACE/],
  ["Crawls, audits and backlinks", /CRAWLER|AUDIT|PSI|CHROME|BACKLINK|RENDER/],
  ["Search Console and rankings", /SEARCH_CONSOLE|GOOGLE|RANKING/],
  ["AI visibility", /GEO|ANTHROPIC|OPENAI|PERPLEXITY|XAI/],
  ["Interventions", /GITHUB/],
  ["Commands that ask a server", /FINDABLE_(?:API_KEY|URL)/]
]

/** Every setting in the source, with its declared default and description; `node/Settings.ts` lists the same. */
const settings = (listed: ReadonlyArray<string>) => {
  const sources = readdirSync(join(root, "src"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, "src", name), "utf8"))
  const found = new Map<string, readonly [fallback: string, description: string]>()
  for (const text of sources) {
    for (const { index, 1: setting = "" } of text.matchAll(/"((?:FINDABLE_|CHROME_|DATABASE_)[A-Z_]+)"/g)) {
      const declaration = /^[\s\S]*?withDescription\(\s*"([^"]+)"/.exec(text.slice(index, index + 1500))
      if (declaration === null) continue
      const fallback = /withDefault\((.*)\),?\n/.exec(declaration[0])?.[1]
      const shown = fallback === undefined || asText(fallback) === "" ? "" : `\`${asText(fallback)}\``
      found.set(setting, [shown, declaration[1] ?? ""])
    }
  }
  const all = new Set(sources.flatMap((text) => text.match(/(?<=")(?:FINDABLE_|CHROME_|DATABASE_)[A-Z_]+(?=")/g) ?? []))
  expect([...all].filter((name) => !found.has(name))).toEqual([])
  expect([...found.keys()].sort()).toEqual([...listed])
  const groupOf = (name: string) => groups.find(([, names]) => names.test(name))?.[0]
  expect([...found.keys()].filter((name) => groupOf(name) === undefined)).toEqual([])
  return groups
    .map(([title]) => {
      const rows = [...found].filter(([name]) => groupOf(name) === title).sort(([a], [b]) => (a < b ? -1 : 1))
      const cells = rows.map(([name, [fallback, text]]) => [`\`${name}\``, fallback, text])
      return `## ${title}\n\n${table(["variable", "default", "what it does"], cells)}`
    })
    .join("\n\n")
}

const plans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<
    Record<string, string | number>
  >`SELECT * FROM plans ORDER BY requests_per_minute, pages_per_run, id`
  return table(
    [
      "plan",
      "requests a minute",
      "a second",
      "crawls an hour",
      "crawls at a time",
      "pages a crawl",
      "keys",
      "rechecks of backlinks a day",
      "sites"
    ],
    rows.map((row) => [
      `\`${row.id}\``,
      ...Object.values(row).slice(1),
      projectsAtMost[Schema.decodeUnknownSync(Plan)(row.id)]
    ])
  )
})

const dependencies = (file: string) => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, file), "utf8"))
  return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
}

const check = (name: keyof typeof guideOf, expected: string) => {
  const file = join(root, guideOf[name])
  const text = readFileSync(file, "utf8")
  const block = new RegExp(`(<!-- ${name} -->\n)(?:(?!<!--)[\\s\\S])*?(\n<!-- / -->)`)
  if (process.env.UPDATE_README === "1")
    writeFileSync(
      file,
      text.replace(block, (_, open, close) => `${open}${expected}${close}`)
    )
  expect(block.exec(readFileSync(file, "utf8"))?.[0]).toBe(`<!-- ${name} -->\n${expected}\n<!-- / -->`)
}

/** A complete page, written or compared. */
const checkPage = (name: string, expected: string) => {
  const file = join(root, reference, "checks", name)
  if (process.env.UPDATE_README === "1") {
    mkdirSync(join(root, reference, "checks"), { recursive: true })
    writeFileSync(file, expected)
  }
  expect([name, readFileSync(file, "utf8")]).toEqual([name, expected])
}

describe("the guides", () => {
  it("have a page for each check of a crawl, and no others", () =>
    Effect.sync(() => {
      expect(Object.keys(exceptions).toSorted()).toEqual(catalogue.map(({ id }) => id).toSorted())
      for (const rule of catalogue) checkPage(`${rule.id}.md`, `${pageOf(rule)}\n`)
      const names = readdirSync(join(root, reference, "checks")).toSorted()
      expect(names).toEqual(["README.md", ...catalogue.map(({ id }) => `${id}.md`)].toSorted())
    }))
  it("say when a check is wrong in terms of the glossary", () =>
    Effect.sync(() => expect(Object.values(exceptions).flatMap((text) => strayWords(text))).toEqual([])))
  it("list every command with its arguments, options and exit codes", () =>
    Effect.map(helpPages, (pages) => check("commands", commandsByGroup(pages, table))))
  it("lead from each task to its commands, and leave none out", () =>
    Effect.map(helpPages, (pages) => {
      const text = readFileSync(join(root, reference, "command-line.md"), "utf8")
      const unlinked = pages
        .filter(({ known, path }) => path.length > 0 && helpOf(path, known).commands.length === 0)
        .map(({ path }) => `commands.md#${path.join("-")}`)
        .filter((link) => !text.includes(`](${link})`))
      expect(unlinked).toEqual([])
    }))
  it("list every error code", () => Effect.sync(() => check("errors", errors)))
  it("list every delay between attempts at a delivery", () => Effect.sync(() => check("retries", retries)))
  it("list every scope", () => Effect.sync(() => check("scopes", scopeRows)))
  it("list every check of a crawl", () => Effect.sync(() => check("rules", rules)))
  it("list the checks that are not applicable on a site that needs JavaScript", () =>
    Effect.sync(() => check("rendering", rendering)))
  it("list every plan with its limits", () => Effect.map(plans, (expected) => check("plans", expected)))
  it("list every setting with its description", () =>
    Effect.map(names, (listed) => check("settings", settings(listed))))
  it("explain every dependency", () =>
    Effect.sync(() => {
      const text = readFileSync(join(root, ".github/CONTRIBUTING.md"), "utf8")
      const named = [...dependencies("package.json"), ...dependencies("test/peers/package.json")]
      expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
    }))
})
