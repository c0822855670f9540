import type { Builder } from "./Builder.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import { redirect } from "./RedirectPlants.ts"
import { heading } from "./Text.ts"

const withQuery = (url: string, query: string): string => `${url}${url.includes("?") ? "&" : "?"}${query}`

/** Links to an action URL, which would return a page. */
const action = (b: Builder, r: Random, from: string, to: string): void => {
  // Drawn in both cases, so that later draws stay the same.
  const [doc, rel, text] = [b.sound(to), r.pick(["nofollow", undefined]), heading(r, 2)]
  if (!b.spoils) return
  b.site.answers.set(to, { kind: "page", doc })
  b.push(from, { written: to, to, kind: "page", text, ...(rel === undefined ? {} : { rel }) })
}

/** A new canonicalized page that differs from its canonical in nothing that identifies pages. */
const variant = (b: Builder, r: Random, url: string, of: string): string => {
  b.linked(b.page(url), r)
  return b.spoil(url, (doc) => Object.assign(doc, { canonicals: [{ written: of, to: of, place: "head" as const }] }))
}

/** The URL of a folder, without query and fragment. */
const folder = (b: Builder, r: Random): string => b.url(`/list-${r.int(1, 99_999)}`)

export const shopPlants: ReadonlyArray<Plant> = [
  plant("shop with cart links", { cost: 8 }, (b, r) => {
    for (let product = r.int(2, 4); product > 0; product--) {
      const url = b.linked(b.page(b.fresh("product")), r)
      const query = r.pick(["add-to-cart=17", "add_to_wishlist=17", "size=m&add-to-cart=17&quantity=1"])
      action(b, r, url, withQuery(url, query))
    }
  }),
  plant("addresses that act", { cost: 3 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("post")), r)
    const query = r.pick(["replytocom=12", "share=facebook&nb=1", "restore=1&_wpnonce=4b1"])
    action(b, r, url, withQuery(url, query))
    action(b, r, b.host(r), b.url(r.pick(["/user/logout", "/en/account/logout", "/checkout/cart/add/product/3/"])))
  }),
  plant("redirect to an address that acts", { cost: 2 }, (b, r) => {
    const to = b.url(`/?add-to-cart=${r.int(1, 999)}`)
    b.linked(b.add(b.fresh("buy"), redirect(r, r.pick([301, 302]), to)), r)
  }),
  plant("pages that only look like actions", { cost: 3 }, (b, r) => {
    const name = r.int(1, 9999)
    const paths = [`/logout-guide-${name}`, `/blog/how-to-add-to-cart-${name}`, `/stock-${name}?share_price=12`]
    for (const path of paths) b.linked(b.page(b.url(path)), r)
  }),
  plant("canonical variants", { cost: 6 }, (b, r) => {
    const of = b.linked(b.page(folder(b, r)), r)
    for (let count = r.int(1, 5); count > 0; count--) variant(b, r, `${of}?v=${count}`, of)
  }),
  plant("canonical without the index file or the slash", { cost: 2 }, (b, r) => {
    const of = b.linked(b.page(`${folder(b, r)}${r.pick(["", "/"])}`), r)
    variant(b, r, of.endsWith("/") ? r.pick([`${of}index.html`, of.slice(0, -1)]) : `${of}/`, of)
  }),
  plant("faceted navigation that names the list", { cost: 17, rare: true }, (b, r) => {
    const of = b.linked(b.page(folder(b, r)), r)
    for (const brand of ["north", "south", "east", "west"])
      for (const grade of ["a", "b", "c", "d"]) variant(b, r, `${of}?brand=${brand}&grade=${grade}`, of)
  }),
  plant("variants of a page that is hidden", { cost: 2 }, (b, r) => {
    const of = b.linked(b.page(folder(b, r)), r)
    b.spoil(of, (doc) =>
      doc.robots.push({
        place: "head",
        agent: "robots",
        content: "noindex",
        saysNoindex: true,
        saysIndex: false,
        hides: true
      })
    )
    variant(b, r, `${of}?v=1`, of)
  }),
  plant("mega menu with nofollow", { cost: 5 }, (b, r) => {
    const menu = Array.from({ length: 5 }, () => b.page(b.fresh("menu")))
    for (const from of new Set([b.home, b.host(r), b.host(r)]))
      for (const to of menu)
        b.alter(from, (doc) =>
          doc.links.push({ written: to, to, kind: "page", text: "menu", ...(b.spoils ? { rel: "nofollow" } : {}) })
        )
  }),
  plant("page that only nofollow links lead to", { cost: 2 }, (b, r) => {
    const to = b.page(b.fresh("distrusted"))
    b.linkTo(to, b.page(b.fresh("behind")))
    const own = { written: to, to, kind: "page", text: heading(r, 1) } as const
    const rel = r.pick(["nofollow", "ugc", "sponsored"])
    b.alter(b.host(r), (doc) => doc.links.push(b.spoils ? { ...own, rel } : own))
  })
]
