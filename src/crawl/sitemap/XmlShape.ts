/** Where the addresses stand in one kind of document; names are local names. */
export interface XmlShape {
  readonly root: string
  readonly kind: "index" | "urls"
  readonly format: "xml" | "rss" | "atom"
  /** The element that holds one entry. */
  readonly entry: string
  /** Its children whose text is the address, best first. */
  readonly location: ReadonlyArray<string>
  /** Its children whose text is the date. */
  readonly date: ReadonlyArray<string>
  /** Whether a second address in one entry begins another entry, as files that forget to close the first have it. */
  readonly repeats: boolean
}

/** The documents that are read: sitemaps.org's two, and the feeds it also allows. */
export const shapes: ReadonlyArray<XmlShape> = [
  { root: "urlset", kind: "urls", format: "xml", entry: "url", location: ["loc"], date: ["lastmod"], repeats: true },
  {
    root: "sitemapindex",
    kind: "index",
    format: "xml",
    entry: "sitemap",
    location: ["loc"],
    date: ["lastmod"],
    repeats: true
  },
  {
    root: "rss",
    kind: "urls",
    format: "rss",
    entry: "item",
    location: ["link", "guid"],
    date: ["pubDate"],
    repeats: false
  },
  { root: "RDF", kind: "urls", format: "rss", entry: "item", location: ["link"], date: ["date"], repeats: false },
  { root: "feed", kind: "urls", format: "atom", entry: "entry", location: ["link"], date: ["updated"], repeats: false }
]

/** The namespace of sitemaps.org's documents. */
export const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
