import { describe, expect, test } from "bun:test"
import { readText } from "../../../src/crawl/page/Page.ts"

const read = (body: string) =>
  readText("https://s.test/", `<!doctype html><title>T</title><body>${body}`, { name: "utf-8", source: "header" }, 0)

/** Markup of links, and whether they have an accessible name. */
const links: ReadonlyArray<readonly [markup: string, isNamed: boolean]> = [
  ["<a href=/x>text</a>", true],
  ["<a href=/x><b>te</b>xt</a>", true],
  ["<a href=/x></a>", false],
  ["<a href=/x> \n </a>", false],
  ["<a href=/x title='Go home'></a>", true],
  ["<a href=/x aria-label='Go home'></a>", true],
  ["<a href=/x aria-label=' '></a>", false],
  ["<p id=n>Name</p><a href=/x aria-labelledby=n></a>", true],
  ["<p id=n hidden>Name</p><a href=/x aria-labelledby='missing n'></a>", true],
  ["<a href=/x aria-labelledby=missing></a>", false],
  ["<a href=/x><img src=i alt=Logo></a>", true],
  ["<a href=/x><img src=i alt=''></a>", false],
  ["<a href=/x><img src=i title=Logo></a>", true],
  ["<a href=/x><img src=i alt=Logo role=presentation></a>", false],
  ["<a href=/x><span aria-hidden=true>→</span></a>", false],
  ["<a href=/x><span aria-hidden=true>→</span> on</a>", true],
  ["<a href=/x><span hidden>text</span></a>", false],
  ["<a href=/x><i aria-label=Search></i></a>", true],
  ["<a href=/x><svg><title>Search</title></svg></a>", true],
  ["<a href=/x><svg aria-label=Search></svg></a>", true],
  ["<a href=/x><svg></svg></a>", false],
  ["<div aria-hidden=true><a href=/x></a></div>", true],
  ["<a href=/x><style>.a{}</style><script>x</script></a>", false],
  ["<a href=/x><noscript>text</noscript></a>", false],
  ["<a href=/x><b style='color:red; display: none'>text</b></a>", false],
  ["<a href=/x style=display:none></a>", true],
  ["<p style='visibility:hidden'><a href=/x></a></p>", true],
  ["<p id=n style=display:none>Name</p><a href=/x aria-labelledby=n></a>", true],
  ["<a href=/x>&nbsp;</a>", false],
  ["<a href=/x>\u200b</a>", false],
  ["<a href=/x><i>\uf015</i></a>", false],
  ["<a href=/x title=Home><i>\uf015</i></a>", true],
  ["<a href=/x title=Home> \uf015 </a>", true],
  ["<a href=/x><i title=Home>\uf015</i></a>", true],
  ["<a href=/x title='\uf015'>\uf015</a>", false],
  ["<a href=/x title=Home>&nbsp;</a>", false],
  ["<a href=/x>→</a>", true]
]

describe("the accessible name of a link", () => {
  for (const [markup, isNamed] of links)
    test(`${markup} ${isNamed ? "has a name" : "has no name"}`, () =>
      expect(read(markup).links[0]?.isNamed).toBe(isNamed))
})

/** Markup, and its number of images without a name. */
const images: ReadonlyArray<readonly [markup: string, mute: number]> = [
  ["<img src=i>", 1],
  ["<img src=i alt>", 0],
  ["<img src=i alt=Logo>", 0],
  ["<img src=i title=Logo>", 0],
  ["<img src=i aria-label=Logo>", 0],
  ["<b id=n>Logo</b><img src=i aria-labelledby=n>", 0],
  ["<img src=i role=presentation>", 0],
  ["<img src=i role=none>", 0],
  ["<img src=i aria-hidden=true>", 0],
  ["<p aria-hidden=true><img src=i></p>", 0],
  ["<p aria-hidden=false><img src=i></p>", 1],
  ["<img src=i style=display:none>", 0],
  ["<noscript><img src=pixel></noscript>", 0]
]

describe("images without a name", () => {
  for (const [markup, mute] of images)
    test(`${markup}: ${mute}`, () => expect(read(markup).imagesWithoutAlt).toBe(mute))
})

/** Headings by their markup. */
const headings: ReadonlyArray<readonly [markup: string, found: ReadonlyArray<readonly [number, string]>]> = [
  ["<h1>One</h1>", [[1, "One"]]],
  ["<h1><img src=i alt=Logo></h1>", [[1, "Logo"]]],
  ["<h1 aria-label=Name></h1>", [[1, "Name"]]],
  ["<h1 aria-hidden=true>One</h1>", []],
  ["<h1 role=presentation>One</h1>", []],
  ["<div role=heading aria-level=1>One</div>", [[1, "One"]]],
  ["<div role=heading>Two</div>", [[2, "Two"]]],
  ["<h3 role=heading aria-level=1>One</h3>", [[1, "One"]]],
  ["<h2>A<br>B</h2>", [[2, "A B"]]]
]

