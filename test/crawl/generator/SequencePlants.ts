import type { Builder } from "./Builder.ts"
import { naming, place } from "./CanonicalPlants.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import { redirect } from "./RedirectPlants.ts"
import { heading } from "./Text.ts"

/** The URL of a later page, from the URL of the list and the page number. */
type Numbering = (list: string, number: number) => string

const inQuery =
  (name: string, step = 1): Numbering =>
  (list, number) =>
    `${list}${list.includes("?") ? "&" : "?"}${name}=${step === 1 ? number : step * (number - 1)}`

const inPath =
  (before: string, after = ""): Numbering =>
  (list, number) =>
    `${list}/${before}${number}${after}`

/** Parameters and paths that mean page numbers by their name. */
const plain: ReadonlyArray<Numbering> = [
  inPath("page/", "/"),
  inPath("page/"),
  inPath("Page-"),
  inPath("page", ".html"),
  inPath("seite-", "/"),
  inPath("pagina/"),
  inQuery("page"),
  inQuery("PAGE"),
  inQuery("paged"),
  inQuery("seite"),
  inQuery("pageNumber"),
  inQuery("start", 20),
  inQuery("offset", 10),
  (list, number) => `${list}?lang=en&page=${number}`
]

/** Numbers that may be others, such as those of posts and products. */
const open: ReadonlyArray<Numbering> = [
  inQuery("p"),
  inPath("p"),
  inPath(""),
  (list, number) => `${list}-page-${number}`
]

const fresh = (b: Builder, r: Random): string => b.url(`/list-${r.int(1, 99_999)}`)

interface Sequence {
  readonly first: string
  readonly later: ReadonlyArray<string>
}

/** Pages that link to one another, each with itself as canonical. */
const sequence = (b: Builder, r: Random): Sequence => {
  const isOpen = r.chance(40)
  const numbering = r.pick(isOpen ? [inQuery("p"), ...open] : [inQuery("page"), ...plain])
  const list = fresh(b, r)
  const first = b.linked(b.page(numbering(list, 2).includes("lang=en") ? `${list}?lang=en` : list), r)
  const count = isOpen ? r.int(2, 3) : r.int(1, 3)
  const later = Array.from({ length: count }, (_, index) => b.page(numbering(list, index + 2)))
  for (const from of [first, ...later]) {
    b.alter(from, (doc) => Object.assign(doc, { first }))
    for (const to of [first, ...later]) if (to !== from) b.linkTo(from, to)
  }
  return { first, later }
}

/** Numbered pages that link to one another without being a sequence. */
const numbered = (b: Builder, r: Random): ReadonlyArray<string> => {
  const [list, shape] = [fresh(b, r), r.pick([inQuery("p"), inPath("p"), inPath("")])]
  const from = r.int(5, 90)
  const urls = [from, from + r.int(2, 9)].map((number) => b.linked(b.page(shape(list, number)), r))
  for (const one of urls) for (const other of urls) if (one !== other) b.linkTo(one, other)
  return urls
}

export const sequencePlants: ReadonlyArray<Plant> = [
  plant("later pages that name page 1", { cost: 5 }, (b, r) => {
    const { first, later } = sequence(b, r)
    const to = r.chance(20) ? b.add(b.fresh("old"), redirect(r, 301, first)) : first
    for (const url of later) {
      const own = naming(to, place(r))
      b.spoil(url, (doc) => Object.assign(doc, { canonicals: [own] }))
    }
  }),
  plant("later pages that name the page before them", { cost: 4 }, (b, r) => {
    const { first, later } = sequence(b, r)
    for (const [index, url] of later.entries()) {
      const own = naming(later[index - 1] ?? first, place(r))
      b.spoil(url, (doc) => Object.assign(doc, { canonicals: [own] }))
    }
  }),
  plant("later pages that name a page with all items", { cost: 5 }, (b, r) => {
    const { first, later } = sequence(b, r)
    const all = b.linked(b.page(`${first}${first.includes("?") ? "&" : "?"}view=all`), r)
    for (const url of later) b.spoil(url, (doc) => Object.assign(doc, { canonicals: [naming(all, "head")] }))
  }),
  plant("a later page that shows page 1", { cost: 2 }, (b, r) => {
    const first = b.linked(b.page(fresh(b, r)), r)
    const copy = b.page(inQuery("page")(first, 2))
    b.linkTo(first, copy)
    const answer = b.site.answers.get(first)
    if (answer?.kind !== "page") return
    const { descriptions, h1, titles, words } = answer.doc
    const same = { first, descriptions, h1, titles, words, canonicals: [naming(first, "head")] }
    b.spoil(copy, (doc) => Object.assign(doc, same))
  }),
  plant("a sequence under one title", { cost: 4 }, (b, r) => {
    const { first, later } = sequence(b, r)
    const [title, description] = [heading(r, 3), heading(r, 7)]
    for (const url of [first, ...later])
      b.spoil(url, (doc) => Object.assign(doc, { titles: [title], descriptions: [description] }))
  }),
  plant("numbers that are no pages of a sequence under one title", { cost: 2 }, (b, r) => {
    const urls = numbered(b, r)
    const title = heading(r, 3)
    for (const url of urls) b.spoil(url, (doc) => Object.assign(doc, { titles: [title] }))
  })
]
