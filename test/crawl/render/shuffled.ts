import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Browsers from "../../../src/crawl/render/Browsers.ts"
import { limits } from "../../../src/crawl/render/Rendering.ts"
import { Random } from "../generator/Random.ts"
import { seeds } from "../generator/Seeds.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const origin = "http://site.test"
const other = "http://other.test"

const put = (expression: string) => `document.querySelector("#out").append(String(${expression}) + " ")`
const add = (path: string) =>
  `document.querySelector("#out").insertAdjacentHTML("beforeend", '<a href="${path}">${path}</a>')`

/** Scripts whose results depend on who is first, on clocks, on chance, on paints, or on what an earlier page left behind. */
const scripts: Readonly<Record<string, string>> = {
  race: `for (let n = 0; n < 9; n++) fetch("/data?" + n).then((a) => a.json()).then(({ id }) => { ${put("id")} })`,
  "race-of-hosts": `for (let n = 0; n < 6; n++) for (const host of ["", "${other}"]) fetch(host + "/data?" + n).then((a) => a.json()).then(({ id }) => { ${put("host + id")} })`,
  first: `Promise.race([1, 2, 3, 4].map((n) => fetch("/data?first-" + n).then((a) => a.json()))).then(({ id }) => { document.title = "First is " + id; ${add("/extra")} })`,
  timers: `for (const wait of [0, 1, 10, 999, 1500, 4000, 4990]) setTimeout(() => { ${put("wait + ':' + Math.round(performance.now()) + ':' + Date.now()")} }, wait)`,
  interval: `let n = 0; const timer = setInterval(() => { ${put("++n")}; if (n === 40) clearInterval(timer) }, 100)`,
  chance: `${put("Math.random()")}; ${put("crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(2))")}; ${put("new Date().toString()")}; ${put("[1,2,3,4,5,6].sort(() => Math.random() - .5)")}`,
  paints: `let n = 0; const go = () => { if (++n === 3) { ${add("/painted")} } else requestAnimationFrame(go) }; requestAnimationFrame(go)`,
  sight: `document.querySelector("#out").insertAdjacentHTML("beforeend", '<div style="margin-top:4000px" id="far">x</div>'); new IntersectionObserver(([entry]) => { if (entry.isIntersecting) { ${add("/seen")} } }).observe(document.querySelector("#far"))`,
  size: `new ResizeObserver(() => { ${put("innerWidth + 'x' + innerHeight")} }).observe(document.body)`,
  idle: `requestIdleCallback(() => { ${put("'idle'")} }); setTimeout(() => { ${put("'timer'")} }, 5)`,
  storage: `localStorage.visits = Number(localStorage.visits ?? 0) + 1; document.cookie = "visits=" + localStorage.visits; ${put("localStorage.visits + document.cookie")}`,
  modules: `for (const n of [3, 1, 2]) import("/module.js?" + n).then(({ name }) => { ${put("name")} })`,
  frames: `for (const n of [1, 2, 3]) { const f = document.createElement("iframe"); f.src = "/frame?" + n; f.onload = () => { ${put("'frame ' + n")} }; document.body.append(f) }; onmessage = ({ data }) => { ${put("data")} }`,
  styles: `for (const n of [1, 2, 3]) { const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "/style.css?" + n; l.onload = () => { ${put("'style ' + n")} }; document.head.append(l) }`,
  failing: `fetch("/missing").then((a) => { ${put("a.status")} }); fetch("/broken").catch((e) => { ${put("e.message")} }); const s = document.createElement("script"); s.src = "/missing.js"; s.onerror = () => { ${put("'no script'")} }; document.body.append(s); throw new Error("An error of " + Math.random())`,
  mutation: `new MutationObserver((all) => { if (document.querySelectorAll("#out b").length < 30) document.querySelector("#out").insertAdjacentHTML("beforeend", "<b>" + all.length + "</b>") }).observe(document.querySelector("#out"), { childList: true })
    setTimeout(() => { ${put("'begun'")} }, 0)`,
  leaving: `fetch("/data?leaving").then(() => { location.href = "/extra?from=" + Math.random() })`,
  polling: `const ask = () => fetch("/data?poll").then((a) => a.json()).then(({ id }) => { ${put("id")}; setTimeout(ask, 300) }); ask()`,
  streams: `fetch("/large").then(async (a) => { let length = 0; for await (const part of a.body) length += part.length; ${put("length")} })`
}

