import { afterAll, describe, expect, spyOn, test } from "bun:test"
import { html } from "parse5"
import type { DomElement } from "../../../src/crawl/page/Dom.ts"
import { leanDocument } from "../../../src/crawl/page/HtmlParser.ts"
import { readingPage } from "../../../src/crawl/page/Page.ts"
import { blocks } from "../../../src/foundation/schema/Steps.ts"
import { filled, pages } from "../memory/pages.ts"

/** The parts of a page's costs: looked-up attributes, parsed URLs, folded texts. */
const prototype: DomElement = Object.getPrototypeOf(leanDocument().createElement("a", html.NS.HTML))
const lookUps = spyOn(prototype, "getAttribute")
const addresses = spyOn(URL, "parse")
const spies = [lookUps, addresses]

afterAll(() => {
  for (const spy of spies) spy.mockRestore()
})

/** The most of each between two yields to other work. */
const read = (bytes: Uint8Array) => {
  for (const spy of spies) spy.mockClear()
  const work = blocks(readingPage({ url: "https://site.test/", bytes, charset: "utf-8" }))
  const most = { addresses: 0, lookUps: 0 }
  const before = { addresses: 0, lookUps: 0 }
  for (;;) {
    const next = work.next()
    const done = { addresses: addresses.mock.calls.length, lookUps: lookUps.mock.calls.length }
    most.addresses = Math.max(most.addresses, done.addresses - before.addresses)
    most.lookUps = Math.max(most.lookUps, done.lookUps - before.lookUps)
    Object.assign(before, done)
    if (next.done) return { facts: next.value, most }
  }
}

const link = (index: number) => `<a href=/l/${index}>${index}</a>`
const kinds = {
  "2 MiB of links": pages["2 MiB of links"]().bytes,
  "2 MiB of attributes": pages["2 MiB of attributes"]().bytes,
  "2 MiB of images": filled((index) => `<img src=/i/${index}.png srcset="/a/${index} 1x, /b/${index} 2x">`).bytes,
  "2 MiB of headings": filled((index) => `<h2>heading ${index}</h2>`).bytes,
  "2 MiB of types": filled((index) => `<p itemtype=https://schema.org/T${index}>`).bytes,
  "2 MiB of forms": filled((index) => `<form action=/f/${index}></form>`).bytes,
  "links that long labels name": filled((index) =>
    index === 0
      ? `${Array.from({ length: 300 }, (_, at) => `<p id=x${at}>${"<b>x</b>".repeat(80)}</p>`).join("")}`
      : `<a href=/l/${index} aria-labelledby=x${index % 300}></a>`
  ).bytes
}

describe("between two yields to other work", () => {
  for (const [name, bytes] of Object.entries(kinds)) {
    test(`a page of ${name} is analyzed in a bounded part of its total steps`, () => {
      const { most } = read(bytes)
      // Two for each of the 200,000 nodes of a page at most, and one for each of the 10,000 kept links.
      expect(most.lookUps).toBeLessThan(400_000)
      expect(most.addresses).toBeLessThan(10_000)
    })
  }
})

describe("attributes as long as a page", () => {
  test("are parsed in bounded time when they consist of javascript: and blanks", () => {
    const { facts } = read(new TextEncoder().encode(`<a href="javascript:${" ".repeat(200_000)}x">menu</a>`))
    expect(facts.links.map(({ isToggle }) => isToggle)).toEqual([false])
  })

  test("add no cost for each of many links that refer to them", () => {
    const label = (length: number) => `<p id=x aria-label="${"y ".repeat(length)}"><a href=/a aria-labelledby=x>`
    const squeezed = spyOn(String.prototype, "replace")
    const lengthOf = (length: number) => {
      squeezed.mockClear()
      read(new TextEncoder().encode(`${label(length)}${link(1).repeat(10)}`))
      return Math.max(...squeezed.mock.contexts.map((text) => `${text}`.length))
    }
    expect(lengthOf(400_000)).toBeLessThan(10_000)
    squeezed.mockRestore()
  })
})
