import { describe, expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parseHTML } from "linkedom"
import { suite } from "../../harness.ts"
import { browser, delays, impatient, oracles, patient, shown, siteOf } from "./oracle.ts"

const isThere = existsSync(oracles)
if (browser === null)
  console.warn(
    "Skipped: rendering by a browser, since this machine has none (apt-get install chromium-headless-shell)."
  )
if (!isThere) console.warn("Skipped: pages of ../shared/oracles/rendering, which is not there.")

const Expected = Schema.Struct({
  title: Schema.optional(Schema.String),
  h1: Schema.optional(Schema.String),
  canonical: Schema.optional(Schema.NullOr(Schema.String)),
  robots: Schema.optional(Schema.String),
  links: Schema.optional(Schema.Array(Schema.String)),
  noLinks: Schema.optional(Schema.Array(Schema.String)),
  never: Schema.optional(Schema.Array(Schema.String)),
  text: Schema.optional(Schema.String),
  noText: Schema.optional(Schema.String),
  redirect: Schema.optional(Schema.String),
  error: Schema.optional(Schema.String),
  failed: Schema.optional(Schema.String),
  maxRequests: Schema.optional(Schema.Number),
  neverRequested: Schema.optional(Schema.Array(Schema.String))
})
type Expected = typeof Expected.Type

const read = <A, I>(file: string, schema: Schema.Schema<A, I>): A =>
  Schema.decodeUnknownSync(Schema.parseJson(schema))(readFileSync(join(oracles, file), "utf8"))

const pathOf = (address: string | null | undefined) =>
  address === null || address === undefined ? null : new URL(address, "http://site.test/").pathname

