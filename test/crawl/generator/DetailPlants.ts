import type { Builder } from "./Builder.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc, HreflangPlan, LinkPlan } from "./Site.ts"
import { heading } from "./Text.ts"
import { sound, unsound } from "./TypedData.ts"

const altered = (name: string, change: (random: Random) => (doc: Doc) => void): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const url = b.victim(r)
    b.spoil(url, change(r))
  }
})

const dataOf = (name: string, texts: ReadonlyArray<string>, isFaulty: boolean): Plant =>
  altered(name, (r) => {
    const text = r.some(texts) ?? ""
    return (doc) => doc.typedData.push({ text, isFaulty })
  })

const unsized = [
  '<img src="/photo.jpg" alt="">',
  '<img src="/photo.jpg" alt="" width="300">',
  '<img src="/photo.jpg" alt="" style="width: 100%; max-height: 9em">',
  '<a href="/">home <img src="/photo.jpg" alt="" height="" width=""></a>',
  '<picture><source srcset="/photo.webp"><img src="/photo.jpg" alt=""></picture>'
]
const sized = [
  '<img src="/photo.jpg" alt="" width="300" height="200">',
  '<img src="/photo.jpg" alt="" style="aspect-ratio: 3 / 2">',
  '<img src="/photo.jpg" alt="" width="300" style="height: 200px">',
  '<img src="/icon.svg?v=1" alt="">',
  '<img src="data:image/svg+xml,%3Csvg/%3E" alt="">',
  '<noscript><img src="/pixel.gif" alt=""></noscript>',
  '<p hidden><img src="/photo.jpg" alt=""></p>',
  '<img src="/photo.jpg" alt="" style="display: none">',
  '<picture><source srcset="/photo.webp" width="300" height="200"><img src="/photo.jpg" alt=""></picture>'
]
const pictures = (name: string, markups: ReadonlyArray<string>, isUnsized: boolean): Plant =>
  altered(name, (r) => {
    const markup = r.some(markups) ?? ""
    return (doc) => doc.pictures.push({ markup, isUnsized })
  })

const card = (name: string, property: string, contents: readonly [string, ...ReadonlyArray<string>]): Plant =>
  altered(name, (r) => {
    const content = r.pick(contents)
    return (doc) =>
      Object.assign(doc, {
        openGraph: doc.openGraph.map((each) => (each[0] === property ? [property, content] : each))
      })
  })

/** A page, and another page that links to one of its fragments. */
const partOf = (
  name: string,
  part: string,
  parts: Doc["parts"],
  written: (to: string) => string = (to) => `${to}#${part}`
): Plant => ({
  name,
  cost: 2,
  plant: (b, r) => {
    const to = b.linked(b.page(b.fresh("parts")), r)
    b.alter(to, (doc) => doc.parts.push(...parts))
    const from = b.linked(b.page(b.fresh("from")), r)
    b.push(from, { written: written(to), to, kind: "page", text: heading(r, 1) })
  }
})

/** A redirect to a page with one fragment, and a link with a fragment to the redirect; the Location may have a fragment. */
const partBehind = (name: string, part: string, located = ""): Plant => ({
  name,
  cost: 3,
  plant: (b, r) => {
    const end = b.linked(b.page(b.fresh("parts")), r)
    b.alter(end, (doc) => doc.parts.push({ name: "old", markup: '<h2 id="old">Old</h2>' }))
    const written = `${end}${located}`
    const to = b.add(b.fresh("moved"), { kind: "redirect", status: r.pick([301, 302, 308]), to: end, written })
    const from = b.linked(b.page(b.fresh("from")), r)
    b.push(from, { written: `${to}#${part}`, to, kind: "page", text: heading(r, 1) })
  }
})

