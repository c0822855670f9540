import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { names } from "../../src/app/node/Settings.ts"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import { isChoosable, Plan, projectsAtMost, scopes } from "../../src/features/accounts/Domain.ts"
import { retryDelays } from "../../src/features/webhooks/Domain.ts"
import { codes } from "../../src/foundation/http/ApiError.ts"
import * as cluster from "../cluster.ts"
import { suite } from "../harness.ts"

// The README's tables are made from the declarations: `UPDATE_README=1 bun test test/house/readme.test.ts` writes them anew.

const root = resolve(import.meta.dir, "../..")
/** The guide that has a table. */
const guideOf = {
  errors: "src/app/server/README.md",
  plans: "src/features/accounts/README.md",
  rendering: "src/crawl/README.md",
  retries: "src/features/webhooks/README.md",
  rules: "src/crawl/README.md",
  scopes: "src/features/accounts/README.md",
  settings: "src/app/node/README.md"
}
const it = suite(cluster.layer)

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

/** Every rule of a crawl with what it means, as the catalogue has it. */
const rules = table(
  ["rule", "category", "severity", "means"],
  catalogue.map(({ category, id, means, severity }) => [`\`${id}\``, category, severity, means.replaceAll("|", "\\|")])
)

const rendering = table(
  ["not assessed on a site that needs JavaScript"],
  [
    [
      catalogue
        .filter(({ needsRendering }) => needsRendering === true)
        .map(({ id }) => `\`${id}\``)
        .join(", ")
    ]
  ]
)

/** A delay in the largest unit that it is a whole number of. */
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

/** Every setting that the source reads, with its default and description as declared there; `node/Settings.ts` lists the same. */
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
  return table(
    ["variable", "default", "what it does"],
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, [fallback, text]]) => [`\`${name}\``, fallback, text])
  )
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
      "runs an hour",
      "runs at once",
      "pages a run",
      "keys",
      "looks a day",
      "projects"
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

describe("the README", () => {
  it("lists every error code", () => Effect.sync(() => check("errors", errors)))
  it("lists every delay between attempts at a delivery", () => Effect.sync(() => check("retries", retries)))
  it("lists every scope", () => Effect.sync(() => check("scopes", scopeRows)))
  it("lists every rule of a crawl", () => Effect.sync(() => check("rules", rules)))
  it("lists the rules that a site drawn by scripts keeps open", () => Effect.sync(() => check("rendering", rendering)))
  it("lists every plan with its limits", () => Effect.map(plans, (expected) => check("plans", expected)))
  it("lists every setting, each described", () => Effect.map(names, (listed) => check("settings", settings(listed))))
  it("explains every dependency", () =>
    Effect.sync(() => {
      const text = readFileSync(join(root, "README.md"), "utf8")
      const named = [...dependencies("package.json"), ...dependencies("test/peers/package.json")]
      expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
    }))
})
