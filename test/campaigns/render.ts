import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findBrowser } from "../../src/foundation/browser/Find.ts"
import { environmentOf } from "./node.ts"
import { type Hostile, hostilePages } from "./render/pages.ts"
import { site, trap } from "./render/traps.ts"
import { filesBelow, watched } from "./render/watch.ts"

/** Bytes of the browser's processes, and those by which the crawl's own may exceed that of an ordinary site; bytes of files while a page is rendered. */
const mostMemory = 1_536 * 2 ** 20
const mostGrowth = 150 * 2 ** 20
const mostDisk = 1_024 * 2 ** 20
/** Seconds that a hostile page may take longer than an ordinary one: its deadline twice, since a page whose browser ends is rendered once more, and what it takes to end them. */
const mostSeconds = 15

const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0)

const root = resolve(import.meta.dir, "../..")

interface Rendering {
  readonly state: string
  readonly reason: string | null
}

/** What a crawl made of a page, as one text. */
export const outcomeOf = (rendering: Rendering | null | undefined) =>
  rendering == null ? "no scripts" : `${rendering.state}${rendering.reason === null ? "" : `: ${rendering.reason}`}`

type Site = Awaited<ReturnType<typeof site>>
type Trap = Awaited<ReturnType<typeof trap>>

/** Crawls the site by the command line in a folder of its own, and looks at all that it starts. */
const crawled = async (served: Site, caught: Trap, pages: ReadonlyMap<string, Hostile>) => {
  served.put(pages)
  const folder = mkdtempSync(join(tmpdir(), "findable-campaign-"))
  chmodSync(folder, 0o711)
  const began = performance.now()
  const child = Bun.spawn(
    [
      process.execPath,
      "--preload",
      join(import.meta.dir, "render/rebinding.ts"),
      join(root, "src/cli.ts"),
      "crawl",
      served.url,
      ...["--render", "always", "--render-pages", "200", "--max-pages", `${pages.size + 4}`, "--json"]
    ],
    {
      cwd: root,
      env: environmentOf({ FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.2/32", TMPDIR: folder }),
      stderr: "pipe",
      stdout: "pipe"
    }
  )
  process.on("exit", () => child.kill("SIGKILL"))
  const watch = watched(child.pid, folder)
  const [output, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  const seconds = (performance.now() - began) / 1000
  const seen = await watch.stop()
  const here = served.take()
  const there = caught.take()
  await Bun.sleep(200)
  const files = filesBelow(folder).map(([path]) => path.slice(folder.length))
  rmSync(folder, { force: true, recursive: true })
  const late = [...served.take().escaped, ...caught.take().escaped]
  const report = code === 0 ? JSON.parse(output) : null
  const faults = [
    ...(code === 0 ? [] : [`ended with ${code}: ${complaints.slice(-300)}`]),
    ...(report === null || report.summary.termination === "complete"
      ? []
      : [`the crawl is ${report.summary.termination}`]),
    ...[...here.escaped, ...there.escaped].map((what) => `escaped: ${what}`),
    ...late.map((what) => `after the end: ${what}`),
    ...seen.strange.map((what) => `a socket of the browser: ${what}`),
    ...seen.left.map((pid) => `process ${pid} was left`),
    ...files.slice(0, 3).map((path) => `${path} was left`),
    ...(served.open() === 0 ? [] : [`${served.open()} connections were left`]),
    ...(seen.memory > mostMemory ? [`the browser took ${mebibytes(seen.memory)} MiB`] : []),
    ...(seen.disk > mostDisk ? [`its files took ${mebibytes(seen.disk)} MiB`] : []),
    ...(/root:x:|\broot:\*:/.test(output) ? ["a file of the machine was told"] : []),
    ...(output.includes("secret") ? ["an answer of a closed address was told"] : [])
  ]
  const pageAt = (path: string) =>
    report?.pages.find((page: { readonly url: string }) => page.url === new URL(path, served.url).href)
  // Beside many hostile pages the time of rendering may be over before the last page's turn.
  const isExcused = (outcome: string) => pages.size > 1 && outcome === "not_rendered: budget"
  const innocent = served.others.flatMap((path) => {
    const outcome = outcomeOf(pageAt(path)?.rendering)
    return pageAt(path)?.h1 === "By a script" || isExcused(outcome) ? [] : [`${path} is ${outcome}`]
  })
  return { allowed: there.allowed, faults: [...faults, ...innocent], pageAt, requests: here.requests, seconds, seen }
}

type Crawled = Awaited<ReturnType<typeof crawled>>

const rowOf = (name: string, outcome: string, { allowed, seconds, seen }: Crawled, faults: ReadonlyArray<string>) =>
  `| ${name} | ${outcome} | ${seconds.toFixed(1)} | ${mebibytes(seen.memory)} | ${mebibytes(seen.own)} | ${mebibytes(seen.disk)} | ${seen.browsers} | ${allowed} | ${faults.length === 0 ? "none" : [...new Set(faults)].slice(0, 4).join("; ")} |`

/** What a machine may do that is busy with other things: such a crawl is made once more. */
const late = /^too slow$| is failed: time$|^not /

/** A page that does no harm, as the measure of the others. */
const harmless: Hostile = { body: () => "<script>document.title = 'By a script'</script>", ends: /^rendered$/ }

/**
 * `render [NAME …]`: crawls, by the command line, of a site with a hostile page among two ordinary ones, each hostile page by itself and then all of them. A page
 * costs its own outcome and a bounded time, memory and disk; nothing reaches a listener beside the crawl's own client, or an address that is closed to it; when
 * the crawl has ended no process, file or connection is left.
 */
export const render = async (names: ReadonlyArray<string>) => {
  const browser = await Effect.runPromise(
    findBrowser("rendering").pipe(Effect.provide(BunContext.layer), Effect.option)
  )
  if (Option.isNone(browser) || process.platform !== "linux") {
    console.log("SKIPPED: there is no browser here (Debian: apt-get install chromium-headless-shell), or no Linux")
    return true
  }
  const caught = await trap()
  await caught.prove()
  const served = await site(caught.port)
  const all = Object.entries(hostilePages).filter(
    ([name]) => names.length === 0 || names.some((part) => name.includes(part))
  )
  let wrong = 0
  console.log(
    "| page | outcome | seconds | MiB of the browser | MiB of the crawl | MiB of files | browsers | requests of our client at another host | faults |\n|---|---|---:|---:|---:|---:|---:|---:|---|"
  )
  const ordinary = await crawled(served, caught, new Map([["/hostile", harmless]]))
  console.log(rowOf("(an ordinary one)", outcomeOf(ordinary.pageAt("/hostile")?.rendering), ordinary, ordinary.faults))
  const growthOf = ({ seen }: Crawled) =>
    seen.own - ordinary.seen.own > mostGrowth
      ? [`the crawl grew by ${mebibytes(seen.own - ordinary.seen.own)} MiB`]
      : []
  const attempt = async (page: Hostile) => {
    const crawl = await crawled(served, caught, new Map([["/hostile", page]]))
    const outcome = outcomeOf(crawl.pageAt("/hostile")?.rendering)
    const faults = [
      ...crawl.faults,
      ...growthOf(crawl),
      ...(page.ends.test(outcome) ? [] : [`not ${page.ends.source}`]),
      ...(crawl.seconds - ordinary.seconds > mostSeconds ? ["too slow"] : [])
    ]
    return { crawl, faults, outcome }
  }
  for (const [name, page] of all) {
    const first = await attempt(page)
    const isLate = first.faults.length > 0 && first.faults.every((fault) => late.test(fault))
    const { crawl, faults, outcome } = isLate ? await attempt(page) : first
    if (faults.length > 0) wrong += 1
    console.log(rowOf(name, outcome, crawl, faults))
  }
  const together = await crawled(served, caught, new Map(all.map(([, page], at) => [`/hostile-${at}`, page])))
  const outcomes = Object.entries(
    Object.groupBy(all, (_, at) => outcomeOf(together.pageAt(`/hostile-${at}`)?.rendering))
  ).map(([outcome, pages]) => `${pages?.length} ${outcome}`)
  const faults = [...together.faults, ...growthOf(together), ...(together.seconds > 100 ? ["too slow"] : [])]
  console.log(rowOf(`all ${all.length} on one site`, outcomes.join(", "), together, faults))
  caught.stop()
  served.stop()
  console.log(
    `${all.length} hostile pages by ${browser.value}: ${wrong + (faults.length > 0 ? 1 : 0)} crawls with faults`
  )
  return wrong === 0 && faults.length === 0
}
