export { maxBytes, maxEntries, read, type SitemapOptions } from "./Read.ts"
export type { Sitemap, SitemapProblemKind } from "./SitemapFacts.ts"
