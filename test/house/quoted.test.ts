import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { invocation } from "../../src/foundation/terminal/Terminal.ts"
import * as cluster from "../cluster.ts"
import { run } from "../command.ts"
import { serve } from "../crawl/site/Server.ts"
import { folder } from "../folder.ts"
import { suite } from "../harness.ts"
import { root } from "./rooms.ts"

// What guides quote of the command line is what the command line prints today.

/** Numbers that differ from crawl to crawl. */
const masked = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC, [\d.]+ s/g, "TIME")
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.-]+Z?/g, "TIME")
    .trimEnd()

const fence = /^```\w*\n([\s\S]*?)^```$/gm

/** A quoted command with the lines below it, up to the next one. */
interface Quote {
  readonly command: string
  readonly lines: ReadonlyArray<string>
}

/** All commands of a guide's blocks that quote their output. */
const quotesOf = (guide: string): ReadonlyArray<Quote> =>
  Array.from(readFileSync(join(root, "src/guides", guide), "utf8").matchAll(fence)).flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = "", ...lines] = text.trimEnd().split("\n")
        return { command, lines }
      })
  )

interface Printed {
  readonly code: number
  readonly stderr: string
  readonly stdout: string
}

/** Quoted lines that the output lacks in their order; `…` stands for any lines, and at the end of a line for its rest. */
const lacking = (lines: ReadonlyArray<string>, { code, stderr, stdout }: Printed): ReadonlyArray<string> => {
  const shown = masked(stdout + stderr).split("\n")
  if (code !== 0) shown.push(`[exit code ${code}]`)
  let at = 0
  return lines.map(masked).filter((line) => {
    if (line === "…" || line === "") return false
    const found = shown.findIndex(
      (one, index) =>
        index >= at && (line.endsWith("…") ? one.startsWith(line.slice(0, -1).trimEnd()) : one.trimEnd() === line)
    )
    if (found >= 0) at = found + 1
    return found === -1
  })
}

/** The words of a line, as a shell reads them. */
const wordsOf = (line: string) =>
  Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, single, double, bare]) => single ?? double ?? bare ?? "")

/** Runs the quoted commands of a guide in order, with other URLs and in a folder, `between` them changes the site; answers what each quote lacks. */
const heldBy = (
  quotes: ReadonlyArray<Quote>,
  urls: Readonly<Record<string, string>>,
  between: Readonly<Record<number, () => void>> = {}
) =>
  Effect.gen(function* () {
    const place = yield* folder
    const real = (text: string) => Object.entries(urls).reduce((all, [own, url]) => all.replaceAll(own, url), text)
    const own = (text: string) =>
      Object.entries(urls).reduce((all, [own, url]) => all.replaceAll(url, own), text.replaceAll(`${place}/`, ""))
    const found: Array<readonly [command: string, lacking: ReadonlyArray<string>]> = []
    for (const [index, { command, lines }] of quotes.entries()) {
      between[index]?.()
      const [line = "", file] = command.split(" > ")
      const words = wordsOf(line.replace(/\$\(printf (\S+) \| base64\)/, (_, text: string) => btoa(text)))
        .slice(1)
        .map((word) => (/^[\w.]+\.json$/.test(word) ? join(place, word) : real(word)))
      const { code, stderr, stdout } = yield* run(environment, ...words)
      if (file !== undefined) writeFileSync(join(place, file), stdout)
      const printed = { code, stderr: own(stderr), stdout: file === undefined ? own(stdout) : "" }
      found.push([command, lacking(lines, printed)])
    }
    return found.filter(([, lines]) => lines.length > 0)
  })

