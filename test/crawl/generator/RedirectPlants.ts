import type { Builder } from "./Builder.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { AnswerPlan } from "./Site.ts"

const permanent = [301, 308] as const
const temporary = [302, 303, 307] as const
const any = [...permanent, ...temporary] as const

/** A redirect to a URL, with an absolute or root-relative Location. */
export const redirect = (random: Random, status: number, to: string): AnswerPlan => {
  const { origin, pathname, search } = new URL(to)
  const rooted = random.chance(50) && !/elsewhere|localhost/.test(origin)
  return { kind: "redirect", status, to, written: rooted ? pathname + search : to }
}

const chain = (b: Builder, random: Random, length: number, end: string): ReadonlyArray<string> => {
  const urls = Array.from({ length }, () => b.fresh("hop"))
  urls.forEach((url, index) => {
    const to = urls[index + 1] ?? end
    b.add(url, { kind: "redirect", status: random.pick(any), to, written: to })
  })
  return urls
}

export const redirectPlants: ReadonlyArray<Plant> = [
  plant("permanent redirect, linked", { cost: 1 }, (b, r) =>
    b.linked(b.add(b.fresh("old"), redirect(r, r.pick(permanent), b.host(r))), r)
  ),
  plant("temporary redirect, linked", { cost: 1 }, (b, r) =>
    b.linked(b.add(b.fresh("away"), redirect(r, r.pick(temporary), b.host(r))), r)
  ),
  plant("redirect to a page that only it leads to", { cost: 2 }, (b, r) => {
    const target = b.page(b.fresh("moved"))
    b.linked(b.add(b.fresh("old"), redirect(r, r.pick(any), target)), r)
    if (!b.spoils) b.linked(target, r)
  }),
  plant("redirect chain", { cost: 4 }, (b, r) => b.linked(chain(b, r, r.int(2, 4), b.host(r))[0] ?? b.home, r)),
  plant("redirects that do not settle within ten hops", { cost: 11, rare: true }, (b, r) =>
    b.linked(chain(b, r, 11, b.home)[0] ?? b.home, r)
  ),
  plant("redirect within the site that leaves it", { cost: 2 }, (b, r) =>
    b.linked(chain(b, r, 2, "https://elsewhere.test/landing")[0] ?? b.home, r)
  ),
  plant("redirect to something that is no page", { cost: 1 }, (b, r) => {
    const written = "mailto:somebody@site.test"
    b.linked(b.add(b.fresh("write"), { kind: "redirect", status: r.pick(any), to: written, written }), r)
  }),
  plant("redirect loop", { cost: 4 }, (b, r) => {
    const ring = Array.from({ length: r.int(1, 3) }, () => b.fresh("ring"))
    ring.forEach((url, index) => {
      const to = ring[(index + 1) % ring.length] ?? url
      b.add(url, { kind: "redirect", status: r.pick(any), to, written: to })
    })
    const entry = ring[0] ?? b.home
    b.linked(r.chance(50) ? b.add(b.fresh("lead"), redirect(r, r.pick(any), entry)) : entry, r)
  }),
  plant("redirect to an error", { cost: 3 }, (b, r) => {
    const gone = b.add(b.fresh("gone"), { kind: "error", status: r.pick([404, 410, 500]) })
    b.linked(chain(b, r, r.int(1, 2), gone)[0] ?? gone, r)
  }),
  plant("redirect to another site", { cost: 1 }, (b, r) =>
    b.linked(b.add(b.fresh("partner"), redirect(r, r.pick(any), "https://elsewhere.test/landing")), r)
  ),
  plant("redirect without a usable target", { cost: 1 }, (b, r) => {
    const written = r.pick([null, "http://[broken"])
    b.linked(b.add(b.fresh("nowhere"), { kind: "redirect", status: r.pick(any), to: null, written }), r)
  }),
  plant("redirect from https to http", { cost: 2, secure: true }, (b, r) => {
    const url = b.fresh("weak")
    const plain = url.replace("https:", "http:").replace("weak", "plain")
    b.add(plain, { kind: "page", doc: b.sound(plain) })
    b.linked(b.add(url, { kind: "redirect", status: r.pick(any), to: plain, written: plain }), r)
  }),
  plant("immediate refresh", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("jump")), r)
    const to = b.host(r)
    const place = r.pick(["meta", "header"])
    b.spoil(url, (doc) => Object.assign(doc, { refresh: { seconds: 0, to, place } }))
  }),
  plant("delayed refresh", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("wait")), r)
    const [to, seconds, place] = [b.host(r), r.int(1, 30), r.pick(["meta", "header"])]
    b.spoil(url, (doc) => Object.assign(doc, { refresh: { seconds, to, place } }))
  }),
  plant("refresh to itself, which is none", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("ticker")), r)
    const seconds = r.pick([0, 60])
    b.spoil(url, (doc) => Object.assign(doc, { refresh: { seconds, to: url, place: "meta" } }))
  }),
  plant("redirect to a blocked address", { cost: 2 }, (b, r) => {
    const target = b.add(b.url(`/private/vault-${r.int(1, 9999)}`), { kind: "page", doc: b.sound(b.home) })
    b.linked(b.add(b.fresh("gate"), redirect(r, r.pick(any), target)), r)
  }),
  plant("start that redirects within the site", { cost: 2, rare: true }, (b, r) => {
    const urls = chain(b, r, r.int(1, 2), b.home)
    b.spoilSite((site) => {
      site.start = urls[0] ?? site.start
    })
  })
]
