import { groupedBy } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { SitemapFile } from "../report/CrawlResult.ts"
import { sitemapAddress } from "../robots/Parse.ts"
import { isOutOfReach } from "../site/Site.ts"
import { hintFaults } from "../sitemap/Entries.ts"
import { type Fault, type Rule, siteWide } from "./Rule.ts"
import { hasSitemap, readSitemap, some } from "./Targets.ts"

/** A fault of a sitemap file with the affected value and the text around it. */
interface FileFault {
  readonly file: SitemapFile
  readonly words: string
  readonly value?: string | undefined
  readonly text?: string | undefined
}

/** Kinds of faults that end the reading of a file. */
const endings = new Set(["malformed_xml", "gzip_broken", "too_large", "too_many_urls"])
/** Whether the fault concerns a value of the file; other faults describe themselves. */
const isOfValue = (kind: string): boolean =>
  hintFaults.has(kind) || ["bad_namespace", "invalid_loc", "loc_too_long", "has_credentials"].includes(kind)

const abbreviations = /\b(?:dtd|url|xml)\b/g

/** A problem in words: kind, number, place, and how much was read before it. */
const problemWords = (
  file: SitemapFile,
  { column, count, detail, kind, line }: SitemapFile["problems"][number]
): string => {
  const name = kind.replaceAll("_", " ").replace(abbreviations, (each) => each.toUpperCase())
  const first = count > 1 ? ", first" : ""
  const where = line === undefined ? "" : `${first} in line ${line}${column === undefined ? "" : `, column ${column}`}`
  const said = detail === null ? "" : isOfValue(kind) ? ` ("${detail}")` : `: ${detail}`
  const read = endings.has(kind) ? `; ${plural(file.urls, "URL")} found before it` : ""
  return `${count > 1 ? `${count} × ` : ""}${name}${where}${said}${read}`
}

/** The problems of a file that meet a condition. */
const problemsOf = (file: SitemapFile, holds: (kind: string) => boolean): ReadonlyArray<FileFault> =>
  file.problems.flatMap((problem) => {
    const { detail, kind, text } = problem
    if (!holds(kind)) return []
    return [
      { file, words: problemWords(file, problem), text, value: isOfValue(kind) ? (detail ?? undefined) : undefined }
    ]
  })

/** The fault of files: the problems of each, and the first value and text to show. */
const filesFault = (faults: ReadonlyArray<FileFault>): Fault | null => {
  if (faults.length === 0) return null
  const files = [...groupedBy(faults, ({ file }) => file.url)]
  return {
    detail: some(
      files.map(([url, own]) => `${url}: ${own.map(({ words }) => words).join(", ")}`),
      3
    ),
    value: faults.find(({ value }) => value !== undefined)?.value,
    markup: faults.find(({ text }) => text !== undefined)?.text,
    place: "sitemap"
  }
}

const protocol = "sitemaps.org protocol"
const unread = ({ sitemap }: AnalysedSite) =>
  sitemap === null ? "the crawl ended before the sitemap was fetched" : null

/** The values of Sitemap lines in robots.txt. */
const linesOf = ({ robots }: AnalysedSite): ReadonlyArray<string> => robots?.robots?.sitemaps ?? []

const isNamed = ({ sitemap }: AnalysedSite): boolean => sitemap?.isNamed === true

/** The sitemaps in robots.txt on unreachable hosts, which another check reports. */
const linesOutOfReach = (site: AnalysedSite): ReadonlyArray<string> =>
  linesOf(site).filter((value) => {
    const url = sitemapAddress(value)
    return url !== null && isOutOfReach(site.start, url)
  })
const outOfReach = "robots.txt references a sitemap on a host that nobody else can reach"

/** A Sitemap line without its full URL is a fault of robots.txt, which `robots_txt_lines` reports: other checks depend on it. */
const notInFull = "robots.txt references a sitemap without its full URL"
const isNotInFull = (site: AnalysedSite): boolean => linesOf(site).some((value) => sitemapAddress(value) === null)

/** No sitemap exists at the usual place, and robots.txt names another place without its full URL. */
const isAnotherFile = (site: AnalysedSite, { state }: SitemapFile): boolean =>
  state !== "read" && site.sitemap?.lacksNamed === true && !isNamed(site)

/** Whether the file neither answered nor was refused, so nothing about it is known. */
const isSilent = ({ problems, state }: SitemapFile): boolean => state === "unreachable" && problems.length === 0

/** Whether robots.txt closes the file to this crawler alone, so nothing about it is known. */
const isClosedToUs = ({ sitemap }: AnalysedSite, { state, url }: SitemapFile): boolean =>
  state === "blocked_by_robots" && sitemap?.shutOut.has(url) === false

