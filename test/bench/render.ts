/**
 * `bun test/bench/render.ts [rounds] [--only TEXT] [--tree FOLDER]`: what rendering costs, as CPU time of the command of a crawl with all that it starts, medians of some rounds (3 by
 * default) that take turns, so that a busy machine is busy for all of them. Pages without scripts cost the same with `auto` as with `never`; an application of
 * 50 pages is rendered. With the folder of another tree of this program its figures stand beside ours; `--only` takes the cases with a text in their names.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { memoryOf, processes } from "../../src/foundation/browser/Memory.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  args: process.argv.slice(2),
  options: { only: { type: "string", default: "" }, tree: { type: "string" } }
})
const [rounds = "3"] = positionals
const own = resolve(import.meta.dir, "../..")

const plainPages = 200
const applicationPages = 50

const application = `
import { h, render } from "preact"
import { useEffect, useState } from "preact/hooks"

const routes = Array.from({ length: ${applicationPages} }, (_, at) => (at === 0 ? "/" : "/product/" + at))

const Page = () => {
  const [products, setProducts] = useState(null)
  useEffect(() => {
    fetch("/api/products.json").then((answer) => answer.json()).then(setProducts)
  }, [])
  const at = routes.indexOf(location.pathname)
  useEffect(() => {
    if (products !== null) document.title = products[at]?.name ?? "Not found"
  })
  if (products === null) return h("p", null, "Loading")
  return h("main", null, h("h1", null, products[at]?.name), h("p", null, products[at]?.text), h("nav", null, routes.map((to) => h("a", { href: to }, to))))
}

render(h(Page), document.querySelector("#root"))
`

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => `w${((seed * 7919 + at * 104_729) % 99_991).toString(36)}`).join(" ")

const bundled = async () => {
  const folder = mkdtempSync(join(import.meta.dir, "render-"))
  try {
    const entry = join(folder, "application.ts")
    await Bun.write(entry, application)
    const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, target: "browser" })
    return (await outputs[0]?.text()) ?? ""
  } finally {
    rmSync(folder, { force: true, recursive: true })
  }
}

const shell =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title></head><body><div id="root"></div><script type="module" src="/application.js"></script></body></html>'

const served = (answer: (path: string) => Response) =>
  Bun.serve({ fetch: ({ url }) => answer(new URL(url).pathname), hostname: "127.0.0.1", idleTimeout: 60, port: 0 })

const typed = (body: string, type: string) => new Response(body, { headers: { "content-type": type } })
const missing = () => new Response("", { status: 404 })

/** The site of `crawl.ts`, whose pages have no scripts. */
const plainSite = async () => {
  const words = [process.execPath, join(import.meta.dir, "crawl/site.ts"), `${plainPages}`, "20000"]
  const child = Bun.spawn(words, { stderr: "inherit", stdout: "pipe" })
  process.on("exit", () => child.kill("SIGKILL"))
  const { value } = await child.stdout.getReader().read()
  const origin = /answers on (\S+)/.exec(new TextDecoder().decode(value))?.[1]
  if (origin === undefined) throw new Error("The site did not start")
  return { stop: () => child.kill("SIGKILL"), url: `${origin}/` }
}

const plain = await plainSite()
const bundle = await bundled()
const products = JSON.stringify(
  Array.from({ length: applicationPages }, (_, at) => ({ name: `Product ${at}`, text: words(at, 80) }))
)
const shop = served((path) => {
  if (path === "/application.js") return typed(bundle, "text/javascript")
  if (path === "/api/products.json") return typed(products, "application/json")
  return path === "/" || path.startsWith("/product/") ? typed(shell, "text/html") : missing()
})

const tick = 100

/** Seconds of processor time that a process has had. */
const cpuOf = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return (Number(fields[11]) + Number(fields[12])) / tick
  } catch {
    return 0
  }
}

interface Figures {
  readonly cpu: number
  readonly browserCpu: number
  readonly wall: number
  readonly browser: number
  readonly crawl: number
  readonly rendered: number
}

