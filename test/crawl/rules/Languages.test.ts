import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, soundSite } from "./SoundSite.ts"

/** A page in a language, with the title of all pages with its name. */
const titled = (path: string, lang: string): Reply => {
  const name = path.replace(/\/(?:index\.html)?$/, "").replace(/.*\//, "")
  return { body: html({ title: `All about ${name}`, links: ["/"] }).replace('lang="en"', `lang="${lang}"`) }
}

/** The pages reported for an equal title: copies in other languages may share it. */
const sharing = (pages: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.provide(
      report(`${origin}/`),
      memoryOutbound(
        soundSite(Object.fromEntries(Object.entries(pages).map(([path, lang]) => [path, titled(path, lang)])))
      )
    ),
    ({ findings }) =>
      findings.find(({ rule }) => rule === "title_duplicate")?.pages.map((url) => url.slice(origin.length))
  )

describe("pages are copies in other languages", () => {
  for (const [name, pages] of [
    ["in folders of two languages", { "/en/x": "en", "/de/x": "de" }],
    ["in one language folder and outside of it", { "/x": "en", "/de/x": "de-AT" }],
    ["with a slash or an index file", { "/en/x/": "en", "/de/x/index.html": "de" }],
    ["in folders of regions", { "/en-us/x": "en", "/en_GB/x": "en" }],
    ["deeper in the path", { "/docs/v2/ja/x": "ja", "/docs/v2/x": "en" }],
    [
      "in language folders with the same pages, even if all declare one language",
      { "/fr/x": "en", "/de/x": "en", "/fr/y": "en", "/de/y": "en" }
    ],
    [
      "in a language folder and outside of it, five pages each, even if all declare one language",
      Object.fromEntries(
        ["a", "b", "c", "d", "e"].flatMap((name) => [
          [`/${name}`, "en"],
          [`/zh/${name}`, "en"]
        ])
      )
    ]
  ] as const) {
    it(name, () => Effect.map(sharing(pages), (found) => expect(found).toEqual([])))
  }
})

describe("pages are no copies in other languages", () => {
  for (const [name, pages] of [
    ["in folders with other names", { "/shop/x": "en", "/store/x": "de" }],
    ["in a folder named like a language whose pages declare another", { "/x": "en", "/it/x": "en" }],
    ["in two such folders with few common pages", { "/it/x": "en", "/hr/x": "en", "/hr/a": "en", "/hr/b": "en" }],
    ["in one declared language", { "/x": "de", "/de/x": "de" }],
    ["with different paths", { "/en/x": "en", "/de/more/x": "de" }]
  ] as const) {
    it(name, () =>
      Effect.map(sharing(pages), (found) =>
        expect(found).toEqual(Object.keys(pages).filter((path) => path.endsWith("/x")))
      )
    )
  }
})
