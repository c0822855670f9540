import { describe, expect, test } from "bun:test"
import { readText } from "../../../src/crawl/page/Page.ts"

const read = (body: string) =>
  readText("https://s.test/", `<!doctype html><title>T</title><body>${body}`, { name: "utf-8", source: "header" }, 0)

const placeOf = (markup: string) => read(markup).links[0]?.place

describe("the place of a link", () => {
  for (const [markup, place] of [
    ['<header><a href="/">x</a></header>', "header"],
    ['<header><nav><a href="/">x</a></nav></header>', "nav"],
    ['<div role="navigation"><a href="/">x</a></div>', "nav"],
    ['<div role="banner"><a href="/">x</a></div>', "header"],
    ['<div role="contentinfo"><a href="/">x</a></div>', "footer"],
    ['<footer><a href="/">x</a></footer>', "footer"],
    ['<main><article><header><a href="/">x</a></header></article></main>', "main"],
    ['<article><footer><a href="/">x</a></footer></article>', "main"],
    ['<footer role="presentation"><a href="/">x</a></footer>', "main"],
    ['<header></header><a href="/">x</a>', "main"],
    ['<aside><a href="/">x</a></aside>', "main"]
  ] as const)
    test(`${markup} is in ${place}`, () => expect(placeOf(markup)).toBe(place))
})

describe("the markup of an element with an issue", () => {
  const markup = (page: string) => read(page).links[0]?.markup

  test("is the element with its contents", () =>
    expect(
      markup('<a class="x" href="/cart?a=1&amp;b"><svg width=1 height=2><path d="M0"/></svg><img src=i.png></a>')
    ).toBe(
      '<a class="x" href="/cart?a=1&amp;b"><svg width="1" height="2"><path d="M0"></path></svg><img src="i.png"></a>'
    ))
  test("is kept for links without a name, without a URL, or with nofollow", () => {
    expect(markup('<a href="/">named</a>')).toBeNull()
    expect(markup('<a href="/" rel=nofollow>named</a>')).toBe('<a href="/" rel="nofollow">named</a>')
    expect(markup('<a href="javascript:go()">named</a>')).toBe('<a href="javascript:go()">named</a>')
  })
  test("is the same on a large page", () => {
    const element = '<a href="/cart" class="b" rel="nofollow" title=""><i class="icon"></i></a>'
    const large = `${element}${"<p class=x>text</p>".repeat(2000)}`
    expect(markup(large)).toBe('<a href="/cart" class="b" rel="nofollow" title><i class="icon"></i></a>')
    expect(markup(element)).toBe(markup(large))
  })
  test("has at most 300 characters, for any element", () => {
    for (const page of [
      `<a href="/${"x".repeat(1000)}"></a>`,
      `<a href="/" title="">${'<i class="icon"></i>'.repeat(100)}</a>`,
      `<a href="/">${"<b></b>".repeat(400)}</a>`
    ]) {
      expect(markup(page)).toHaveLength(300)
      expect(markup(page)?.endsWith("…")).toBe(true)
    }
  })
  test("is kept with the URL of the link around an image without a name", () =>
    expect(read('<a href=" /p "><b><img src=a.png></b></a><footer><img src=b.png>').muteImages).toEqual([
      { markup: '<img src="a.png">', place: "main", link: "/p" },
      { markup: '<img src="b.png">', place: "footer", link: null }
    ]))
})
