import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { SitemapFile } from "../report/Summary.ts"
import { hintFaults } from "../sitemap/Hints.ts"
import { hasSitemap } from "./Gates.ts"
import { sitemaps as guidance } from "./guidance/Sitemaps.ts"
import { type Rule, siteWide } from "./Rule.ts"
import { some } from "./Targets.ts"

const protocol = "sitemaps.org protocol"
const unread = ({ sitemap }: AnalysedSite) => (sitemap === null ? "the run ended before the sitemap was read" : null)

/** robots.txt or an index names a sitemap; otherwise the run only tried the usual place, where no sitemap is required. */
const isNamed = ({ robots, sitemap }: AnalysedSite): boolean =>
  (robots?.robots?.sitemaps.length ?? 0) > 0 || (sitemap?.files.length ?? 0) > 1

/** Neither read nor refused: nothing is known of it. */
const isSilent = ({ problems, state }: SitemapFile): boolean => state === "unreachable" && problems.length === 0

export const sitemaps: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "sitemap_missing",
      category: "sitemaps",
      severity: "info",
      means: "The site has no sitemap, so pages without links may never be found.",
      fix: "Publish /sitemap.xml, or name its address in robots.txt.",
      source: `${protocol}, Informing search engine crawlers`,
      restsOn: "own",
      guidance: guidance.sitemap_missing
    },
    ({ sitemap }) => (sitemap?.files.every(({ state }) => state === "absent") === true ? "no sitemap was found" : null),
    unread
  ),
  siteWide(
    {
      id: "sitemap_invalid",
      category: "sitemaps",
      severity: "warning",
      means: "A sitemap cannot be read in full, or does not follow the protocol.",
      fix: "Correct the problems named in the evidence and validate the file against the schema.",
      source: `${protocol}, XML tag definitions`,
      guidance: guidance.sitemap_invalid
    },
    (site) => {
      const faulty = (site.sitemap?.files ?? []).flatMap(({ problems, state, url }) => {
        if (state === "blocked_by_robots") return [`${url}: ${state}`]
        const kinds = problems
          .filter(({ kind }) => kind !== "foreign_host" && !hintFaults.has(kind))
          .map(({ kind }) => kind)
        return kinds.length === 0 ? [] : [`${url}: ${kinds.join(", ")}`]
      })
      return faulty.length === 0 ? null : some(faulty, 3)
    },
    (site) =>
      unread(site) ??
      (site.sitemap?.files.every(({ state }) => state === "absent") ? "the site has no sitemap" : null) ??
      (site.sitemap?.files.every(isSilent) ? "no sitemap answered" : null) ??
      (!isNamed(site) && site.sitemap?.files.every(({ state }) => state === "blocked_by_robots")
        ? "no sitemap is named, and robots.txt forbids the usual place"
        : null)
  ),
  siteWide(
    {
      id: "sitemap_values_invalid",
      category: "sitemaps",
      severity: "warning",
      means:
        "lastmod, priority or changefreq of a sitemap cannot be read, so engines ignore them: changed pages are fetched later.",
      fix: "Write dates as 2024-05-31 or 2024-05-31T10:00:00+00:00, priority as 0.0 to 1.0, and changefreq as one of the seven words.",
      source: `${protocol}, XML tag definitions; W3C Date and Time Formats`,
      restsOn: "own",
      guidance: guidance.sitemap_values_invalid
    },
    ({ sitemap }) => {
      const faulty = (sitemap?.files ?? []).flatMap(({ problems, url }) =>
        problems.flatMap(({ count, detail, kind }) =>
          hintFaults.has(kind) ? [`${url}: ${count} × ${kind.replace("invalid_", "")} ("${detail ?? ""}")`] : []
        )
      )
      return faulty.length === 0 ? null : some(faulty, 3)
    },
    hasSitemap
  ),
  siteWide(
    {
      id: "sitemap_named_but_absent",
      name: "Named sitemap does not exist",
      category: "sitemaps",
      severity: "warning",
      means: "robots.txt or a sitemap index names a sitemap that does not exist.",
      fix: "Publish the file or remove its line.",
      source: `${protocol}, Specifying the sitemap location in robots.txt`,
      restsOn: "own",
      guidance: guidance.sitemap_named_but_absent
    },
    (site) => {
      const absent = (site.sitemap?.files ?? []).filter(({ state }) => state === "absent").map(({ url }) => url)
      return isNamed(site) && absent.length > 0 ? some(absent) : null
    },
    unread
  ),
  siteWide(
    {
      id: "sitemap_foreign_urls",
      category: "sitemaps",
      severity: "warning",
      means: "A sitemap lists addresses of other hosts, which engines ignore.",
      fix: "List only addresses of the sitemap's own host.",
      source: `${protocol}, Sitemap file location`,
      guidance: guidance.sitemap_foreign_urls
    },
    ({ sitemap }) => (sitemap !== null && sitemap.foreignCount > 0 ? some(sitemap.foreign) : null),
    hasSitemap
  )
]
