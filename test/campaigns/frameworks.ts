import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { browser, patient, siteOf } from "../crawl/render/oracle.ts"
import { patientTiming, report } from "../crawl/site/Crawled.ts"
import { memoryOutbound } from "../crawl/site/MemoryOutbound.ts"
import { type Framework, frameworks, lateTitle, listed, listedBelow, titles } from "./frameworks/sites.ts"

const origin = "https://site.test"
const modes = ["never", "auto", "always"] as const

/** Runs a command to its end, and returns the last that it said where it failed. */
const ran = async (words: ReadonlyArray<string>, cwd: string): Promise<string | null> => {
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", CI: "1", NEXT_TELEMETRY_DISABLED: "1" }
  const child = Bun.spawn([...words], { cwd, env, stderr: "pipe", stdin: "ignore", stdout: "pipe" })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return (await child.exited) === 0 ? null : said.join("\n").slice(-1500)
}

/** Writes, installs and builds a site; why that was not possible, or null. */
const built = async ({ build, files, packages }: Framework, folder: string): Promise<string | null> => {
  const all = { ...files, "package.json": JSON.stringify({ dependencies: packages, private: true, type: "module" }) }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const [program = "", ...words] = build
  return (
    (await ran(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], folder)) ??
    (await ran([join("node_modules/.bin", program), ...words], folder))
  )
}

/** A shell answers every address but those of robots.txt and sitemaps. Names of files may have brackets, which links encode. */
const siteAt = (folder: string, isShell: boolean) => {
  const [files, all] = [siteOf(folder, false), siteOf(folder, isShell)]
  return ({ href, pathname }: URL) => {
    const url = new URL(href)
    url.pathname = decodeURIComponent(pathname)
    return /\.(?:txt|xml|gz)$/.test(pathname) ? files(url) : all(url)
  }
}

const crawled = (folder: string, isShell: boolean, render: (typeof modes)[number]) =>
  report(`${origin}/`, {
    deadline: "15 minutes",
    maxPages: 60,
    render,
    renderPages: 60,
    timing: patientTiming
  }).pipe(Effect.provide(Layer.merge(memoryOutbound(siteAt(folder, isShell)), patient)), Effect.runPromise)

/** A page's path as links write it; some builds end it with a slash. */
const pathOf = (url: string) => new URL(url).pathname.replace(/(?<=.)\/$/, "")

const pagesOf = ({ pages }: CrawlResult) => new Map(pages.map((page) => [pathOf(page.url), page]))

/** Headings of all pages that a search engine finds. */
const headings = new Map([
  ...Object.entries(titles),
  ...[...listed, ...listedBelow].map((path) => [path, `Tea ${path.slice("/products/".length)}`] as const)
])

/** What must hold of one crawl; each sentence with what was met instead, null where it holds. */
const laws = (isShell: boolean, mode: (typeof modes)[number], result: CrawlResult): ReadonlyArray<string> => {
  const pages = pagesOf(result)
  const raw = isShell ? ["/"] : Object.keys(titles)
  const wanted = mode === "never" ? raw : [...headings.keys()]
  const broken = [
    pages.keys().toArray().toSorted().join() === wanted.toSorted().join() ? null : `pages: ${[...pages.keys()]}`
  ]
  if (mode === "never") return broken.filter((each) => each !== null)
  for (const [path, h1] of headings) {
    const page = pages.get(path)
    const title = path === "/late" ? lateTitle : h1
    broken.push(
      page?.h1 === h1 && page.title === title ? null : `${path}: heading ${page?.h1}, title ${page?.title}`,
      page?.health_reason === (path === "/hidden" ? "noindex_meta" : "ok") ? null : `${path}: ${page?.health_reason}`,
      (page?.rendering?.errors ?? []).length === 0 ? null : `${path}: ${page?.rendering?.errors}`
    )
  }
  const rules = result.findings.flatMap(({ pages, rule }) => (pages.length > 0 ? [rule] : []))
  for (const rule of ["noindex_added_by_script", "title_changed_by_script", "links_only_rendered"])
    broken.push(rules.includes(rule) ? null : `no issue ${rule}`)
  for (const rule of ["broken_link", "orphan_page", "rendering_failed", "script_error", "soft_404_rendered"])
    broken.push(rules.includes(rule) ? `issue ${rule}` : null)
  return broken.filter((each) => each !== null)
}

/**
 * `frameworks [NAME …]`: small shops with client-side routes, lists that scripts load, a title and a noindex by script are built from packages of npm, and
 * crawled without a browser and with one.
 */
export const frameworksCampaign = async (words: ReadonlyArray<string>): Promise<boolean> => {
  if (browser === null) {
    console.log(
      "\n*** SKIPPED, nothing was shown: this machine has no browser (apt-get install chromium-headless-shell) ***\n"
    )
    return true
  }
  const wanted = frameworks.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)))
  let broken = 0
  console.log("framework            render   pages  rendered  score  issues")
  for (const framework of wanted) {
    const folder = mkdtempSync(join(tmpdir(), "findable-framework-"))
    try {
      const failure = await built(framework, folder)
      if (failure !== null) {
        console.log(`\n*** SKIPPED ${framework.name}, which npm does not install or build here: ${failure} ***\n`)
        continue
      }
      for (const mode of modes) {
        const result = await crawled(join(folder, framework.built), framework.isShell, mode)
        const issues = result.findings.flatMap(({ pages, rule }) =>
          pages.length > 0 ? [`${rule} ${pages.length}`] : []
        )
        const { rendered } = result.summary.rendering
        const figures = [
          String(result.pages.length).padStart(5),
          String(rendered).padStart(9),
          ` ${result.score.aggregate_score}`.padStart(6)
        ]
        console.log(`${framework.name.padEnd(20)} ${mode.padEnd(8)} ${figures.join(" ")}  ${issues.join(", ")}`)
        for (const law of laws(framework.isShell, mode, result)) {
          broken++
          console.log(`  wrong ${law}`)
        }
      }
    } finally {
      rmSync(folder, { force: true, recursive: true })
    }
  }
  return broken === 0
}