/** A page whose base is another page, so that fragment links lead there. */
const partByBase = (name: string, part: string): Plant => ({
  name,
  cost: 2,
  plant: (b, r) => {
    const to = b.linked(b.page(b.fresh("parts")), r)
    b.alter(to, (doc) => doc.parts.push({ name: "old", markup: '<h2 id="old">Old</h2>' }))
    const from = b.linked(b.page(b.fresh("from")), r)
    b.alter(from, (doc) => {
      doc.base = to
      doc.parts.push({ name: "own", markup: '<h2 id="own">Own</h2>' })
      doc.links = [{ written: b.home, to: b.home, kind: "page", text: "home" }]
    })
    b.push(from, { written: `#${part}`, to, kind: "page", text: heading(r, 1) })
  }
})

const texts: readonly [readonly [string, string], ...ReadonlyArray<readonly [string, string]>] = [
  ["en", "Click here"],
  ["en", "read more …"],
  ["de", "Hier"],
  ["de", "» Mehr erfahren"],
  ["fr", "En savoir plus"],
  ["es", "Leer más"],
  ["ja", "こちら"]
]

const texted = (
  name: string,
  make: (random: Random, to: string) => readonly [lang: string, link: LinkPlan]
): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const from = b.linked(b.page(b.fresh("teaser")), r)
    const [lang, link] = make(r, b.host(r))
    b.spoil(from, (doc) => {
      doc.lang = lang
      doc.links.push(link)
    })
  }
})

const version = (language: string, to: string): HreflangPlan => ({
  language,
  written: to,
  to,
  isTag: true,
  place: "head"
})

/** Two pages in each of two languages, in language folders. */
const translated = (
  b: Builder,
  r: Random,
  languages: readonly [string, string]
): ReadonlyArray<ReadonlyArray<string>> =>
  [1, 2].map(() => {
    const name = `text-${r.int(1, 99_999)}`
    const urls = languages.map((language) => b.linked(b.page(b.url(`/${language}/${name}`)), r))
    urls.forEach((url, index) => {
      b.alter(url, (doc) => {
        doc.lang = languages[index] ?? null
      })
      b.spoil(url, (doc) => doc.versions.push(...urls.filter((other) => other !== url)))
    })
    if (!b.spoils) for (const url of urls) nameAll(b, url, urls, languages)
    return urls
  })

const nameAll = (b: Builder, url: string, urls: ReadonlyArray<string>, languages: ReadonlyArray<string>): void => {
  b.alter(url, (doc) => doc.hreflangs.push(...urls.map((to, index) => version(languages[index] ?? "", to))))
}

const news =
  "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-31</news:publication_date><news:title>T</news:title></news:news>"

const dated = (name: string, date: (random: Random) => string, more = ""): Plant => ({
  name,
  cost: 0,
  rare: true,
  plant: (b, r) => {
    const text = `<lastmod>${date(r)}</lastmod>${more}`
    b.spoilSite(({ sitemaps }) => {
      const file = sitemaps.find(({ kind }) => kind === "urls")
      Object.assign(file ?? {}, { hints: { text, isWrong: false } })
    })
  }
})

const paced = (name: string, firstBytes: ReadonlyArray<number>): Plant => ({
  name,
  cost: 0,
  rare: true,
  plant: (b) => b.spoilSite((site) => Object.assign(site, { firstBytes }))
})