/** The fault of URLs on other hosts, with the part that no search engine reaches. */
const foreignFault = perSite((site): Fault | null => {
  const { sitemap, start } = site
  const lines = linesOutOfReach(site)
  const [line] = lines
  const foreign = sitemap?.foreign ?? []
  const words = (url: string) => (isOutOfReach(start, new URL(url)) ? `${url} (not public)` : url)
  const faults = [
    ...lines.map((value) => `robots.txt references ${words(value)}`),
    ...(foreign.length === 0 ? [] : [some(foreign.map(words))])
  ]
  if (faults.length === 0) return null
  return line === undefined
    ? { detail: faults.join("; "), value: foreign[0], place: "sitemap" }
    : { detail: faults.join("; "), value: line, place: "robots" }
})

/** Where guidance looks for the origin of sitemaps. */
export const find =
  "Find what generates the sitemap (build step, framework route, plugin or static file) and the Sitemap line of robots.txt."

/** The last guidance step for sitemaps. */
export const again = "Generate the sitemap again, and check it as it is served."

/** The guidance step for listing only indexable pages. */
export const onlyEligible =
  "Let the generator include only indexable pages that return 200 and have a canonical to themselves."

/** Checks of sitemap files. */
export const sitemaps: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "sitemap_missing",
      name: "Missing sitemap",
      category: "sitemaps",
      severity: "info",
      means: "The site has no sitemap.",
      fix: "Publish /sitemap.xml, or list the URL of the sitemap in robots.txt.",
      source: `${protocol}, Informing search engine crawlers`,
      restsOn: "own",
      guidance: {
        why: "Search engines may never discover pages with few links, and notice changes later.",
        goal: "Publish a sitemap of the pages that should appear in search",
        find: "Find out how the site is built: most frameworks and content systems have a sitemap generator or plugin.",
        steps: [
          "Generate /sitemap.xml in the build or by a route, with absolute URLs.",
          onlyEligible,
          "Add a line to robots.txt: Sitemap: and its full URL."
        ],
        never: "maintain the list by hand if pages are added and removed often"
      }
    },
    ({ sitemap }) => (sitemap?.files.every(({ state }) => state === "absent") === true ? "no sitemap was found" : null),
    (site) => {
      const reason = isNotInFull(site) ? notInFull : linesOutOfReach(site).length > 0 ? outOfReach : null
      return unread(site) ?? (site.sitemap?.files.every(({ state }) => state === "absent") ? reason : null)
    }
  ),
  siteWide(
    {
      id: "sitemap_invalid",
      name: "Invalid sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "A sitemap is malformed or violates the sitemap protocol.",
      fix: "Correct the problems listed in the details, and validate the file against the schema.",
      source: `${protocol}, XML tag definitions; XML 1.0 §2.1, §2.4, §2.8 and §4.1; Namespaces in XML 1.0 §5; RFC 1952 §2.2`,
      guidance: {
        why: "Search engines skip the affected entries, or the whole file.",
        goal: "Make the sitemap valid and complete",
        find,
        steps: [
          "Go to the line in the evidence: usually an unescaped & or <, an HTML entity such as &nbsp;, a missing end tag, or a prefix without its xmlns. Escape values with the generator's XML writer.",
          "Send nothing before <?xml, after the root element or after a gzip stream: no blank lines, notices or cache comments. Do not send HTML in place of the file.",
          "Split files above 50,000 URLs or 50 MB, and list them in an index.",
          again
        ],
        never: "drop entries that cannot be written correctly without knowing why"
      }
    },
    (site) => {
      const faults = (site.sitemap?.files ?? []).flatMap((file) =>
        isNamed(site) && site.sitemap?.shutOut.has(file.url) === true
          ? [{ file, words: "blocked by robots.txt" }]
          : problemsOf(file, (kind) => !isAnotherFile(site, file) && kind !== "foreign_host" && !hintFaults.has(kind))
      )
      return filesFault(faults)
    },
    (site) =>
      unread(site) ??
      (site.sitemap?.files.every(({ state }) => state === "absent") ? "the site has no sitemap" : null) ??
      (site.sitemap?.files.every(isSilent) ? "no sitemap responded" : null) ??
      (site.sitemap?.files.every((file) => isClosedToUs(site, file))
        ? "robots.txt blocks Findable from the sitemap"
        : null) ??
      (site.sitemap?.files.every((file) => isAnotherFile(site, file)) ? notInFull : null) ??
      (!isNamed(site) && site.sitemap?.files.every(({ state }) => state === "blocked_by_robots")
        ? "no sitemap is referenced, and robots.txt blocks the default location"
        : null)
  ),
  siteWide(
    {
      id: "sitemap_values_invalid",
      name: "Invalid values in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "lastmod, priority or changefreq values of a sitemap are invalid.",
      fix: "Write lastmod as 2024-05-31 or 2024-05-31T10:00:00+00:00. Use priority from 0.0 to 1.0, and changefreq as one of its seven words.",
      source: `${protocol}, XML tag definitions; W3C Date and Time Formats`,
      restsOn: "own",
      guidance: {
        why: "Search engines ignore invalid values, so they crawl updated pages later.",
        goal: "Write valid lastmod, priority and changefreq values, or omit them",
        find,
        steps: [
          "Write lastmod as 2024-05-31 or 2024-05-31T10:00:00+00:00, from the date of the last content change.",
          "Write priority as 0.0 to 1.0 and changefreq as one of its seven words, or omit both: most search engines ignore them.",
          again
        ],
        never: "set lastmod of all pages to the build time"
      }
    },
    ({ sitemap }) =>
      filesFault((sitemap?.files ?? []).flatMap((file) => problemsOf(file, (kind) => hintFaults.has(kind)))),
    hasSitemap
  ),
  siteWide(
    {
      id: "sitemap_named_but_absent",
      name: "Referenced sitemap not found",
      category: "sitemaps",
      severity: "warning",
      means: "robots.txt or a sitemap index references a sitemap that does not exist.",
      fix: "Publish the file, or remove its line.",
      source: `${protocol}, Specifying the sitemap location in robots.txt`,
      restsOn: "own",
      guidance: {
        why: "Search engines request a file that does not exist, and the URLs in it are not discovered.",
        goal: "Make every referenced sitemap available, or remove the reference",
        find,
        steps: [
          "Request the referenced URL and find out why it fails: wrong host, wrong path, or a build that does not publish it.",
          "Publish the file there, or correct or remove the line.",
          "Check the URLs in a sitemap index too."
        ],
        never: "publish an empty sitemap"
      }
    },
    (site) => {
      const absent = (site.sitemap?.files ?? []).filter(({ state }) => state === "absent").map(({ url }) => url)
      return isNamed(site) && absent.length > 0 ? { detail: some(absent), value: absent[0] } : null
    },
    unread
  ),
  siteWide(
    {
      id: "sitemap_foreign_urls",
      name: "URLs of other hosts in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means:
        "The sitemap lists URLs of other hosts, or robots.txt references a sitemap on a host that nobody else can reach, such as localhost.",
      fix: "Use the site's own host in the sitemap and in robots.txt.",
      source: `${protocol}, Sitemap file location; RFC 6761 §6.3; RFC 6890 §2.2`,
      guidance: {
        why: "Search engines ignore URLs of other hosts, and sitemaps that they cannot fetch.",
        goal: "List only URLs of the sitemap's own host, and reference the sitemap by that host in robots.txt",
        find: `${find} A base URL of staging, of the development server (localhost), with http or without www is the usual cause.`,
        steps: [
          "Set the generator's base URL to the public one and build for production: development servers write their own URL.",
          "Move URLs of other hosts into sitemaps on those hosts.",
          again
        ],
        never: "redirect the other host only for the sitemap"
      }
    },
    foreignFault,
    (site) => (foreignFault(site) === null ? hasSitemap(site) : null)
  )
]

