import { afterAll, describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import * as fc from "fast-check"
import { readText } from "../../src/crawl/page/Page.ts"
import { reference } from "../crawl/page/Reference.ts"
import { page, soup } from "../crawl/page/Soup.ts"
import { summary } from "./folder.ts"

const url = "https://site.example/dir/page?q=1"

const upper = (href: string | null): string | null =>
  href?.replace(/%7e/gi, "~").replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()) ?? null

const isHttp = (href: string | null): boolean => /^https?:/.test(href ?? "")

/** Facts and reference in the same form, compared where both have values: texts within the length limits of facts. */
const compare = (text: string): void => {
  const facts = readText(url, text, { name: "utf-8", source: "header" }, text.length)
  const expected = reference(text, url)
  const lower = (value: string | null) =>
    value
      ?.replace(/[\t\n\f\r ]+/g, " ")
      .replace(/^ | $/g, "")
      .toLowerCase()
      .slice(0, 100) ?? null
  expect({
    base: facts.baseUrl,
    title: facts.title,
    titles: facts.titles,
    links: facts.links.map(({ kind, raw, target }) => ({
      kind,
      raw,
      url: target.followable ? target.url : null
    })),
    metas: facts.metas.map(({ content, httpEquiv, inHead, name }) => ({ name, content, httpEquiv, isInHead: inHead })),
    canonicals: facts.canonicals.map(({ inHead, raw, url: to }) => ({ raw, url: to, isInHead: inHead })),
    headings: facts.headings.length,
    images: facts.imageCount
  }).toEqual({
    ...expected,
    title: expected.title?.slice(0, 1000) ?? null,
    links: expected.links.map(({ kind, raw, url: to }) => ({
      kind: kind === "area" || kind === "iframe" || kind === "frame" ? kind : "a",
      raw,
      url: isHttp(to) ? upper(to?.replace(/#.*$/s, "") ?? null) : null
    })),
    metas: expected.metas.map(({ content, httpEquiv, isInHead, name }) => ({
      name: lower(name),
      content,
      httpEquiv: lower(httpEquiv),
      isInHead
    })),
    canonicals: expected.canonicals.map(({ isInHead, raw, url: to }) => ({
      raw,
      url: raw !== "" && isHttp(to) ? upper(to) : null,
      isInHead
    }))
  })
}

const modules = resolve(import.meta.dir, "../../node_modules")

describe("links, title, metas and canonicals, compared with parse5's own tree", () => {
  let equal = 0
  let total = 0
  const each = (text: string) => {
    total++
    compare(text)
    equal++
  }
  test("are equal on the documents in packages", async () => {
    const paths = [...new Bun.Glob("**/*.{md,html,svg}").scanSync({ cwd: modules })].sort().slice(0, 400)
    for (const path of paths) {
      const text = await Bun.file(resolve(modules, path)).text()
      each(text.slice(0, 60_000))
    }
    expect(equal).toBeGreaterThan(300)
  })

  test("are equal on generated pages", () => {
    fc.assert(fc.property(page, each), { numRuns: 400, seed: 20261121 })
  })

  test("are equal on random markup soup", () => {
    fc.assert(fc.property(soup, each), { numRuns: 3000 })
  })

  afterAll(() => summary("extraction (documents compared with parse5)", equal, total))
})
