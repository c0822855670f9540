export { maxBytes, maxEntries, read, type SitemapOptions } from "./Read.ts"
export type {
  Sitemap,
  SitemapEntry,
  SitemapIndex,
  SitemapProblem,
  SitemapProblemKind,
  SitemapUrls
} from "./SitemapFacts.ts"
