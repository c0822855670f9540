import type { Builder } from "./Builder.ts"
import type { Plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc, HreflangPlan } from "./Site.ts"
import { heading, words } from "./Text.ts"

const tags = ["en", "de-AT", "pt-br", "zh-Hant-TW", "es-419"] as const

const version = (language: string, to: string, place: HreflangPlan["place"] = "head"): HreflangPlan => ({
  language,
  written: to,
  to,
  isTag: true,
  place
})

/** Pages that name each other and themselves. */
const family = (b: Builder, random: Random, size: number): ReadonlyArray<string> => {
  const urls = Array.from({ length: size }, () => b.linked(b.page(b.fresh("lang")), random))
  const place = random.pick(["head", "head", "header", "sitemap"])
  const versions = urls.map((url, index) => version(tags[index] ?? "fr", url, place))
  const more = random.chance(50) ? [version("x-default", urls[0] ?? b.home, place)] : []
  for (const url of urls) b.alter(url, (doc) => doc.hreflangs.push(...versions, ...more))
  return urls
}

export const internationalPlants: ReadonlyArray<Plant> = [
  { name: "language versions that agree", cost: 3, plant: (b, r) => void family(b, r, r.int(2, 3)) },
  {
    name: "language versions with one title",
    cost: 2,
    plant: (b, r) => {
      const title = heading(r, 3)
      for (const url of family(b, r, 2)) b.spoil(url, (doc) => Object.assign(doc, { titles: [title] }))
    }
  },
  {
    name: "translations that share title and text and name no versions",
    cost: 4,
    plant: (b, r) => {
      const languages = r.pick<readonly [string, string]>([
        ["en", "de"],
        ["fr", "pt-BR"],
        ["ja", "en-GB"]
      ])
      for (const name of [`part-${r.int(1, 99_999)}`, `part-${r.int(1, 99_999)}/`]) {
        const [title, text] = [heading(r, 3), words(r, 40)]
        const urls = languages.map((language) => b.linked(b.page(b.url(`/${language.toLowerCase()}/${name}`)), r))
        urls.forEach((url, index) => {
          const versions = urls.filter((other) => other !== url)
          b.alter(url, (doc) => Object.assign(doc, { lang: languages[index], versions }))
          b.spoil(url, (doc) =>
            Object.assign(doc, {
              titles: [title],
              h1: [title],
              words: text
            })
          )
        })
      }
    }
  },
  {
    name: "hreflang that is no tag",
    cost: 2,
    plant: (b, r) => {
      const [first = b.home] = family(b, r, 2)
      const language = r.pick(["english", "en_GB", "e", "", "en-UK", "jp", "eng", "de-EU"])
      b.spoil(first, (doc) => doc.hreflangs.push({ ...version(language, first), isTag: false }))
    }
  },
  {
    name: "hreflang whose address does not parse",
    cost: 2,
    plant: (b, r) => {
      const [first = b.home] = family(b, r, 2)
      b.spoil(first, (doc) => doc.hreflangs.push({ ...version("fr", "http://[broken"), to: null }))
    }
  },
  {
    name: "one language at two addresses",
    cost: 2,
    plant: (b, r) => {
      const [first = b.home, second = b.home] = family(b, r, 2)
      b.spoil(first, (doc) => doc.hreflangs.push(version("en", second)))
    }
  },
  {
    name: "versions that each name themselves for everybody else",
    cost: 3,
    plant: (b, r) => {
      const urls = Array.from({ length: r.int(2, 3) }, () => b.linked(b.page(b.fresh("lang")), r))
      const place = r.pick(["head", "header", "sitemap"])
      const versions = urls.map((url, index) => version(tags[index] ?? "fr", url, place))
      for (const url of urls)
        b.alter(url, (doc) =>
          doc.hreflangs.push(...versions, version("x-default", b.spoils ? url : (urls[0] ?? url), place))
        )
    }
  },
  {
    name: "head and sitemap that disagree",
    cost: 2,
    plant: (b, r) => {
      const [first = b.home, second = b.home] = family(b, r, 2)
      b.spoil(first, (doc) => doc.hreflangs.push(version("en", second, "head"), version("en", second, "sitemap")))
    }
  },
  {
    name: "relative hreflang",
    cost: 2,
    plant: (b, r) => {
      const [first = b.home] = family(b, r, 2)
      const { host, pathname, search } = new URL(first)
      const written = r.pick([`${pathname}${search}`, `//${host}${pathname}${search}`])
      const place = r.pick(["head", "header", "sitemap"] as const)
      b.spoil(first, (doc) => doc.hreflangs.push({ ...version("en", first, place), written }))
    }
  },
  {
    name: "a head that names a next page",
    cost: 2,
    plant: (b, r) => {
      const url = b.linked(b.page(b.fresh("list")), r)
      const next = r.chance(70) ? b.add(b.fresh("next"), { kind: "error", status: 404 }) : b.page(b.fresh("next"))
      b.spoil(url, (doc) => Object.assign(doc, { next }))
    }
  },
  {
    name: "a page for everybody that redirects by language",
    cost: 3,
    plant: (b, r) => {
      const [first = b.home] = family(b, r, 2)
      const status = r.pick([302, 303, 307, 301])
      const door = b.add(b.fresh("door"), { kind: "redirect", status, to: first, written: first })
      b.spoil(first, (doc) => doc.hreflangs.push(version("x-default", door)))
    }
  },
  {
    name: "language version that leaves itself out, or names itself where it was",
    cost: 3,
    plant: (b, r) => {
      const [first = b.home, second = b.home] = family(b, r, 2)
      const isMoved = r.chance(50)
      const moved = isMoved
        ? b.add(b.fresh("moved"), { kind: "redirect", status: 301, to: first, written: first })
        : null
      const alike = ({ hreflangs }: Doc) =>
        hreflangs.flatMap((each) =>
          each.to !== first ? [each] : moved === null ? [] : [{ ...each, to: moved, written: moved }]
        )
      for (const url of isMoved && r.chance(50) ? [first, second] : [first])
        b.spoil(url, (doc) => Object.assign(doc, { hreflangs: alike(doc) }))
    }
  },
  {
    name: "language version that gives no return",
    cost: 2,
    plant: (b, r) => {
      const [, second = b.home] = family(b, r, 2)
      b.spoil(second, (doc) => Object.assign(doc, { hreflangs: [] }))
    }
  },
  {
    name: "language version that fails, moved or is hidden",
    cost: 3,
    plant: (b, r) => {
      const [first = b.home] = family(b, r, 2)
      const bad = b.add(
        b.fresh("version"),
        r.pick([
          { kind: "error", status: 404 },
          { kind: "redirect", status: 301, to: first, written: first }
        ])
      )
      b.spoil(first, (doc) => doc.hreflangs.push(version("fr", bad)))
    }
  }
]
