import type { Plant } from "./Plant.ts"
import type { LinkPlan } from "./Site.ts"
import { heading } from "./Text.ts"

const pushed = (name: string, links: (to: string, text: string) => ReadonlyArray<LinkPlan>): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const from = b.victim(r)
    const own = links(b.host(r), heading(r, 1))
    b.push(from, r.pick([own[0] ?? broken, ...own.slice(1)]))
  }
})

const broken: LinkPlan = { written: "http://[broken", to: null, kind: "invalid", text: "broken" }

export const linkPlants: ReadonlyArray<Plant> = [
  pushed("link that does not parse", () => [broken, { ...broken, written: "https://two words.test/" }]),
  pushed("link that runs a script", (_, text) => [
    { written: "javascript:void(0)", to: null, kind: "script", text },
    { written: " JavaScript:go()", to: null, kind: "script", text }
  ]),
  pushed("link without text", (to) => [
    { written: to, to, kind: "page", text: "" },
    { written: to, to, kind: "page", text: "", image: true },
    { written: "https://elsewhere.test/", to: "https://elsewhere.test/", kind: "page", text: "" }
  ]),
  pushed("link whose image has a text", (to, text) => [{ written: to, to, kind: "page", text, image: true }]),
  pushed("link withheld from credit", (to, text) => [
    { written: to, to, kind: "page", text, rel: "nofollow" },
    { written: to, to, kind: "page", text, rel: "ugc" },
    { written: to, to, kind: "page", text, rel: "sponsored" }
  ]),
  pushed("nofollow to another site", (_, text) => [
    { written: "https://elsewhere.test/x", to: "https://elsewhere.test/x", kind: "page", text, rel: "nofollow" },
    { written: "https://elsewhere.test/y", to: "https://elsewhere.test/y", kind: "page", text, rel: "noopener" }
  ]),
  pushed("links of other schemes", (_, text) => [
    { written: "mailto:somebody@site.test", to: null, kind: "other", text },
    { written: "tel:+15550100", to: null, kind: "other", text: "" },
    { written: "/cdn-cgi/l/email-protection", to: null, kind: "other", text }
  ]),
  {
    name: "page without a link",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("end")), r)
      const only = r.pick(["nothing", "itself", "elsewhere"])
      b.spoil(url, (doc) => {
        const to = only === "itself" ? url : "https://elsewhere.test/"
        doc.links = only === "nothing" ? [] : [{ written: to, to, kind: "page", text: "on" }]
      })
    }
  },
  {
    name: "pages many clicks away",
    cost: 7,
    plant: (b, r) => {
      let from = b.home
      for (let depth = r.int(5, 7); depth > 0; depth--) {
        const url = b.page(b.fresh("deep"))
        b.linkTo(from, url)
        from = url
      }
    }
  },
  {
    name: "orphan",
    cost: 2,
    plant: (b, r) => {
      const url = b.page(b.fresh("orphan"))
      if (!b.spoils) b.linked(url, r)
      else if (r.chance(50)) b.linkTo(url, b.page(b.fresh("behind")))
    }
  },
  {
    name: "query in two orders",
    cost: 2,
    plant: (b, r) => {
      for (const query of ["a=1&b=2", "b=2&a=1"]) b.linked(b.page(b.url(`/find-${r.int(1, 3)}?${query}`)), r)
    }
  },
  {
    name: "pages linked from maps, frames and noscript",
    cost: 3,
    plant: (b, r) => {
      for (const element of ["area", "iframe", "noscript"] as const) {
        const to = b.page(b.fresh(element))
        b.alter(b.host(r), (doc) => doc.links.push({ written: to, to, kind: "page", text: "there", element }))
      }
    }
  },
  {
    name: "relative links under a base",
    cost: 2,
    plant: (b, r) => {
      const from = b.linked(b.page(b.fresh("based")), r)
      const to = b.page(b.url(`/deep/er/target-${r.int(1, 9999)}`))
      b.alter(from, (doc) => {
        doc.base = "/deep/er/"
        doc.links = [{ written: new URL(to).pathname.slice("/deep/er/".length), to, kind: "page", text: "on" }]
      })
    }
  },
  {
    name: "addresses without end",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const to = b.url("/loop/loop/loop/loop")
      b.push(b.host(r), { written: to, to, kind: "page", text: "again" })
    }
  }
]