export const detailPlants: ReadonlyArray<Plant> = [
  dataOf("typed data without what is required", unsound, true),
  dataOf("typed data with all that is required", sound, false),
  pictures("image without a size", unsized, true),
  pictures("image whose size is known or of no matter", sized, false),
  card("relative image in Open Graph", "og:image", ["/card.png", "card.png", "//cdn.test/card.png"]),
  card("relative address in Open Graph", "og:url", ["/here", "www.site.test/here"]),
  card("empty title in Open Graph", "og:title", ["", " "]),
  altered("no Open Graph at all", () => (doc) => Object.assign(doc, { openGraph: [] })),
  altered("two images in Open Graph", () => (doc) => doc.openGraph.push(["og:image", "https://cdn.test/second.png"])),
  partOf("link to a part that is not there", "gone", []),
  partOf("link to a part in other letters", "Part", []),
  partOf("link to an old anchor", "old", [{ name: "old", markup: '<a name="old"></a>' }]),
  partOf("link to an id with escapes", "%C3%BCber%20uns", [{ name: "über uns", markup: '<h2 id="über uns">Us</h2>' }]),
  partOf("link to the top of a page", "top", []),
  partOf("link to the text of a page", ":~:text=word", []),
  partOf("link to the text of a part that is not there", "gone:~:text=word", []),
  partOf("link to the text of a part", "old:~:text=word", [{ name: "old", markup: '<a name="old"></a>' }]),
  partOf("link to a state that a script reads", "tab=2", []),
  partOf("link to a state that a script reads, with escapes", "elementor-action%3Aaction%3Dpopup", []),
  partBehind("link to a part that is not there behind a redirect", "gone"),
  partBehind("link to a part behind a redirect", "old"),
  partBehind("link to a part of which a redirect makes another", "gone", "#old"),
  partBehind("link to a part of which a redirect makes one that is not there", "old", "#gone"),
  partByBase("link to a part that the base puts on another page", "own"),
  partByBase("link to a part of the page that the base names", "old"),
  texted("link text that suits any link", (r, to) => {
    const [lang, text] = r.pick(texts)
    return [lang, { written: to, to, kind: "page", text, suitsAny: lang }]
  }),
  texted("link text that names what is behind it", (r, to) => [
    "en",
    { written: to, to, kind: "page", text: `Read more about ${heading(r, 1)}` }
  ]),
  texted("link text that suits any link in another language", (_, to) => [
    "en",
    { written: to, to, kind: "page", text: "Mehr erfahren", suitsAny: "de" }
  ]),
  plant("translations without hreflang", { cost: 4, rare: true }, (b, r) => void translated(b, r, ["en", "de"])),
  plant("translations with hreflang", { cost: 4, rare: true }, (b, r) => {
    const pairs = translated(b, r, ["en", "de"])
    if (b.spoils) for (const urls of pairs) for (const url of urls) nameAll(b, url, urls, ["en", "de"])
  }),
  plant("sections in two languages that are no copies", { cost: 8, rare: true }, (b, r) => {
    for (const language of ["fr", "it"]) {
      for (const path of ["", ...[1, 2, 3].map((number) => `own-${number}-${r.int(1, 99_999)}`)]) {
        const url = b.linked(b.page(b.url(`/${language}/${path}`)), r)
        b.alter(url, (doc) => Object.assign(doc, { lang: language }))
      }
    }
  }),
  plant("pages that link to one another, apart from the site", { cost: 3 }, (b, r) => {
    const urls = [1, 2, 3].map(() => b.page(b.fresh("island")))
    for (const [index, url] of urls.entries()) b.linkTo(url, urls[(index + 1) % urls.length] ?? url)
    if (!b.spoils) for (const url of urls) b.linked(url, r)
  }),
  plant("pages that are reached through nofollow alone", { cost: 2 }, (b, r) => {
    const [first, second] = [b.page(b.fresh("entry")), b.page(b.fresh("behind"))]
    b.linkTo(first, second)
    b.push(b.host(r), { written: first, to: first, kind: "page", text: heading(r, 1), rel: "nofollow" })
    if (!b.spoils) b.linked(first, r)
  }),
  dated("sitemap with dates in the future", (r) => r.pick(["2999-01-01", "2027", "2026-02-01T10:00:00Z"])),
  dated("sitemap with one date for all", () => "2024-05-31"),
  dated("news sitemap with one date for all", () => "2024-05-31", news),
  dated("sitemap with the date of tomorrow", () => "2026-01-01"),
  paced("slow pages", [900, 1200, 100]),
  paced("some slow pages", [5000, 100, 100])
]
