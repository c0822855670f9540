import { describe, expect, test } from "bun:test"
import { hasFragment } from "../../../src/crawl/page/Links.ts"
import { readText } from "../../../src/crawl/page/Page.ts"

const read = (text: string) => readText("https://site.test/p", text, { name: "utf-8", source: "header" }, 100)

describe("targets of a fragment", () => {
  const { fragments } = read('<h2 id="über uns">x</h2><a name=old></a><p name=no><svg><g id=drawn></g></svg><b id="">')
  const reached = (fragment: string) => fragments !== null && hasFragment(fragments, fragment)

  test("are elements with this id, and anchors with this name", () => {
    expect(["drawn", "old"].map(reached)).toEqual([true, true])
    expect(["no", "", "Drawn"].map(reached)).toEqual([false, false, false])
  })

  test("are also found by their unescaped name", () => {
    expect(reached("%C3%BCber%20uns")).toBe(true)
    expect(reached("%C3%BCber")).toBe(false)
    expect(reached("%zz")).toBe(false)
  })

  test("are unknown on a page with too many of them", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `<i id=n${index}></i>`)
    expect(read(many.join("")).fragments).toBeNull()
  })
})

describe("images without a size", () => {
  const unsized = (image: string) => read(image).imagesWithoutSize

  test("are images whose attributes and styles leave a dimension open", () => {
    for (const image of [
      "<img src=a.png>",
      "<img src=a.png width=3>",
      '<img src=a.png width=3 style="height: auto">',
      '<img src=a.png style="max-width: 3px; max-height: 3px">'
    ])
      expect([image, unsized(image)]).toEqual([image, 1])
    for (const image of [
      "<img src=a.png width=3 height=2>",
      '<img src=a.png width=3 style="height:2px">',
      '<img src=a.png style="ASPECT-RATIO:3/2">'
    ])
      expect([image, unsized(image)]).toEqual([image, 0])
  })

  test("are counted, and the first three are shown with their place and link", () => {
    const { imagesWithoutSize, unsizedImages } = read(
      `<nav><a href=/x><img src=a.png></a></nav>${"<img src=b.png>".repeat(4)}`
    )
    expect(imagesWithoutSize).toBe(5)
    expect(unsizedImages).toHaveLength(3)
    expect(unsizedImages[0]).toEqual({ markup: '<img src="a.png">', place: "nav", link: "/x" })
  })
})

describe("Open Graph", () => {
  const of = (head: string) => read(`<head>${head}</head>`).openGraph

  test("lacks the required properties that are absent or empty", () => {
    expect(of("").missing).toEqual(["og:title", "og:type", "og:image", "og:url"])
    const some = '<meta property="og:title" content=" "><meta name="og:type" content=website>'
    expect(of(`${some}<meta property="og:image:url" content="https://x.test/i.png">`).missing).toEqual([
      "og:title",
      "og:url"
    ])
  })

  test("lists relative URLs with their elements", () => {
    const { relative } = of(
      '<meta property="og:image" content="/i.png"><meta property="og:url" content="https://x.test/">'
    )
    expect(relative).toEqual([
      { property: "og:image", value: "/i.png", markup: '<meta property="og:image" content="/i.png">', place: "head" }
    ])
  })
})
