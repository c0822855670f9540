import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc } from "./Site.ts"
import { countWords, heading, textOfLength, words } from "./Text.ts"

/** A defect inside one document. */
const altered = (name: string, change: (random: Random) => (doc: Doc) => void): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const url = b.victim(r)
    b.spoil(url, change(r))
  }
})

const set = (parts: Partial<Doc>) => (doc: Doc) => Object.assign(doc, parts)

export const contentPlants: ReadonlyArray<Plant> = [
  altered("no title", (r) => set({ titles: r.pick<Array<string>>([[], [""], ["  "]]) })),
  altered("two titles", (r) => {
    const second = heading(r, 2)
    return (doc) => doc.titles.push(second)
  }),
  altered("title outside the head", () => set({ titleOutsideHead: true })),
  altered("long title", (r) => set({ titles: [textOfLength(r, r.pick([71, 90, 200]))] })),
  altered("title as long as allowed", (r) => set({ titles: [textOfLength(r, 70)] })),
  altered("title of many two-unit characters", (r) => {
    const name = heading(r, 1)
    return set({ titles: [`${name} ${"\u{1f600}".repeat(40)}`] })
  }),
  altered("no description", (r) => set({ descriptions: r.pick<Array<string>>([[], [""], [" \n "]]) })),
  altered("two descriptions", (r) => {
    const second = heading(r, 5)
    return (doc) => doc.descriptions.push(second)
  }),
  altered("long description", (r) => set({ descriptions: [textOfLength(r, r.pick([321, 500]))] })),
  altered("description as long as allowed", (r) => set({ descriptions: [textOfLength(r, 320)] })),
  altered("no h1", (r) => set({ h1: r.pick<Array<string>>([[], [""]]) })),
  altered("two h1", (r) => {
    const second = heading(r, 2)
    return (doc) => doc.h1.push(second)
  }),
  altered("an empty h1 beside one with text", (r) => {
    const empty = r.pick(["", " "])
    return (doc) => doc.h1.push(empty)
  }),
  altered("little text and much code", (r) => {
    const [text, code] = [words(r, 20), words(r, r.int(25, 40))]
    return (doc) => Object.assign(doc, { words: text, code })
  }),
  altered("thin text", (r) => {
    const count = r.pick([49, 40, 33])
    const text = words(r, count)
    return (doc) => Object.assign(doc, { words: text.slice(0, count - countWords(doc.h1.join(" "))) })
  }),
  altered("text just long enough", (r) => {
    const text = words(r, 50)
    return (doc) => Object.assign(doc, { words: text.slice(0, 50 - countWords(doc.h1.join(" "))) })
  }),
  altered("images without alt", (r) => {
    const images = [null, heading(r, 2), ...(r.chance(50) ? [null] : [])]
    return (doc) => doc.images.push(...images)
  }),
  altered("decorative images", () => (doc) => doc.images.push("", "A picture")),
  plant("same titles", { cost: 3 }, (b, r) => {
    const title = heading(r, 3)
    const forms = [title, title.toUpperCase(), ` ${title.replaceAll(" ", "  ")}\n`] as const
    for (let count = r.int(2, 3); count > 0; count--) {
      const url = b.linked(b.page(b.fresh("same")), r)
      const written = r.pick(forms)
      b.spoil(url, (doc) => Object.assign(doc, { titles: [written] }))
    }
  }),
  plant("same titles where only one may be indexed", { cost: 2 }, (b, r) => {
    const [title, to] = [heading(r, 3), b.linked(b.page(b.fresh("first")), r)]
    const copy = b.linked(b.page(b.fresh("second")), r)
    b.spoil(to, (doc) => Object.assign(doc, { titles: [title], descriptions: [title] }))
    b.spoil(copy, (doc) =>
      Object.assign(doc, { titles: [title], descriptions: [title], canonicals: [{ written: to, to, place: "head" }] })
    )
  }),
  plant("same descriptions", { cost: 2 }, (b, r) => {
    const description = heading(r, 8)
    for (const url of [b.linked(b.page(b.fresh("told")), r), b.linked(b.page(b.fresh("told")), r)]) {
      b.spoil(url, (doc) => Object.assign(doc, { descriptions: [description] }))
    }
  }),
  plant("same text", { cost: 3 }, (b, r) => {
    const [h1, text] = [heading(r, 2), words(r, r.int(30, 80))]
    for (let count = r.int(2, 3); count > 0; count--) {
      const url = b.linked(b.page(b.fresh("twin")), r)
      b.spoil(url, (doc) => Object.assign(doc, { h1: [h1], words: text }))
    }
  }),
  plant("almost the same text", { cost: 2 }, (b, r) => {
    const [h1, text, at, other] = [heading(r, 2), words(r, r.int(250, 400)), r.int(20, 200), words(r, 1)]
    const near = text.map((each, index) => (index === at ? (other[0] ?? each) : each))
    for (const own of [text, near]) {
      const url = b.linked(b.page(b.fresh("near")), r)
      b.spoil(url, (doc) => Object.assign(doc, { h1: [h1], words: own }))
    }
  }),
  plant("almost the same short text", { cost: 2 }, (b, r) => {
    const [h1, text, at, other] = [heading(r, 2), words(r, r.int(70, 130)), r.int(10, 60), words(r, 1)]
    const near = text.map((each, index) => (index === at ? (other[0] ?? each) : each))
    for (const own of [text, near]) {
      const url = b.linked(b.page(b.fresh("brief")), r)
      b.spoil(url, (doc) => Object.assign(doc, { h1: [h1], words: own }))
    }
  }),
  plant("short texts of one template", { cost: 2 }, (b, r) => {
    const [shared, own] = [words(r, r.int(60, 120)), r.int(8, 12)]
    for (const different of [words(r, own), words(r, own)]) {
      const url = b.linked(b.page(b.fresh("sheet")), r)
      b.spoil(url, (doc) => Object.assign(doc, { words: [...shared, ...different] }))
    }
  }),
  plant("a menu in no landmark on short pages", { cost: 0, rare: true }, (b, r) => {
    const [menu, lengths] = [words(r, r.int(120, 200)), b.hosts.map(() => r.int(8, 40))]
    if (b.hosts.length < 8) return
    b.spoilSite((site) => site.menu.push(...menu))
    for (const [index, url] of b.hosts.entries())
      b.spoil(url, (doc) => Object.assign(doc, { words: doc.words.slice(0, lengths[index]) }))
  }),
  plant("two addresses of one page", { cost: 2 }, (b, r) => {
    const path = `/place-${r.int(1, 99_999)}`
    const forms = r.pick<readonly [string, string]>([
      [path, `${path}/`],
      [`${path}/`, `${path}/${r.pick(["index.html", "default.aspx", "index.php"])}`],
      [path, `${path}?${r.pick(["utm_source=mail", "gclid=a1", "fbclid=b2"])}`],
      [`${path}?a=1`, `${path}?a=1&sid=${r.int(1, 999)}`]
    ])
    const [title, text, isTitleAlone] = [heading(r, 3), words(r, r.int(30, 60)), r.chance(25)]
    for (const form of forms) {
      const url = b.linked(b.page(b.url(form)), r)
      const same = isTitleAlone ? { titles: [title] } : { titles: [title], h1: [title], words: text }
      b.spoil(url, (doc) => Object.assign(doc, same))
    }
  }),
  plant("half the same text", { cost: 2 }, (b, r) => {
    const shared = words(r, 80)
    for (const own of [words(r, 80), words(r, 80)]) {
      const url = b.linked(b.page(b.fresh("alike")), r)
      b.spoil(url, (doc) => Object.assign(doc, { words: [...shared, ...own] }))
    }
  })
]
