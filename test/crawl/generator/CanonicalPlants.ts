import type { Builder } from "./Builder.ts"
import { noindex } from "./IndexabilityPlants.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import { redirect } from "./RedirectPlants.ts"
import type { CanonicalPlan } from "./Site.ts"

export const place = (random: Random): "head" | "header" => random.pick(["head", "head", "header"])

export const naming = (to: string, where: CanonicalPlan["place"]): CanonicalPlan => ({ written: to, to, place: where })

/** A new page with another URL as its canonical. */
const copyOf = (b: Builder, random: Random, to: string): string => {
  const url = b.linked(b.page(b.fresh("copy")), random)
  const own = naming(to, place(random))
  return b.spoil(url, (doc) => Object.assign(doc, { canonicals: [own] }))
}

const rewritten = (
  name: string,
  change: (url: string, b: Builder, random: Random) => ReadonlyArray<CanonicalPlan>
): Plant => ({
  name,
  cost: 1,
  plant: (b, r) => {
    const url = b.victim(r)
    const own = change(url, b, r)
    b.spoil(url, (doc) => Object.assign(doc, { canonicals: [...own] }))
  }
})

export const canonicalPlants: ReadonlyArray<Plant> = [
  plant("canonical elsewhere", { cost: 1 }, (b, r) => copyOf(b, r, b.host(r))),
  rewritten("no canonical", () => []),
  rewritten("conflicting canonicals", (url, b, r) => {
    const other = b.host(r)
    const second = other === url ? b.url("/?second=1") : other
    return [naming(url, "head"), naming(second === b.url("/?second=1") ? b.home : second, place(r))]
  }),
  rewritten("invalid canonical", (url, _, r) => [
    ...(r.chance(50) ? [naming(url, "head")] : []),
    { written: r.pick(["", "http://[broken", "mailto:page@site.test"]), to: null, place: "head" }
  ]),
  rewritten("relative canonical", (url, _, r) => {
    const { pathname, search } = new URL(url)
    return [{ written: pathname + search, to: url, place: place(r) }]
  }),
  rewritten("canonical with a fragment", (url) => [{ written: `${url}#part`, to: url, place: "head" }]),
  rewritten("canonical outside the head", (url, b, r) => [
    ...(r.chance(50) ? [naming(url, "head")] : []),
    naming(b.host(r), "body")
  ]),
  rewritten("the same canonical twice", (url) => [naming(url, "head"), naming(url, "header")]),
  plant("canonical to an error", { cost: 3 }, (b, r) => {
    const gone = b.add(b.fresh("gone"), { kind: "error", status: r.pick([404, 410, 500]) })
    copyOf(b, r, r.chance(30) ? b.add(b.fresh("old"), redirect(r, r.pick([301, 302]), gone)) : gone)
  }),
  plant("canonical out of reach", { cost: 1 }, (b, r) =>
    copyOf(
      b,
      r,
      `${r.pick([
        "http://localhost:4000",
        "https://localhost",
        "http://127.0.0.1:4000",
        "http://[::1]:3000",
        "http://0.0.0.0:4000",
        "https://10.0.0.5",
        "http://192.168.1.10:8080",
        "http://intranet",
        "https://dev.local"
      ])}${r.pick(["/", "/copy"])}`
    )
  ),
  plant("canonicals of a development server", { cost: 0, rare: true }, (b, r) => {
    const place = r.pick(["head", "header"])
    for (const url of b.hosts)
      b.spoil(url, (doc) =>
        Object.assign(doc, { canonicals: [naming(`http://localhost:4000${new URL(url).pathname}`, place)] })
      )
  }),
  plant("canonical to a redirect without an end", { cost: 2 }, (b, r) => {
    const old = b.fresh("old")
    const answer = r.pick([
      { kind: "redirect", status: 301, written: null, to: null },
      { kind: "redirect", status: 302, written: old, to: old },
      redirect(r, 301, "http://localhost:4000/")
    ] as const)
    copyOf(b, r, b.add(old, answer))
  }),
  plant("canonical that gives no answer", { cost: 2, unverifiable: true }, (b, r) =>
    copyOf(b, r, b.add(b.fresh("mute"), { kind: "fault", fault: r.pick(["timeout", "reset"]) }))
  ),
  plant("search results that name a hidden page", { cost: 2 }, (b, r) => {
    const target = b.linked(b.page(b.fresh("results")), r)
    const [own, other] = [noindex(r), noindex(r)]
    b.spoil(target, (doc) => doc.robots.push(own))
    b.spoil(copyOf(b, r, target), (doc) => doc.robots.push(other))
  }),
  plant("canonical to a redirect", { cost: 2 }, (b, r) =>
    copyOf(b, r, b.add(b.fresh("old"), redirect(r, r.pick([301, 302]), b.host(r))))
  ),
  plant("canonical that redirects back", { cost: 2 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("back")), r)
    const alias = b.add(b.fresh("alias"), { kind: "redirect", status: 301, to: url, written: url })
    b.spoil(url, (doc) => Object.assign(doc, { canonicals: [naming(alias, "head")] }))
  }),
  plant("canonical to a hidden page", { cost: 2 }, (b, r) => {
    const target = b.page(b.fresh("hidden"))
    const own = noindex(r)
    b.spoil(target, (doc) => doc.robots.push(own))
    copyOf(b, r, target)
  }),
  plant("canonical to a blocked page", { cost: 2 }, (b, r) => {
    const target = b.url(`/private/copy-${r.int(1, 9999)}`)
    copyOf(b, r, b.add(target, { kind: "page", doc: b.sound(target) }))
  }),
  plant("canonical chain", { cost: 2 }, (b, r) => copyOf(b, r, copyOf(b, r, b.host(r)))),
  plant("canonical to another site", { cost: 1 }, (b, r) => copyOf(b, r, "https://elsewhere.test/original"))
]