/** What a document says, as far as the expectations name it; shadow roots are read as they are written. */
const factsOf = (html: string, expected: Expected) => {
  const { document } = parseHTML(html)
  const all = (selector: string) => [...document.querySelectorAll(selector)]
  const markup = html.replace(/<script\b.*?<\/script>/gs, "")
  const links = [...markup.matchAll(/<a\s[^>]*href="([^"#]*)"/g)].map(([, address]) => pathOf(address))
  const text = document.body.textContent ?? ""
  const has = (wanted: ReadonlyArray<string>) => wanted.filter((link) => links.includes(link))
  return {
    title: document.title,
    h1: all("h1")[0]?.textContent ?? null,
    canonical: pathOf(all("link[rel=canonical]")[0]?.getAttribute("href")),
    robots: all("meta[name=robots]")[0]?.getAttribute("content") ?? null,
    links: has(expected.links ?? []),
    noLinks: has(expected.noLinks ?? []),
    never: has(expected.never ?? []),
    text: text.includes(expected.text ?? ""),
    noText: expected.noText !== undefined && text.includes(expected.noText)
  }
}

/** The same figures as they are wanted; what is not named is taken from the document. */
const wanted = (expected: Expected, facts: ReturnType<typeof factsOf>) => ({
  ...facts,
  ...("title" in expected ? { title: expected.title } : {}),
  ...("h1" in expected ? { h1: expected.h1 } : {}),
  ...("canonical" in expected ? { canonical: expected.canonical ?? null } : {}),
  ...("robots" in expected ? { robots: expected.robots } : {}),
  links: [...(expected.links ?? [])],
  noLinks: [],
  never: [],
  text: true,
  noText: false
})

/** The page as expected. Crawls of the same pages show that other delays give the same bytes (`Oracle.test.ts`). */
const check = (site: ReturnType<typeof siteOf>, path: string, expected: Expected) =>
  Effect.gen(function* () {
    const { asked, result } = yield* shown(site, path, delays[0])
    if (result._tag === "Left") throw new Error(`${path}: ${result.left.reason}`)
    const { right } = result
    const facts = factsOf(right.html, expected)
    expect(facts).toEqual(wanted(expected, facts))
    expect(pathOf(right.redirect)).toBe(expected.redirect ?? null)
    if (expected.error === undefined) expect(right.errors).toEqual([])
    else expect(right.errors.join("\n")).toContain(expected.error)
    expect(right.requests).toBeLessThanOrEqual(expected.maxRequests ?? 150)
    expect(asked.filter((path) => expected.neverRequested?.includes(path))).toEqual([])
  })

const runs = browser !== null && isThere
const ifPossible = runs ? describe : describe.skip

ifPossible("pages that scripts change", () => {
  const pages = runs ? read("differences/expected.json", Schema.Record({ key: Schema.String, value: Expected })) : {}
  const site = siteOf(join(oracles, "differences"), false)
  const test = suite(patient, { timeout: 240_000 })
  for (const [path, expected] of Object.entries(pages))
    if (expected.failed === undefined)
      test.concurrent(`${path} is rendered as expected`, () => check(site, path, expected))

  const bounded = suite(impatient, { timeout: 120_000 })
  for (const [path, expected] of Object.entries(pages))
    if (expected.failed !== undefined)
      bounded(`${path} fails by its deadline, and the next page does not`, function* () {
        const { result } = yield* shown(site, path, delays[0])
        expect(result._tag === "Left" ? result.left.reason : "rendered").toBe("time")
      })
})

/** Pages of our own: HTML by host and path. */
const own = (pages: Readonly<Record<string, string>>) => (url: URL) => ({
  body: new TextEncoder().encode(pages[`${url.hostname}${url.pathname}`] ?? ""),
  headers: [
    ["content-type", "text/html; charset=utf-8"],
    ["access-control-allow-origin", "*"]
  ] as const,
  status: 200
})

const ifBrowser = browser === null ? describe.skip : describe

ifBrowser("a page", () => {
  const test = suite(patient, { timeout: 240_000 })

  /** The HTML of a page, which is the same with other delays, and what was refused. */
  const alike = (site: ReturnType<typeof own>) =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.forEach(delays, (delay) => shown(site, "/", delay))
      expect(second?.result).toEqual(first?.result)
      if (first?.result._tag !== "Right") throw new Error("The page was not rendered.")
      return first.result.right
    })

  test("gets answers in the order in which it asked", function* () {
    const site = own({
      "site.test/": `<body><script>
        for (const name of ["a", "bb", "ccc", "dddd"])
          fetch("/" + name).then(() => document.body.append(document.createElement("p"), name))
      </script>`
    })
    expect((yield* alike(site)).html).toContain("<p></p>a<p></p>bb<p></p>ccc<p></p>dddd")
  })

  test("shares its clock with frames of other sites", function* () {
    const site = own({
      "site.test/": `<body><iframe src="http://other.test/frame"></iframe><script>
        addEventListener("message", ({ data }) => document.body.append(data))
      </script>`,
      "other.test/frame": `<script>setTimeout(() => parent.postMessage("hello", "*"), 1000)</script>`
    })
    expect((yield* alike(site)).html).toContain("hello")
  })

  test("has its windows closed, and what would change a server refused", function* () {
    const site = own({
      "site.test/": `<body><script>
        window.open("/window")
        fetch("/post", { body: "x", method: "POST" }).catch(() => document.body.append(["no", "post"].join(" ")))
      </script>`
    })
    const { html, refused, requests } = yield* alike(site)
    expect(html).toContain("no post")
    expect(refused).toEqual([{ url: "http://site.test/post", why: "method" }])
    expect(requests).toBe(0)
  })
})

ifPossible("applications of one page", () => {
  const Application = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  const applications = runs ? read("spa/expected.json", Schema.Record({ key: Schema.String, value: Application })) : {}
  const test = suite(patient, { timeout: 240_000 })
  for (const [name, pages] of Object.entries(applications)) {
    const site = siteOf(join(oracles, "spa", name), true)
    // Crawls see the titles and headings of all pages (`Oracle.test.ts`).
    const paths = Object.keys(pages).filter((path) => path.startsWith("/"))
    const kinds = Object.values(Object.groupBy(paths, (path) => path.split("/")[1] ?? ""))
    for (const path of kinds.flatMap((all) => (all ?? []).slice(0, 2)))
      test.concurrent(`${name} ${path} is rendered as its data say`, () =>
        check(site, path, Schema.decodeUnknownSync(Expected)(pages[path])))
  }
})