const page = (title: string, links: ReadonlyArray<string>) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><meta name="description" content="${title}: what we sell, and how to reach us."></head><body><h1>${title === "" ? "Ash" : title}</h1>${links
    .map((to) => `<a href="${to}">All about ${to.slice(1) || "us"}</a>`)
    .join("")}</body></html>`

const html = { "content-type": "text/html; charset=utf-8" }

/** A site of pages that may change, behind a password if it has one. */
const site = (pages: Readonly<Record<string, string>>, password?: string) =>
  serve(() => ({ headers, url = "" }, response) => {
    const isShut = password !== undefined && headers.authorization !== `Basic ${btoa(password)}`
    const body = pages[url]
    response.writeHead(isShut ? 401 : body === undefined ? 404 : 200, html)
    response.end(isShut ? "" : (body ?? "There is no such page"))
  })

/** Three pages: one links to a page that is gone, and one has no title. */
const shop = () => ({
  "/": page("Trees and shrubs", ["/oak", "/ash"]),
  "/ash": page("", ["/"]),
  "/oak": page("Oak", ["/", "/elm"])
})

const environment = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" }

describe("the command line prints what is quoted in", () => {
  const it = suite(cluster.layer, { timeout: 120_000 })

  it("the guide on fixes and rechecks", function* () {
    const pages = shop()
    const { origin } = yield* site(pages)
    const quotes = quotesOf("how-to/fix-and-recheck.md").filter(({ command }) => command.startsWith("findable "))
    expect(quotes).toHaveLength(8)
    const lacks = yield* heldBy(
      quotes,
      { "http://127.0.0.1:4173": origin },
      {
        2: () => void Object.assign(pages, { "/oak": page("Oak", ["/"]) }),
        3: () => void Object.assign(pages, { "/ash": page("Ash", ["/"]) }),
        7: () => void Object.assign(pages, { "/oak": page("Oak", ["/", "/elm"]) })
      }
    )
    expect(lacks).toEqual([])
  })

  it("the guide on gates in CI", function* () {
    const broken = shop()
    const pages = { ...broken, "/ash": page("Ash", ["/"]), "/oak": page("Oak", ["/"]) }
    const { origin } = yield* site(pages)
    const lacks = yield* heldBy(
      quotesOf("how-to/ci-gate.md"),
      { "http://127.0.0.1:9802": origin },
      {
        1: () => void Object.assign(pages, broken)
      }
    )
    expect(lacks).toEqual([])
  })

  it("the reference of the command line", function* () {
    const links = ["/docs/a", "/docs/b?print=1", "/blog/c"]
    const pages = { "/": page("Docs", links), "/docs/a": page("", ["/", "/shop"]), "/docs/b?print=1": page("B", ["/"]) }
    const [staging, other] = [yield* site(pages, "ci:secret"), yield* site({ "/": page("Other", []) })]
    const moved = yield* serve(() => (_, response) => {
      response.writeHead(301, { location: `${other.origin}/` })
      response.end()
    })
    const quotes = quotesOf("reference/command-line.md").filter(({ command }) => command.startsWith("findable crawl"))
    const urls = {
      "http://localhost:3001": moved.origin,
      "http://localhost:3999": other.origin,
      "http://localhost:4000": staging.origin
    }
    expect(yield* heldBy(quotes, urls)).toEqual([])
  })

  it("the guide of the terminal", function* () {
    const lacks = yield* heldBy(quotesOf("../foundation/terminal/README.md"), {
      "For help: findable": `For help: ${invocation}`
    })
    expect(lacks).toEqual([])
  })

  it("the reference of rankings", function* () {
    const place = yield* folder
    const own = { DATABASE_URL: yield* cluster.databaseUrl, FINDABLE_MASTER_KEY: btoa("0".repeat(32)) }
    yield* run(own, "accounts", "create", "--name", "Shop", "--plan", "starter")
    const made = yield* run(own, "projects", "create", "--url", "https://example.com", "--json")
    const { id } = JSON.parse(made.stdout)
    const head = "Date,Query,Page,Clicks,Impressions,Position"
    const file = (name: string, ...rows: ReadonlyArray<string>) => {
      writeFileSync(join(place, name), [head, ...rows, ""].join("\n"))
      return Effect.map(
        run(own, "rankings", "import", "--project", id, "--format", "gsc-csv", join(place, name)),
        ({ code, stderr, stdout }) => ({
          code,
          stderr: stderr.replaceAll(`${place}/`, ""),
          stdout: stdout.replaceAll(`${place}/`, "")
        })
      )
    }
    const rows = [5, 12].flatMap((day) =>
      ["shoes", "boots"].map(
        (query) => `2026-10-${day < 10 ? `0${day}` : day},${query},https://example.com/a,2,90,${day}`
      )
    )
    const october = yield* file("october.csv", ...rows)
    const [quote] = quotesOf("reference/rankings.md")
    expect(quote?.command).toBe("findable rankings import --project $PROJECT --format gsc-csv october.csv")
    expect([october.stderr, lacking(quote?.lines ?? [], october)]).toEqual(["", []])
    const bad = yield* file("bad.csv", ...rows, "2026-10-12,sandals,https://example.com/a,9,5,3")
    const text = readFileSync(join(root, "src/guides/reference/rankings.md"), "utf8")
    expect(text).toContain(bad.stderr)
  })
})