const day = 86_400_000
/** Maximum pages that plausibly changed at one moment. */
const fewPages = 20

/** The latest date is further ahead than time zones differ. */
const future = ({ now, sitemap }: AnalysedSite): string | null => {
  const latest = sitemap?.dates.latest ?? null
  return latest !== null && latest.millis > now + day ? `lastmod of ${latest.url} is ${latest.written}` : null
}

/** All pages have one modification time; news sitemaps are exempt, because they cover two days at most. */
const uniform = ({ sitemap }: AnalysedSite): string | null => {
  if (sitemap === null) return null
  const { dated, news, only } = sitemap.dates
  return only !== null && dated > fewPages && dated === sitemap.urls.length - news
    ? `all ${dated} URLs have the same date ${only}`
    : null
}

/** Checks of modification times in sitemaps. */
export const sitemapDates: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "sitemap_lastmod_implausible",
      name: "Implausible lastmod in the sitemap",
      category: "sitemaps",
      severity: "info",
      means: "lastmod is in the future, or the same for all of more than 20 URLs, news aside.",
      fix: "Set lastmod to the day on which the content of each page changed, or omit it.",
      source:
        "Google Search Central, Build and submit a sitemap, Additional notes about XML sitemaps; News sitemaps, best practices",
      guidance: {
        why: "Search engines stop using lastmod when it proves wrong, so they crawl updated pages later.",
        goal: "Set lastmod to the last content change of each page",
        find,
        steps: [
          "Find out where the generator takes lastmod from: usually the time of the build or of the request.",
          "Use the date of the content: its last edit or its last commit.",
          "Omit lastmod for pages without such a date.",
          again
        ],
        never: "invent different dates"
      }
    },
    (site) => {
      const ahead = future(site)
      if (ahead !== null) return { detail: ahead, value: site.sitemap?.dates.latest?.written, place: "sitemap" }
      const same = uniform(site)
      return same === null ? null : { detail: same, value: site.sitemap?.dates.only ?? undefined, place: "sitemap" }
    },
    // A date in the future is certain even if other sitemaps were not read.
    (site) => hasSitemap(site) ?? (future(site) === null ? readSitemap(site) : null)
  )
]
