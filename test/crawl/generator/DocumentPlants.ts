import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import type { Doc } from "./Site.ts"

const altered = (name: string, parts: (random: Random) => Partial<Doc>, more: Partial<Plant> = {}): Plant => ({
  name,
  cost: 1,
  ...more,
  plant: (b, r) => {
    const url = b.victim(r)
    const own = parts(r)
    b.spoil(url, (doc) => Object.assign(doc, own))
  }
})

/** Values of lang without a valid language, script or country. */
export const invalidLanguages: ReadonlyArray<string> = [
  "en-en",
  "pr-br",
  "english",
  "en_US",
  "xx",
  "en-UK",
  "jp",
  "eng",
  "en-USA",
  "en-US.UTF-8",
  "undefined",
  "zh-CN-Hans",
  "{{ lang }}"
]
/** Valid and rare language tags. */
const rareLanguages = [
  "es-419",
  "zh-Hant-TW",
  "sr-Latn",
  "de-CH-1996",
  "cmn-Hans-CN",
  "en-x-site",
  "iw",
  "EN-us",
  "gsw"
]

export const documentPlants: ReadonlyArray<Plant> = [
  altered("no language", (r) => ({ lang: r.pick([null, ""]) })),
  altered("language that there is not", (r) => ({ lang: r.some(invalidLanguages) ?? "xx" })),
  altered("language that is rarely named", (r) => ({ lang: r.some(rareLanguages) ?? "gsw" })),
  altered("no viewport", () => ({ viewport: false })),
  altered("quirks mode", (r) => ({ doctype: r.pick(["none", "obsolete"]) })),
  altered("no charset", () => ({ charset: "none" })),
  altered("charset behind the first 1024 bytes", () => ({ charset: "late" })),
  altered("Latin-1", () => ({ charset: "latin1" })),
  altered("charset by meta or byte order mark", (r) => ({ charset: r.pick(["meta", "bom"]) })),
  altered("capital letters in the markup", () => ({ shouting: true })),
  altered("document above two mebibytes", () => ({ bulk: "long" }), { rare: true }),
  altered("markup without end", () => ({ bulk: "deep" }), { rare: true }),
  altered("broken JSON-LD", (r) => ({ jsonLd: r.pick([["broken"], ["sound", "broken"]]) })),
  altered("JSON-LD without context or type", (r) => ({ jsonLd: [r.pick(["contextless", "typeless"])] })),
  altered("empty JSON-LD", (r) => ({
    jsonLd: [...r.pick([[], ["sound"]] as const), r.pick(["list", "object", "null", "no graph", "blank"])]
  })),
  altered("sound JSON-LD", (r) => ({ jsonLd: [r.pick(["sound", "graph"])] })),
  altered(
    "parts loaded over http",
    (r) => ({ resources: ["https://elsewhere.test/a.js", `http://${r.pick(["site.test", "elsewhere.test"])}/b.js`] }),
    { secure: true }
  ),
  altered("parts loaded over https", () => ({ resources: ["https://elsewhere.test/a.js", "/own.js"] })),
  plant("page over http", { cost: 1, secure: true }, (b, r) => {
    const secure = b.fresh("plain")
    const url = b.spoils ? secure.replace("https:", "http:") : secure
    b.linked(b.add(url, { kind: "page", doc: b.sound(url) }), r)
    b.linkTo(url, b.home)
  })
]