const names = Object.keys(scripts)

const json = { "access-control-allow-origin": "*", "content-type": "application/json" }
const code = { "content-type": "text/javascript" }

const replyOf = (url: URL): Reply => {
  const { host, pathname, search } = url
  const id = `${host} ${search}`
  const page = scripts[pathname.slice(1)]
  if (page !== undefined) {
    const body = `<p id="out"></p><script>${page}</script>`
    return { body: html({ body, links: ["/"], title: `Page ${pathname}` }) }
  }
  switch (pathname) {
    case "/":
      return {
        body: html({
          body: "<script>document.title += ' by a script'</script>",
          links: names.map((name) => `/${name}`)
        })
      }
    case "/data":
      return { body: JSON.stringify({ id }), headers: json }
    case "/extra":
    case "/painted":
    case "/seen":
      return { body: html({ body: "<script>1</script>", title: `Page ${pathname}` }) }
    case "/frame":
      return { body: `<script>parent.postMessage("frame says ${id}", "*")</script>` }
    case "/large":
      return { body: new Uint8Array(3_000_000), headers: json }
    case "/module.js":
      return { body: `export const name = "${id}"`, headers: code }
    case "/style.css":
      return { body: "p { color: red }", headers: { "content-type": "text/css" } }
    case "/broken":
      return { fault: "reset" }
    default:
      return { body: "", status: 404 }
  }
}

/**
 * Crawls a site of pages that scripts write, by the browser of this machine: each time with other delays, other orders of answers, another number of pages at
 * a time, and with processors that are free or busy. Returns the number of distinct results and of orders, and the number of rendered pages.
 */
export const shuffledRendering = (times: number) =>
  Effect.gen(function* () {
    const runs = yield* Effect.forEach(seeds(times), (seed) =>
      Effect.gen(function* () {
        const random = new Random(`rendering ${seed}`)
        const slowest = random.pick([0, 5, 40, 120])
        const answered: Array<string> = []
        const outbound = memoryOutbound(
          (url) => ({ ...replyOf(url), delay: random.int(0, slowest) }),
          (url) => answered.push(url.href)
        )
        const browser = Browsers.layer({
          limits: { ...limits, page: "2 minutes", request: "1 minute" },
          width: random.int(1, 3)
        })
        const busy =
          seed % 2 === 0
            ? []
            : [Bun.spawn([process.execPath, "-e", "for(;;);"]), Bun.spawn([process.execPath, "-e", "for(;;);"])]
        const { findings, pages, score, summary } = yield* report(`${origin}/`, {
          deadline: "30 minutes",
          perHost: random.int(1, 6),
          render: "always"
        }).pipe(
          Effect.provide(Layer.merge(outbound, Layer.provide(browser, BunContext.layer))),
          Effect.ensuring(
            Effect.sync(() => {
              for (const child of busy) child.kill("SIGKILL")
            })
          )
        )
        const timeless = pages.map((page) => ({ ...page, response_ms: 0 }))
        return {
          order: answered.join(),
          rendered: summary.rendering.rendered,
          text: JSON.stringify({ findings, pages: timeless, score, summary: { ...summary, crawl: null } })
        }
      })
    )
    return {
      orders: new Set(runs.map(({ order }) => order)).size,
      rendered: runs[0]?.rendered ?? 0,
      texts: [...new Set(runs.map(({ text }) => text))]
    }
  })
