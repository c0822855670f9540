import { existsSync, readFileSync, statSync } from "node:fs"
import { extname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { diffOf, scopeOf } from "../../src/crawl/diff/Diff.ts"
import { readInPart } from "../../src/crawl/rules/Targets.ts"
import { report } from "../crawl/site/Crawled.ts"
import { memoryOutbound } from "../crawl/site/MemoryOutbound.ts"

// `bun run campaign sites BEFORE AFTER`: crawls two states of a static site, each a folder of built files (`git archive COMMIT | tar x -C FOLDER`), and
// compares the differences that it reports with those that `truth.py` reads from the files.

interface Truth {
  readonly pages: Readonly<
    Record<string, { title: string; description: boolean; canonical: boolean; noindex: boolean }>
  >
  /** Every URL on a page, including broken ones. */
  readonly met: ReadonlyArray<string>
  readonly dead: ReadonlyArray<readonly [target: string, from: string]>
}

const origin = "http://site.test"
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8"
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile()

/** Responds like a static host. */
const hosted = (folder: string) =>
  memoryOutbound(({ pathname }) => {
    const path = join(folder, decodeURIComponent(pathname))
    if (!pathname.endsWith("/") && existsSync(path) && statSync(path).isDirectory())
      return { status: 301, headers: { location: `${pathname}/` } }
    const tried = pathname.endsWith("/") ? [join(path, "index.html")] : [path, `${path}.html`]
    const file = tried.find(isFile)
    // The crawl rules of the site do not matter for this comparison.
    if (file === undefined || pathname === "/robots.txt")
      return { status: 404, headers: { "content-type": "text/html" }, body: "<h1>There is no such page</h1>" }
    return { headers: { "content-type": types[extname(file)] ?? "application/octet-stream" }, body: readFileSync(file) }
  })

const crawled = (folder: string, maxPages = 20_000): Promise<CrawlResult> =>
  Effect.runPromise(
    Effect.provide(
      report(`${origin}/`, { deadline: "20 minutes", maxPages, timing: { confirmAfter: 1 } }),
      hosted(folder)
    )
  )

const truthOf = (folder: string): Truth => {
  const { exitCode, stderr, stdout } = Bun.spawnSync(["python3", join(import.meta.dir, "truth.py"), folder, origin])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString())
}

let wrong = 0
/** Whether both crawls read every page completely: unread parts need not be reported. */
let isWhole = true
const check = (name: string, missing: ReadonlyArray<string>, extra: ReadonlyArray<string>, of: number) => {
  wrong += missing.length + extra.length
  console.log(
    `${name.padEnd(34)}${`${of}`.padStart(6)} true, ${missing.length} not told, ${extra.length} told and not true`
  )
  for (const each of missing.slice(0, 3)) console.log(`    not told: ${each}`)
  for (const each of extra.slice(0, 3)) console.log(`    not true: ${each}`)
}

/** Compares the reported items with the true ones. `optional` items are true but need not be reported. */
const compare = (name: string, told: Iterable<string>, truth: Iterable<string>, optional: Iterable<string> = []) => {
  const [said, is, may] = [new Set(told), new Set(truth), new Set(optional)]
  check(
    name,
    isWhole ? [...is].filter((each) => !said.has(each)) : [],
    [...said].filter((each) => !is.has(each) && !may.has(each)),
    is.size
  )
}

const [beforeFolder, afterFolder] = process.argv.slice(2).map((path) => resolve(path))
if (beforeFolder === undefined || afterFolder === undefined) {
  console.error("usage: bun run campaign sites BEFORE AFTER")
  process.exit(1)
}

const [was, is] = [truthOf(beforeFolder), truthOf(afterFolder)]
const [before, again, after] = [await crawled(beforeFolder), await crawled(beforeFolder), await crawled(afterFolder)]
const same = diffOf(before, again)
const { dead_links, findings, pages } = diffOf(before, after)
console.log(
  `${before.summary.pages.fetched} and ${after.summary.pages.fetched} pages, complete: ${before.summary.complete} and ${after.summary.complete}; ${Object.keys(was.pages).length} and ${Object.keys(is.pages).length} in the files`
)

isWhole = [before, after].every(({ findings }) =>
  findings.every(({ evidence }) => evidence.reason?.endsWith(readInPart) !== true)
)
if (!isWhole) console.log("A page was read in part: what is told must be true, and need not be all.")

