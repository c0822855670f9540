import type { Plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc, FilePlan } from "./Site.ts"

type Kind = "pictures" | "resources" | "styles"

const extensions: Readonly<Record<Kind, string>> = { pictures: "png", resources: "js", styles: "css" }

const sound = { status: 200, length: 2000, head: "same" } as const

/** A part of one to three pages that answers so; repaired, it answers as it should. */
const part = (name: string, path: string, planOf: (random: Random) => FilePlan, only?: Kind): Plant => ({
  name,
  cost: 3,
  plant: (b, r) => {
    const kind = only ?? r.pick(["pictures", "resources", "styles"])
    const url = b.url(`${path}${r.int(1, 99_999)}.${extensions[kind]}`)
    const plan = planOf(r)
    if (b.spoils) b.site.files.set(url, plan)
    if (plan.to !== undefined) b.site.files.set(b.url(plan.to), { ...sound, status: 404 })
    const pages = new Set(Array.from({ length: r.int(1, 3) }, () => b.victim(r)))
    for (const page of pages) b.alter(page, (doc: Doc) => doc[kind].push(new URL(url).pathname))
  }
})

/** A link from one to three pages to a page of another site that answers so. */
const elsewhere = (name: string, planOf: (random: Random) => FilePlan, path = "/page"): Plant => ({
  name,
  cost: 3,
  plant: (b, r) => {
    const to = `https://other-${r.int(1, 3)}.test${path}-${r.int(1, 99_999)}`
    const plan = planOf(r)
    b.site.elsewhere.set(to, b.spoils ? plan : sound)
    if (plan.to !== undefined) b.site.elsewhere.set("https://other-9.test/there", sound)
    const pages = new Set(Array.from({ length: r.int(1, 3) }, () => b.victim(r)))
    for (const page of pages)
      b.alter(page, (doc) => doc.links.push({ written: to, to, kind: "page", text: "elsewhere" }))
  }
})

export const resourcePlants: ReadonlyArray<Plant> = [
  part("part that is gone", "/gone-", (r) => ({ ...sound, status: r.pick([404, 410, 403, 500]) })),
  part("part behind a redirect to nothing", "/old-", () => ({ ...sound, status: 301, to: "/nothing-there.png" })),
  part("part that is gone at first", "/flaky-", (r) => ({
    ...sound,
    status: r.pick([404, 500]),
    recovers: r.pick([1, 2])
  })),
  part("part whose server refuses HEAD", "/headless-", (r) => ({ ...sound, head: r.pick(["refused", "wrong"]) })),
  part("part that robots.txt closes", "/private/part-", () => ({ ...sound, status: 404 })),
  part(
    "heavy image",
    "/heavy-",
    (r) => ({ ...sound, length: r.pick([300_001, 700_000]), head: r.pick(["same", "refused"]) }),
    "pictures"
  ),
  part("image as heavy as allowed", "/light-", () => ({ ...sound, length: 300_000 }), "pictures"),
  part("heavy script", "/bundle-", () => ({ ...sound, length: 700_000 }), "resources"),
  elsewhere("link to another site that is gone", (r) => ({ ...sound, status: r.pick([404, 410, 500]) })),
  elsewhere("link to another site that leads nowhere", (r) => ({
    ...sound,
    status: r.pick([301, 302]),
    to: "https://other-9.test/nothing-there"
  })),
  elsewhere("link to another site that keeps crawlers out", (r) => ({
    ...sound,
    status: r.pick([403, 429, 503, 999])
  })),
  elsewhere("link to another site that closes itself", () => ({ ...sound, status: 404 }), "/closed"),
  elsewhere("link to another site that is there", (r) => ({ ...sound, head: r.pick(["same", "refused", "wrong"]) })),
  elsewhere("link to another site that moved", () => ({ ...sound, status: 301, to: "https://other-9.test/there" })),
  elsewhere("link to another site that was gone", (r) => ({ ...sound, status: r.pick([404, 500]), recovers: 2 }))
]
