/**
 * Compares our crawler with others: `bun test/bench/crawl.ts [rounds]` (a script, no test). The command of the built package, the command run from the
 * sources (once with the whole analysis, once with output as JSON), Scrapy, crawlee's Cheerio crawler and linkinator crawl the same local sites in turns, six
 * requests at a time. It prints the medians of the rounds: CPU seconds of the whole process, wall-clock seconds, and peak memory. The other crawlers are
 * installed into a folder of their own; a crawler that cannot be installed is left out with a notice.
 *
 * `bun test/bench/crawl.ts library PAGES [BYTES]` measures one crawl by the library in its own process: total CPU, CPU after the last response, and peak
 * memory.
 */
import { copyFileSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")
const place = join(import.meta.dir, "crawl")
const allowed = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" }
const installed = join(tmpdir(), "findable-bench-crawlers")
const packages = ["@crawlee/cheerio@3.18.1", "linkinator@7.6.1"]

interface Site {
  readonly name: string
  readonly pages: number
  readonly bytes: readonly [least: number, most: number]
  readonly latency: number
}

const sites: ReadonlyArray<Site> = [
  { name: "2 pages of 20 KB", pages: 2, bytes: [20_000, 20_000], latency: 0 },
  { name: "50 pages of 20–100 KB", pages: 50, bytes: [20_000, 100_000], latency: 0 },
  { name: "the same, 50 ms late", pages: 50, bytes: [20_000, 100_000], latency: 50 },
  { name: "1,000 pages of 20 KB", pages: 1000, bytes: [20_000, 20_000], latency: 0 }
]

interface Crawler {
  readonly name: string
  readonly words: (start: string, pages: number) => ReadonlyArray<string>
}

const own = (name: string, ...command: ReadonlyArray<string>): Crawler => ({
  name,
  words: (start, pages) => [
    ...[...command, "crawl", start],
    ...["--max-pages", `${Math.min(1000, pages + 1)}`, "--format", "json"]
  ]
})

const works = (...words: ReadonlyArray<string>) =>
  Bun.which(words[0] ?? "") !== null &&
  Bun.spawnSync([...words], { cwd: root, stderr: "ignore", stdout: "ignore" }).exitCode === 0

const ours = () => {
  if (!works(process.execPath, "run", "build")) throw new Error("The package cannot be built")
  return [
    own("ours", Bun.which("node") ?? process.execPath, join(root, "dist/bin.js")),
    own("ours, from sources", process.execPath, "run", "--silent", "cli")
  ]
}

const serve = async ({ bytes, latency, pages }: Site) => {
  const words = [process.execPath, join(place, "site.ts"), `${pages}`, `${bytes[0]}`, `${bytes[1]}`, `${latency}`]
  const child = Bun.spawn(words, { stderr: "inherit", stdout: "pipe" })
  for await (const chunk of child.stdout) {
    const origin = /answers on (\S+)/.exec(new TextDecoder().decode(chunk))?.[1]
    if (origin !== undefined) return { child, start: `${origin}/` }
  }
  throw new Error("The site did not start")
}

/** Other crawlers that are available on this machine. */
const others = (): ReadonlyArray<Crawler> => {
  const found: Array<Crawler> = []
  const python = ["python3", "/usr/bin/python3"].find((name) => works(name, "-c", "import scrapy"))
  if (python === undefined) console.log("LEFT OUT: Scrapy (apt-get install python3-scrapy, or pip install scrapy)")
  else {
    found.push({ name: "Scrapy", words: (start, pages) => [python, join(place, "spider.py"), start, `${pages + 1}`] })
  }
  mkdirSync(installed, { recursive: true })
  const has = works("npm", "install", "--silent", "--no-save", "--prefix", installed, ...packages)
  if (!has) console.log(`LEFT OUT: crawlee and linkinator (npm install ${packages.join(" ")} does not work here)`)
  else {
    copyFileSync(join(place, "cheerio.mjs"), join(installed, "cheerio.mjs"))
    const cheerio = join(installed, "cheerio.mjs")
    found.push({ name: "crawlee", words: (start, pages) => ["node", cheerio, start, `${pages + 1}`] })
    const linkinator = join(installed, "node_modules/linkinator/build/src/cli.js")
    const options = ["--recurse", "--concurrency", "6", "--format", "json"]
    found.push({ name: "linkinator", words: (start) => ["node", linkinator, start, ...options] })
  }
  return found
}

interface Measured {
  readonly cpu: number
  readonly wall: number
  readonly mebibytes: number
  readonly code: number
}

const measure = async (words: ReadonlyArray<string>): Promise<Measured> => {
  const started = performance.now()
  const child = Bun.spawn([...words], {
    cwd: root,
    env: { ...process.env, ...allowed },
    stderr: "ignore",
    stdout: "pipe"
  })
  await new Response(child.stdout).bytes()
  const code = await child.exited
  const usage = child.resourceUsage()
  if (usage === undefined) throw new Error("The system does not tell what a process used")
  return {
    code,
    cpu: Number(usage.cpuTime.total) / 1e6,
    wall: (performance.now() - started) / 1000,
    mebibytes: usage.maxRSS / 2 ** 20
  }
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const compare = async (rounds: number) => {
  const crawlers = [...ours(), ...others()]
  console.log(["site", "crawler", "CPU s", "ms a page", "wall s", "peak MiB"].join("\t"))
  for (const site of sites) {
    const { child, start } = await serve(site)
    const measured = new Map<string, Array<Measured>>(crawlers.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const { name, words } of crawlers) measured.get(name)?.push(await measure(words(start, site.pages)))
    }
    child.kill()
    for (const [name, all] of measured) {
      const cpu = median(all.map((each) => each.cpu))
      const wall = median(all.map((each) => each.wall))
      const mebibytes = Math.max(...all.map((each) => each.mebibytes))
      const figures = [cpu.toFixed(2), ((1000 * cpu) / site.pages).toFixed(1), wall.toFixed(2), mebibytes.toFixed(0)]
      const failed = all.find(({ code }) => code !== 0)
      // A crawler that gives up, or reports sound links as broken, did other work: its figures are not comparable.
      const told = failed === undefined ? [] : [`ended with ${failed.code}`]
      console.log([site.name, name, ...figures, ...told].join("\t"))
    }
  }
}

const library = async (pages: number, bytes: number) => {
  const { child, start } = await serve({ name: "library", pages, bytes: [bytes, bytes], latency: 0 })
  const crawl = Bun.spawn([process.execPath, join(place, "library.ts"), start, `${pages + 1}`], {
    env: { ...process.env, ...allowed },
    stderr: "inherit",
    stdout: "inherit"
  })
  await crawl.exited
  child.kill()
  console.log(`peak MiB\t${((crawl.resourceUsage()?.maxRSS ?? 0) / 2 ** 20).toFixed(0)}`)
}

const [word = "3", pages = "20000", bytes = "20000"] = process.argv.slice(2)
await (word === "library" ? library(Number(pages), Number(bytes)) : compare(Number(word)))
