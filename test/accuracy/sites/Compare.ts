import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import type { Expected, Truth } from "./Expected.ts"

/** One thing that the crawl says otherwise than the files. */
export interface Difference {
  readonly about: string
  readonly url: string
  readonly files: string
  readonly crawl: string
}

/** What is compared of each page, with the number of comparisons. */
export interface Comparison {
  readonly compared: ReadonlyMap<string, number>
  readonly differences: ReadonlyArray<Difference>
}

/** The site's own error page, at its own address. */
const isErrorPage = /\/404(?:\.html|\/(?:index\.html)?)?$/

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Compares a crawl that saw the whole site with what its files say. */
export const compare = ({ dead, orphans, pages }: Truth, result: CrawlResult): Comparison => {
  const compared = new Map<string, number>()
  const differences: Array<Difference> = []
  const check = (about: string, url: string, files: unknown, crawl: unknown) => {
    compared.set(about, (compared.get(about) ?? 0) + 1)
    if (shown(files) !== shown(crawl)) differences.push({ about, url, files: shown(files), crawl: shown(crawl) })
  }
  const sets = (about: string, files: Iterable<string>, crawl: Iterable<string>) => {
    const [ours, theirs] = [new Set(crawl), new Set(files)]
    for (const url of new Set([...ours, ...theirs])) check(about, url, theirs.has(url), ours.has(url))
  }
  const measured = new Map(result.pages.map((page) => [page.url, page]))
  sets("address met", pages.keys(), measured.keys())
  for (const [url, page] of measured) {
    const truth: Expected | undefined = pages.get(url)
    if (truth === undefined) continue
    check("status", url, truth.status, page.http_status)
    check("redirect", url, truth.redirectTo, page.redirect_to)
    check("number of linking pages", url, truth.linkers.size, page.linked_from_count)
    if (truth.status !== 200) continue
    check("title", url, truth.title, page.title)
    check("canonical", url, truth.canonical, page.canonical_url)
    if (!isErrorPage.test(url)) check("soft 404", url, false, page.health_reason === "soft_404")
  }
  const found = new Map(result.summary.dead_links.items.map((item) => [item.url, item]))
  sets("dead link", dead.keys(), found.keys())
  for (const [url, linkers] of dead) {
    const item = found.get(url)
    if (item !== undefined)
      check("pages with the dead link", url, [...linkers].toSorted(), item.all_linked_from?.toSorted())
  }
  const alone = result.findings.find(({ rule }) => rule === "orphan_page")
  // A page too large to be read whole may hold the link, so then the crawl claims nothing.
  if (alone?.status !== "not_assessed") sets("orphan", orphans, alone?.pages ?? [])
  return { compared, differences }
}