compare(
  "an unchanged site has no difference",
  [same.findings.new, same.findings.fixed, same.findings.not_comparable, same.dead_links.new, same.dead_links.fixed]
    .flat()
    .map(({ url }) => url)
    .concat([same.pages.added, same.pages.removed, same.pages.changed].flat().map(({ url }) => url)),
  []
)

const [oldMet, newMet] = [new Set(was.met), new Set(is.met)]
const both = (url: string) => was.pages[url] !== undefined && is.pages[url] !== undefined
const link = ({ linked_from, url }: { readonly url: string; readonly linked_from: string }) =>
  `${url} from ${linked_from}`
const pairs = ({ dead }: Truth) => new Map(dead.map(([url, from]) => [`${url} from ${from}`, from]))
const [oldDead, newDead] = [pairs(was), pairs(is)]
const gone = [...oldDead].filter(([pair]) => !newDead.has(pair))
const come = [...newDead].filter(([pair]) => !oldDead.has(pair))
compare(
  "dead links, fixed",
  dead_links.fixed.map(link),
  gone.filter(([, from]) => both(from)).map(([pair]) => pair),
  gone.map(([pair]) => pair)
)
compare(
  "dead links, new",
  dead_links.new.map(link),
  come.map(([pair]) => pair)
)
compare(
  "dead links, persisting",
  dead_links.persisting.map(link),
  [...oldDead.keys()].filter((pair) => newDead.has(pair))
)

const found = (status: "new" | "fixed", rule: string) =>
  findings[status].filter((each) => each.rule === rule).map(({ url }) => url)
const faults: Readonly<Record<string, (page: Truth["pages"][string]) => boolean>> = {
  title_missing: ({ title }) => title === "",
  description_missing: ({ description }) => !description
}
for (const [rule, fails] of Object.entries(faults)) {
  const failing = ({ pages }: Truth) =>
    Object.keys(pages).filter((url) => pages[url] !== undefined && fails(pages[url]))
  const [then, now] = [new Set(failing(was)), new Set(failing(is))]
  compare(
    `${rule}, fixed`,
    found("fixed", rule),
    [...then].filter((url) => both(url) && !now.has(url))
  )
  compare(
    `${rule}, new`,
    found("new", rule),
    [...now].filter((url) => !then.has(url) && (both(url) || !oldMet.has(url)))
  )
}

const read = (changes: typeof pages.added) => changes.map(({ url }) => url)
const isPage = (truth: Truth) => (url: string) => truth.pages[url] !== undefined
compare(
  "pages, added",
  read(pages.added).filter(isPage(is)),
  Object.keys(is.pages).filter((url) => !oldMet.has(url))
)
compare(
  "pages, removed",
  read(pages.removed).filter(isPage(was)),
  Object.keys(was.pages).filter((url) => !newMet.has(url))
)
const retitled = pages.changed.filter(({ after, before }) => before?.title !== after?.title)
compare(
  "titles, changed",
  retitled.filter(({ url }) => both(url)).map(({ url }) => url),
  Object.keys(is.pages).filter((url) => both(url) && was.pages[url]?.title !== is.pages[url]?.title)
)

/** An issue of the whole site is one, for any start page. */
const unit = (rule: string, url: string) => (scopeOf(rule) === "site" ? rule : `${rule} ${url}`)
const units = (result: CrawlResult) => result.findings.flatMap(({ pages, rule }) => pages.map((url) => unit(rule, url)))
const listed = [findings.new, findings.fixed, findings.persisting, findings.not_comparable].flat()
compare(
  "each fault in one list",
  listed.map(({ rule, url }) => unit(rule, url)),
  [...units(before), ...units(after)]
)
check(
  "each fault once",
  [],
  listed.length === new Set(listed.map(({ rule, url }) => `${rule} ${url}`)).size ? [] : ["a fault twice"],
  listed.length
)

const few = diffOf(before, await crawled(beforeFolder, 20))
compare(
  "20 pages make nothing new or fixed",
  [few.findings.new, few.findings.fixed, few.dead_links.new, few.dead_links.fixed].flat().map(({ url }) => url),
  []
)
console.log(wrong === 0 ? "All of it is true." : `${wrong} differ.`)
process.exit(wrong === 0 ? 0 : 1)
