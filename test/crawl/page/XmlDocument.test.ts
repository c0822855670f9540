import { expect, test } from "bun:test"
import { readPage } from "../../../src/crawl/page/Page.ts"

const read = (text: string, isXml: boolean) =>
  readPage({ url: "https://s.test/", bytes: new TextEncoder().encode(text), charset: null, isXml })

const root = '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de">'

test("XHTML is parsed as XML: empty elements close themselves, and CDATA is text", () => {
  const page = `${root}<head><title>T&#228;g</title><script src="/a.js"/><link rel="canonical" href="/c"/></head>
    <body><h1>One</h1><p><a href="/x"/>after</p><p><![CDATA[<a href="/never">no link</a>]]></p></body></html>`
  const facts = read(page, true)
  expect(facts).toMatchObject({ title: "Täg", lang: "de", quirks: "no-quirks", scripts: 1, parsedWholly: true })
  expect(facts.encoding.name).toBe("utf-8")
  expect(facts.links.map(({ raw, text }) => [raw, text])).toEqual([["/x", ""]])
  expect(facts.canonicals.map(({ inHead, url }) => [url, inHead])).toEqual([["https://s.test/c", true]])
  expect(facts.headings.map(({ text }) => text)).toEqual(["One"])
  expect(facts.text.excerpt).toContain('<a href="/never">no link</a>')
  // Parsed as HTML, the script swallows the whole page.
  expect(read(page, false).links).toEqual([])
})

test("a document that is malformed, has unknown entities or another root is parsed as HTML", () => {
  for (const body of ["<p><a href=/x>a</a>", "<p>&nbsp;<a href='/x'>a</a></p>"])
    expect(read(`${root}<head><title>T</title></head><body>${body}</body></html>`, true)).toMatchObject({
      title: "T",
      linkCount: 1
    })
  expect(read("<html><head><title>T</title></head><body><a href='/x'>a</a></body></html>", true)).toMatchObject({
    title: "T",
    linkCount: 1
  })
  expect(read("", true).title).toBeNull()
})