describe("headings", () => {
  for (const [markup, found] of headings)
    test(markup, () =>
      expect(read(markup).headings.map(({ level, text }) => [level, text] as const)).toEqual([...found])
    )
})

/** Links with a script, and whether they open something on the page. */
const scripts: ReadonlyArray<readonly [markup: string, isToggle: boolean]> = [
  ['<a href="javascript:void(0)"><i></i></a>', true],
  ['<a href="javascript:void(0)" onclick="location=1"><i></i></a>', false],
  ['<a href="javascript:go()"><i></i></a>', false],
  ["<a href='javascript:go()'>Products</a>", false],
  ["<a href='javascript:void(0)' onclick=\"location='/p'\">Menu</a>", false],
  ["<a href='javascript:void(0)'>Products</a>", false],
  ["<a href='javascript:void(0)'>Menu</a>", true],
  ["<a href='javascript:;' id=nav-toggle>=</a>", true],
  ["<a href='javascript:void(0)' role=button>Products</a>", true],
  ["<a href='javascript:void(0)' aria-expanded=false>Products</a>", true],
  ["<a href='javascript:window.print()'>Paper</a>", true],
  ["<a href='javascript:history.back()'>Return</a>", true],
  ["<a href='javascript:toggleAll()'>Products</a>", true],
  ["<a href='javascript:openPage(3)'>Products</a>", false],
  ["<a href=\"javascript:location='/p'\" role=button>Products</a>", false],
  ["<a href='javascript:void(0)'>Products</a> <ul><li><a href=/p>One</a></ul>", true],
  ["<a href='javascript:void(0)'>Cookie settings</a>", true],
  ["<a href='javascript:void(0)' title=Teilen aria-label=Teilen><svg></svg></a>", true],
  ["<a href='javascript:void(0)'>Fermer</a>", true],
  ["<a href='javascript:void(0)'>Поиск</a>", true],
  ["<a href='javascript:void(0)'>メニューを開く</a>", true],
  ["<a href='javascript:void(0)' title=關閉></a>", true],
  ["<a href='javascript:void(0)'>Teilnahme</a>", false],
  ["<a href='javascript:void(0)'>Produkte</a>", false],
  ["<a href='javascript:void(0)' onclick=\"location='/p'\">Teilen</a>", false],
  ["<a href='javascript:void(0)' data-clipboard-text>Produkte</a>", true]
]

describe("a link with a script", () => {
  for (const [markup, isToggle] of scripts)
    test(`${markup} is ${isToggle ? "a toggle" : "navigation"}`, () =>
      expect(read(markup).links[0]?.isToggle).toBe(isToggle))
})

/** Buttons with and without a name. */
const buttons: ReadonlyArray<readonly [markup: string, mute: number]> = [
  ["<button></button>", 1],
  ["<button class=menu><span></span><svg><path /></svg></button>", 1],
  ["<button>Menu</button>", 0],
  ["<button aria-label=Menu><i></i></button>", 0],
  ["<button title=Menu></button>", 0],
  ["<button title=Menu><i>\ue5d2</i></button>", 0],
  ["<button><i>\ue5d2</i></button>", 1],
  ["<button><svg><title>Menu</title></svg></button>", 0],
  ["<button hidden></button><div style='display:none'><button></button></div>", 0],
  ["<noscript><button></button></noscript>", 0],
  ["<label>Dark <button role=switch></button></label>", 0],
  ["<button id=a role=switch></button><label for=a>Dark</label>", 0],
  ["<button id=a role=switch></button><label for=b>Dark</label>", 1],
  ["<input type=button>", 1],
  ["<input type=button value=Go>", 0],
  ["<input type=submit><input type=reset>", 0],
  ["<div role=button tabindex=0></div>", 1],
  ["<div role=button tabindex=0>Go</div>", 0],
  ["<a href=/x role=button></a>", 0]
]

describe("buttons without a name", () => {
  for (const [markup, mute] of buttons)
    test(`${markup}: ${mute}`, () => expect(read(markup).muteButtons.length).toBe(mute))

  test("are kept with their markup and place", () =>
    expect(read("<header><a href=/x><button class=menu><i></i></button></a></header>").muteButtons).toEqual([
      { markup: '<button class="menu"><i></i></button>', place: "header", link: "/x" }
    ]))
})
