import type { Plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import { redirect } from "./RedirectPlants.ts"
import type { RobotsPlan } from "./Site.ts"

const past = ["2020-01-01", "Wed, 03 Dec 2025 13:09:53 GMT", "25 Jun 2010 15:00:00 PST"] as const
const future = ["2099-01-01", "Thu, 03 Dec 2099 13:09:53 GMT"] as const

const says = (place: RobotsPlan["place"], agent: string | null, content: string): RobotsPlan => ({
  place,
  agent,
  content,
  saysNoindex: /noindex|none/i.test(content),
  saysIndex: /(?:^|[ ,])(?:index|all)\b/i.test(content),
  hides: /noindex|none/i.test(content) || past.some((date) => content.includes(date))
})

const hiding = (random: Random, place: "head" | "header"): RobotsPlan => {
  const agents =
    place === "head"
      ? (["robots", "ROBOTS", "robots", "googlebot"] as const)
      : ([null, null, null, "Googlebot"] as const)
  const content = random.pick([
    "noindex",
    "NOINDEX, follow",
    "none",
    "max-snippet:10, noindex",
    `unavailable_after: ${random.pick(past)}`
  ])
  return says(place, random.pick(agents), content)
}

export const noindex = (random: Random): RobotsPlan => says("head", "robots", random.pick(["noindex", "none"]))

/** Directives that search engines cannot read: no commas, or invalid words. */
const garbled = (random: Random, place: "head" | "header"): RobotsPlan => ({
  place,
  agent: place === "head" ? "robots" : null,
  content: random.pick(["noindex nofollow", "no-index", "noidex, follow", "nofollow; noarchive", "nofolow"]),
  saysNoindex: false,
  saysIndex: false,
  hides: false,
  isGarbled: true
})

const linesNobodyObeys = [
  "Noindex: /nothing",
  "Disallw: /nothing-here",
  "Disallow /nothing /here",
  "Disallow: nothing-here",
  "Please do not read this",
  "Disalow-all: yes"
] as const

export const indexabilityPlants: ReadonlyArray<Plant> = [
  {
    name: "robots directives that nobody understands",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("garbled")), r)
      const own = garbled(r, r.pick(["head", "header"]))
      b.spoil(url, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "lines of robots.txt that nobody obeys",
    cost: 0,
    plant: (b, r) => {
      const line = r.pick(linesNobodyObeys)
      b.spoilSite(({ robots }) => robots.strange.push({ line, isWrong: true }))
    }
  },
  {
    name: "lines of robots.txt for other engines",
    cost: 0,
    plant: (b, r) => {
      const line = r.pick(["Host: site.example", "Clean-param: ref /", "# Noindex: /", "Content-Signal: search=yes"])
      b.spoilSite(({ robots }) => robots.strange.push({ line, isWrong: false }))
    }
  },
  {
    name: "a page in place of robots.txt",
    cost: 0,
    rare: true,
    plant: (b) =>
      b.spoilSite(({ robots }) => {
        robots.isHtml = true
      })
  },
  {
    name: "file that asks not to be indexed",
    cost: 1,
    plant: (b, r) => void b.linked(b.add(b.url(`/manual-${r.int(1, 99_999)}.pdf`), { kind: "file", hides: true }), r)
  },
  {
    name: "noindex in a meta",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("hidden")), r)
      const own = hiding(r, "head")
      b.spoil(url, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "what only a noscript says to engines",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("scriptless")), r)
      const content = r.pick([
        '<meta http-equiv="refresh" content="0; url=/without-scripts">',
        '<META NAME="robots" CONTENT="noindex">',
        '<link rel="canonical" href="https://elsewhere.test/">',
        `<link rel="alternate" hreflang="fr" href="https://elsewhere.test/fr">`
      ])
      const link = `<p><a href="/without-scripts-${r.int(1, 9999)}">All products</a></p>`
      const own = r.pick([
        { content, place: "head", speaks: true, endsHead: false } as const,
        { content: link, place: "body", speaks: true, endsHead: false } as const
      ])
      b.spoil(url, (doc) => doc.noscripts.push(own))
    }
  },
  {
    name: "a noscript that ends the head",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("pixel")), r)
      const content = r.pick([
        '<img src="/pixel.gif" height="1" width="1" style="display:none">',
        '<iframe src="https://elsewhere.test/tag" height="0" width="0"></iframe>',
        "<div>Please enable JavaScript</div>",
        "Please enable JavaScript"
      ])
      b.spoil(url, (doc) => doc.noscripts.push({ content, place: "head", speaks: false, endsHead: true }))
    }
  },
  {
    name: "a noscript that harms nobody",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("harmless")), r)
      const place = r.pick(["head", "body"] as const)
      const content =
        place === "head"
          ? r.pick(["<style>.lazy{display:none}</style>", '<link rel="stylesheet" href="/noscript.css">'])
          : r.pick(['<img src="/pixel.gif" width="1" height="1">', "<p>This shop needs scripts.</p>", "<h1>Other</h1>"])
      b.alter(url, (doc) => doc.noscripts.push({ content, place, speaks: false, endsHead: false }))
    }
  },
  {
    name: "noindex in a header",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("veiled")), r)
      const own = hiding(r, "header")
      b.spoil(url, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "noindex in meta and header",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("twice")), r)
      const both = [hiding(r, "head"), hiding(r, "header")]
      b.spoil(url, (doc) => doc.robots.push(...both))
    }
  },
  {
    name: "directives that hide nothing",
    cost: 6,
    plant: (b, r) => {
      const harmless = [
        says("head", "bingbot", "noindex"),
        says("header", "otherbot", "noindex, nofollow"),
        says("head", "FindableBot", "noindex"),
        says("header", "findablebot", "none"),
        says("head", "robots", r.pick(["index, follow", "all", "nofollow", "max-image-preview:large"])),
        says("header", null, `unavailable_after: ${r.pick(future)}`)
      ]
      for (const each of harmless) b.spoil(b.victim(r), (doc) => doc.robots.push(each))
    }
  },
  {
    name: "noindex and another canonical",
    cost: 1,
    plant: (b, r) => {
      const [url, to] = [b.linked(b.page(b.fresh("torn")), r), b.host(r)]
      const own = hiding(r, r.pick(["head", "header"]))
      b.spoil(url, (doc) => {
        doc.robots.push(own)
        doc.canonicals = [{ written: to, to, place: "head" }]
      })
    }
  },
  {
    name: "index and noindex",
    cost: 1,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("torn")), r)
      const pair = r.pick([
        [says("head", "robots", "index, noindex")],
        [says("head", "robots", "all"), says("head", "robots", "none")],
        [says("head", "robots", "index"), says("header", null, "noindex")]
      ])
      b.spoil(url, (doc) => doc.robots.push(...pair))
    }
  },
  {
    name: "robots meta outside the head",
    cost: 1,
    plant: (b, r) => b.spoil(b.victim(r), (doc) => doc.robots.push(says("body", "robots", "noindex")))
  },
  {
    name: "blocked pages, linked",
    cost: 4,
    plant: (b, r) => {
      const paths = ["/private/room-", "/tmp-old-", "/print/page-", "/private/open-"] as const
      for (const path of paths) {
        const url = b.url(`${path}${r.int(1, 9999)}${path === "/print/page-" ? ".php" : ""}`)
        b.linked(b.add(url, { kind: "page", doc: b.sound(url) }), r, 2)
      }
    }
  },
  {
    name: "no robots.txt",
    cost: 0,
    rare: true,
    plant: (b, r) =>
      b.spoilSite(({ robots }) => Object.assign(robots, { kind: "absent", status: r.pick([404, 403, 410]) }))
  },
  {
    name: "robots.txt above its limit",
    cost: 0,
    rare: true,
    plant: (b) => b.spoilSite(({ robots }) => Object.assign(robots, { overlong: true }))
  },
  {
    name: "robots.txt that fails",
    cost: 0,
    rare: true,
    plant: (b, r) =>
      b.spoilSite(({ robots }) => Object.assign(robots, { kind: "unreachable", status: r.pick([500, 503, 429]) }))
  },
  {
    name: "start page forbidden",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const pattern = r.pick(["/", "/$"])
      b.spoilSite(({ robots }) => robots.rules.push({ allow: false, pattern }))
    }
  },
  {
    name: "whole site forbidden",
    cost: 0,
    rare: true,
    plant: (b) => b.spoilSite(({ robots }) => robots.rules.push({ allow: false, pattern: "/" }))
  },
  {
    name: "start page hidden",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const own = hiding(r, r.pick(["head", "header"]))
      b.spoil(b.home, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "most pages hidden",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const own = hiding(r, r.pick(["head", "header"]))
      for (const url of b.hosts.slice(1)) b.spoil(url, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "a third of the pages hidden",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const own = hiding(r, r.pick(["head", "header"]))
      for (const [index, url] of b.hosts.entries()) if (index % 3 === 1) b.spoil(url, (doc) => doc.robots.push(own))
    }
  },
  {
    name: "start page canonicalised",
    cost: 0,
    rare: true,
    plant: (b, r) => {
      const to = b.hosts.length > 1 ? (r.some(b.hosts.slice(1)) ?? b.home) : "https://elsewhere.test/"
      b.spoil(b.home, (doc) => Object.assign(doc, { canonicals: [{ written: to, to, place: "head" }] }))
    }
  },
  {
    name: "redirect to a hidden page",
    cost: 2,
    plant: (b, r) => {
      const target = b.page(b.fresh("hidden"))
      const own = hiding(r, "head")
      b.spoil(target, (doc) => doc.robots.push(own))
      b.linked(b.add(b.fresh("old"), redirect(r, 301, target)), r)
      if (!b.spoils) b.linked(target, r)
    }
  }
]
