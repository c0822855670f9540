import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { report } from "../crawl/site/Crawled.ts"
import { loopback } from "../crawl/site/Loopback.ts"
import { serve } from "../crawl/site/Server.ts"
import { type Expected, expected, type Truth } from "./sites/Expected.ts"
import { Folder } from "./sites/Folder.ts"

/** A difference between the crawl and the files. */
export interface Difference {
  readonly about: string
  readonly url: string
  readonly files: string
  readonly crawl: string
}

/** The compared properties of a page, with the number of comparisons. */
export interface Comparison {
  readonly compared: ReadonlyMap<string, number>
  readonly differences: ReadonlyArray<Difference>
}

/** The site's own error page, under its own URL. */
const isErrorPage = /\/404(?:\.html|\/(?:index\.html)?)?$/

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Compares a complete crawl of a site with its files. */
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
  // A page too large to be read completely may contain the link, so the crawl reports nothing then.
  if (alone?.status !== "not_assessed") sets("orphan", orphans, alone?.pages ?? [])
  return { compared, differences }
}

/** Differences and pages shown of each kind. */
const most = 5

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "built-for": { type: "string" }, start: { type: "string", default: "/" } }
})

const measure = (path: string) =>
  Effect.gen(function* () {
    const folders: Array<Folder> = []
    const { origin } = yield* serve((here) => {
      const folder = new Folder(resolve(path), values["built-for"] ?? null, here)
      folders.push(folder)
      return (request, response) => {
        const { body, location, status, type } = folder.answer(new URL(request.url ?? "/", here).pathname)
        response.writeHead(status, { "content-type": type, ...(location === null ? {} : { location }) })
        response.end(body)
      }
    })
    const [folder] = folders
    if (folder === undefined) return 0
    const truth = expected(folder, new URL(values.start, origin))
    const result = yield* report(new URL(values.start, origin).href, {
      deadline: "10 minutes",
      maxPages: 20_000,
      timing: {}
    })
    const { compared, differences } = compare(truth, result)
    const { score, summary } = result
    console.log(`\n## ${path}: ${truth.pages.size} addresses, score ${score.aggregate_score}, ${summary.termination}\n`)
    console.log("| compared | number | differences |\n|---|---:|---:|")
    for (const [about, count] of compared) {
      console.log(`| ${about} | ${count} | ${differences.filter((each) => each.about === about).length} |`)
    }
    for (const about of compared.keys()) {
      for (const { crawl, files, url } of differences.filter((each) => each.about === about).slice(0, most))
        console.log(`\n${about}: ${url}\n  files: ${files}\n  crawl: ${crawl}`)
    }
    console.log("\n| failing rule | severity | pages | of | for example |\n|---|---|---:|---:|---|")
    for (const { count, evidence, rule, severity, status } of result.findings) {
      const examples = evidence.items.slice(0, most).map(({ detail, url }) => `${url.slice(origin.length)} (${detail})`)
      if (status === "fail")
        console.log(`| ${rule} | ${severity} | ${count} | ${evidence.assessed} | ${examples.join("; ")} |`)
    }
    return differences.length
  }).pipe(Effect.scoped, Effect.provide(loopback))

if (positionals.length === 0) {
  console.error("usage: bun test/accuracy/sites.ts [--built-for https://its.origin] [--start /path/] DIR …")
  process.exit(1)
}

const counts = await Effect.runPromise(Effect.forEach(positionals, measure))

process.exitCode = counts.every((count) => count === 0) ? 0 : 1
