import * as Effect from "effect/Effect"
import { gzipSync } from "node:zlib"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { loopback } from "../site/Loopback.ts"
import { serve } from "../site/Server.ts"
const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 97))
const big = html({title:"Big", body: "<p>x <a href=/q>y</a></p>".repeat(90_000)})
console.log("sizes", bomb.length, big.length)
const links = Array.from({length: 60}, (_, i) => `/p${i}`)
await Effect.runPromise(Effect.scoped(Effect.gen(function*(){
  const s = yield* serve(() => (q, r) => {
    if (q.url === "/robots.txt") return void r.writeHead(404).end()
    if (q.url === "/") return void r.writeHead(200, {"content-type":"text/html"}).end(html({title:"H", links}))
    const n = Number(q.url!.slice(2))
    if (process.env.MODE === "bomb" || (process.env.MODE !== "big" && n % 3 === 0)) return void r.writeHead(200, {"content-type":"text/html","content-encoding":"gzip"}).end(bomb)
    r.writeHead(200, {"content-type":"text/html"}).end(big)
  })
  Bun.gc(true)
  const base = process.memoryUsage().rss
  let peak = 0
  const t = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss) }, 20)
  const t0 = performance.now()
  const r = yield* report(s.origin + "/", { deadline: "20 seconds", timing: undefined })
  clearInterval(t)
  console.log("ms", performance.now() - t0, "rss +MB", (peak - base) / 1e6, r.summary.termination, JSON.stringify(r.summary.pages), JSON.stringify(r.summary.inventory.reasons.map(x=>[x.reason,x.count])), JSON.stringify(r).length)
})).pipe(Effect.provide(loopback)) as never)
