import { describe, expect, test } from "bun:test"
import { hasFragment } from "../../../src/crawl/page/Links.ts"
import { readText } from "../../../src/crawl/page/Page.ts"

const read = (text: string) => readText("https://site.test/p", text, { name: "utf-8", source: "header" }, 100)

describe("parts that a fragment reaches", () => {
  const { fragments } = read('<h2 id="über uns">x</h2><a name=old></a><p name=no><svg><g id=drawn></g></svg><b id="">')
  const reached = (fragment: string) => fragments !== null && hasFragment(fragments, fragment)

  test("are elements with that id, and anchors of that name", () => {
    expect(["drawn", "old"].map(reached)).toEqual([true, true])
    expect(["no", "", "Drawn"].map(reached)).toEqual([false, false, false])
  })

  test("are found with escapes undone", () => {
    expect(reached("%C3%BCber%20uns")).toBe(true)
    expect(reached("%C3%BCber")).toBe(false)
    expect(reached("%zz")).toBe(false)
  })

  test("are unknown when there are too many to keep", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `<i id=n${index}></i>`)
    expect(read(many.join("")).fragments).toBeNull()
  })
})

describe("images without a size", () => {
  const unsized = (image: string) => read(image).imagesWithoutSize

  test("are those of which attributes and styles leave a dimension open", () => {
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

  test("lacks what is absent or empty of the four required properties", () => {
    expect(of("").missing).toEqual(["og:title", "og:type", "og:image", "og:url"])
    const some = '<meta property="og:title" content=" "><meta name="og:type" content=website>'
    expect(of(`${some}<meta property="og:image:url" content="https://x.test/i.png">`).missing).toEqual([
      "og:title",
      "og:url"
    ])
  })

  test("has relative addresses with the element that writes them", () => {
    const { relative } = of(
      '<meta property="og:image" content="/i.png"><meta property="og:url" content="https://x.test/">'
    )
    expect(relative).toEqual([
      { property: "og:image", value: "/i.png", markup: '<meta property="og:image" content="/i.png">', place: "head" }
    ])
  })
})
