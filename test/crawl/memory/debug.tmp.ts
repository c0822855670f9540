import { readFileSync } from "node:fs"
import { heapStats } from "bun:jsc"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { crawl } from "../../../src/crawl/Crawl.ts"
import { loopback } from "../site/Loopback.ts"
const [origin = "", kind = "", deadline = "90000"] = process.argv.slice(2)
const mem = () => { const s = readFileSync("/proc/self/status","utf8"); return Number(/VmRSS:\s+(\d+)/.exec(s)![1])/1024|0 }
let keep: any
const run = (path: string, tell: boolean) => crawl(new URL(`${origin}/${encodeURIComponent(path)}/`), { maxPages: 50, checkDeadLinks: true, deadline: Number(deadline) }).pipe(Stream.runForEach((e) => Effect.sync(() => { keep = e; if (tell && e._tag==="Page") { const h=heapStats(); process.stdout.write(`${mem()}/${(h.heapSize/1e6)|0}/${(h.heapCapacity/1e6)|0}+${(h.extraMemorySize/1e6)|0} `) } })), Effect.provide(loopback))
await Effect.runPromise(run("ordinary", false))
await Effect.runPromise(run("ordinary", false))
Bun.gc(true); console.log("base", mem())
await Effect.runPromise(run(kind, true))
console.log("\nend", mem()); const t=performance.now(); Bun.gc(true); console.log("gc ms", performance.now()-t); await Bun.sleep(500); Bun.gc(true); console.log("after gc", mem(), heapStats().heapSize/1e6)
console.log(Object.entries(heapStats().objectTypeCounts).sort((a,b)=>b[1]-a[1]).slice(0,6))
