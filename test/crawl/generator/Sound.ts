import type { Doc } from "./Site.ts"

interface SoundParts {
  readonly url: string
  readonly title: string
  readonly description: string
  readonly text: ReadonlyArray<string>
}

/** The response of a scripted site for every path. */
export const shellDoc = (origin: string): Doc => ({
  ...soundDoc({ url: origin, title: "App", description: "An application", text: [] }),
  canonicals: [],
  h1: [],
  shell: true
})

/** A document without issues: every page without a planted defect. */
export const soundDoc = ({ description, text, title, url }: SoundParts): Doc => ({
  lang: "en",
  doctype: "html5",
  charset: "header",
  titles: [title],
  titleOutsideHead: false,
  descriptions: [description],
  viewport: true,
  robots: [],
  canonicals: [{ written: url, to: url, place: "head" }],
  hreflangs: [],
  next: null,
  h1: [title],
  menu: [],
  words: [...text],
  code: [],
  links: [],
  images: [],
  jsonLd: [],
  typedData: [],
  noscripts: [],
  openGraph: [
    ["og:title", title],
    ["og:type", "website"],
    ["og:image", "https://cdn.test/card.png"],
    ["og:url", url]
  ],
  pictures: [],
  parts: [{ name: "part", markup: '<p id="part"></p>' }],
  first: null,
  versions: [],
  resources: [],
  styles: [],
  photos: [],
  refresh: null,
  bulk: "none",
  base: null,
  empty: false,
  shouting: false,
  shell: false,
  isErrorPage: false
})