/** One crawl; what its processes had is what they were last seen to have. */
const measured = async (tree: string, url: string, pages: number, render: string): Promise<Figures> => {
  const folder = mkdtempSync(join(tmpdir(), "findable-bench-"))
  chmodSync(folder, 0o711)
  const began = performance.now()
  const words = ["crawl", url, "--max-pages", `${pages + 1}`, "--render", render, "--json"]
  const child = Bun.spawn([process.execPath, join(tree, "src/cli.ts"), ...words], {
    cwd: tree,
    env: { ...process.env, FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8", TMPDIR: folder },
    stderr: "ignore",
    stdout: "pipe"
  })
  const { startedBy } = processes()
  const cpu = new Map<number, number>()
  let [browser, looks] = [0, 0]
  const look = () => {
    const started = startedBy(child.pid)
    for (const pid of started) cpu.set(pid, Math.max(cpu.get(pid) ?? 0, cpuOf(pid)))
    // To add memory up takes longer, and holds the browser up.
    if (looks++ % 5 !== 0) return
    browser = Math.max(
      browser,
      started.reduce((sum, pid) => sum + memoryOf(pid), 0)
    )
  }
  // A crawl without a browser has nothing to look at, and is not disturbed.
  const timer = render === "never" || url === plain.url ? undefined : setInterval(look, 80)
  const output = await new Response(child.stdout).text()
  await child.exited
  clearInterval(timer)
  rmSync(folder, { force: true, recursive: true })
  const usage = child.resourceUsage()
  const report = JSON.parse(output)
  const browserCpu = [...cpu.values()].reduce((sum, one) => sum + one, 0)
  return {
    browser: browser / 2 ** 20,
    browserCpu,
    // The system counts those of the browser's processes that had ended and were waited for among ours: at most all of them.
    cpu: Number(usage?.cpuTime.total ?? 0) / 1e6,
    crawl: (usage?.maxRSS ?? 0) / 2 ** 20,
    rendered: report.summary.rendering?.rendered ?? 0,
    wall: (performance.now() - began) / 1000
  }
}

const median = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2
}

const cases = [
  { name: `${plainPages} pages without scripts, never`, pages: plainPages, render: "never", url: plain.url },
  { name: `${plainPages} pages without scripts, auto`, pages: plainPages, render: "auto", url: plain.url },
  {
    name: `an application of ${applicationPages} pages, auto`,
    pages: applicationPages,
    render: "auto",
    url: shop.url.href
  },
  {
    name: `an application of ${applicationPages} pages, always`,
    pages: applicationPages,
    render: "always",
    url: shop.url.href
  }
].filter(({ name }) => name.includes(values.only))
const trees = [["ours", own], ...(values.tree === undefined ? [] : [["other", resolve(values.tree)]])] as const
const all = new Map<string, Array<Figures>>()
for (let round = 0; round < Number(rounds); round++) {
  for (const { name, pages, render, url } of round % 2 === 0 ? cases : cases.toReversed()) {
    for (const [tree, folder] of round % 2 === 0 ? trees : trees.toReversed()) {
      const key = `${tree}: ${name}`
      all.set(key, [...(all.get(key) ?? []), await measured(folder ?? own, url, pages, render)])
    }
  }
}
console.log(
  "| crawl | rendered | CPU s of the crawl | CPU s of the browser | wall s | MiB of the browser (PSS) | MiB of the crawl |\n|---|---:|---:|---:|---:|---:|---:|"
)
for (const [name, figures] of [...all].toSorted()) {
  const of = (key: keyof Figures) => median(figures.map((one) => one[key]))
  console.log(
    `| ${name} | ${of("rendered")} | ${of("cpu").toFixed(2)} | ${of("browserCpu").toFixed(2)} | ${of("wall").toFixed(1)} | ${Math.max(...figures.map(({ browser }) => browser)).toFixed(0)} | ${Math.max(...figures.map(({ crawl }) => crawl)).toFixed(0)} |`
  )
}
const cpusOf = (render: string) =>
  (all.get(`ours: ${plainPages} pages without scripts, ${render}`) ?? []).map(({ cpu }) => cpu)
const nevers = cpusOf("never")
const ratios = cpusOf("auto").map((cpu, round) => cpu / (nevers[round] ?? Number.NaN))
if (ratios.length > 0)
  console.log(
    `CPU of auto against never on pages without scripts, by rounds: ${ratios.map((ratio) => ratio.toFixed(3)).join(" ")}; median ${median(ratios).toFixed(3)}`
  )
plain.stop()
shop.stop(true)
