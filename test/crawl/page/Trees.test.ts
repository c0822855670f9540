import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { type DomDocument, linkedomDocument } from "../../../src/crawl/page/Dom.ts"
import { dismantle, leanDocument, parse } from "../../../src/crawl/page/HtmlParser.ts"
import { readText } from "../../../src/crawl/page/Page.ts"
import { type Visitor, walk } from "../../../src/crawl/page/Walk.ts"
import { finish } from "../../../src/foundation/schema/Steps.ts"
import { reference, referenceTree } from "./Reference.ts"
import { page, soup } from "./Soup.ts"

/** Everything that a walk through one of our trees meets, except `class` and the text of comments. */
const seen = (text: string, document: DomDocument) => {
  finish(parse(text, document))
  const met: Array<unknown> = []
  const root = document.documentElement
  if (root === null) return met
  const visitor: Visitor = {
    enter: (element) => {
      const attributes = [...element.getAttributeNames()].sort().map((name) => [name, element.getAttribute(name)])
      met.push([element.localName, element.namespaceURI, element.hasAttributes(), ...attributes])
    },
    leave: ({ localName }) => met.push(`/${localName}`),
    text: ({ data }) => met.push(data)
  }
  walk(root, visitor)
  return met
}

test("small and large pages have the same tree as the parser alone builds", () => {
  const equal = (text: string) => {
    const expected = [...referenceTree(text)]
    expect(seen(text, leanDocument())).toEqual(expected)
    expect(seen(text, linkedomDocument())).toEqual(expected)
  }
  fc.assert(fc.property(soup, equal), { numRuns: 1500 })
  fc.assert(fc.property(page, equal), { numRuns: 200 })
})

test("a page has the same facts, wherever a step of the parser ends", () => {
  const url = "https://site.example/"
  const stepLength = 32_768
  const facts = (text: string) => {
    const { baseUrl, canonicals, headings, imageCount, links, metas, title } = readText(
      url,
      text,
      { name: "utf-8", source: "header" },
      text.length
    )
    return {
      baseUrl,
      title,
      raws: links.map(({ raw }) => raw),
      contents: metas.map(({ content }) => content),
      canonicals: canonicals.map(({ raw }) => raw),
      headings: headings.length,
      imageCount
    }
  }
  fc.assert(
    fc.property(soup, fc.nat(400), (text, before) => {
      const padded = `<!--${" ".repeat(stepLength - Math.min(before, text.length) - 7)}-->${text}`
      const expected = reference(padded, url)
      expect(facts(padded)).toEqual({
        baseUrl: expected.base,
        title: expected.title?.slice(0, 1000) ?? null,
        raws: expected.links.map(({ raw }) => raw),
        contents: expected.metas.map(({ content }) => content),
        canonicals: expected.canonicals.map(({ raw }) => raw),
        headings: expected.headings,
        imageCount: expected.images
      })
    }),
    { numRuns: 400 }
  )
})

test("a dismantled tree holds no references", () => {
  const document = leanDocument()
  finish(parse("<div><a href=/x>text</a></div><p>more", document))
  const body = document.documentElement?.lastChild ?? null
  dismantle(document)
  expect([document.firstChild, body?.parentNode, body?.previousSibling]).toEqual([null, null, null])
})
