import type { Plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc, FilePlan } from "./Site.ts"

type Kind = "photos" | "resources" | "styles"

const extensions: Readonly<Record<Kind, string>> = { photos: "png", resources: "js", styles: "css" }

const sound: FilePlan = { status: 200, length: 2000, head: "same" }

interface PartPlan {
  readonly plan: FilePlan
  readonly kind?: Kind
}

/** A file of one to three pages with this response; fixed, it has a sound response. */
const part = (name: string, path: string, choose: (random: Random) => PartPlan): Plant => ({
  name,
  cost: 3,
  plant: (b, r) => {
    const { plan, kind = r.pick(["photos", "resources", "styles"]) } = choose(r)
    const url = b.url(`${path}${r.int(1, 99_999)}.${extensions[kind]}`)
    if (b.spoils) b.site.files.set(url, plan)
    if (plan.to !== undefined) b.site.files.set(b.url(plan.to), { ...sound, status: 404 })
    const pages = new Set(Array.from({ length: r.int(1, 3) }, () => b.victim(r)))
    for (const page of pages) b.alter(page, (doc: Doc) => doc[kind].push(new URL(url).pathname))
  }
})

/** A link from one to three pages to an external page with this response. */
const elsewhere = (name: string, choose: (random: Random) => FilePlan & { readonly path?: string }): Plant => ({
  name,
  cost: 3,
  plant: (b, r) => {
    const { path = "/page", ...plan } = choose(r)
    const to = `https://other-${r.int(1, 3)}.test${path}-${r.int(1, 99_999)}`
    b.site.elsewhere.set(to, b.spoils ? plan : sound)
    b.site.elsewhere.set("https://other-9.test/there", sound)
    const pages = new Set(Array.from({ length: r.int(1, 3) }, () => b.victim(r)))
    for (const page of pages)
      b.alter(page, (doc) => doc.links.push({ written: to, to, kind: "page", text: "elsewhere" }))
  }
})

export const resourcePlants: ReadonlyArray<Plant> = [
  part("broken part", "/gone-", (r) => ({
    plan: r.pick([
      { ...sound, status: r.pick([404, 410, 403, 500]) },
      { ...sound, status: 301, to: "/nothing-there.png" }
    ])
  })),
  part("part that only seems broken", "/flaky-", (r) => ({
    plan: r.pick([
      { ...sound, status: r.pick([404, 500]), recovers: r.pick([1, 2]) },
      { ...sound, head: r.pick(["refused", "wrong"]) }
    ])
  })),
  part("broken part that robots.txt closes", "/private/part-", () => ({ plan: { ...sound, status: 404 } })),
  part("heavy image", "/heavy-", (r) => ({
    plan: { ...sound, length: r.pick([300_001, 700_000]), head: r.pick(["same", "refused"]) },
    kind: "photos"
  })),
  part("image as heavy as allowed, or heavy script", "/bundle-", (r) =>
    r.pick([
      { plan: { ...sound, length: 300_000 }, kind: "photos" },
      { plan: { ...sound, length: 700_000 }, kind: "resources" }
    ])
  ),
  elsewhere("link to another site that is gone", (r) =>
    r.pick([
      { ...sound, status: r.pick([404, 410, 500]) },
      { ...sound, status: r.pick([301, 302]), to: "https://other-9.test/nothing-there" }
    ])
  ),
  elsewhere("link to another site that keeps crawlers out", (r) =>
    r.pick([
      { ...sound, status: r.pick([403, 429, 503, 999]) },
      { ...sound, status: 404, path: "/closed" }
    ])
  ),
  elsewhere("link to another site that is there in the end", (r) =>
    r.pick([
      { ...sound, head: r.pick(["same", "refused", "wrong"]) },
      { ...sound, status: 301, to: "https://other-9.test/there" },
      { ...sound, status: r.pick([404, 500]), recovers: 2 }
    ])
  )
]
